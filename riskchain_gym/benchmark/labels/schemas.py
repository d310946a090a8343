"""The models of a labelling project's files, by the name of their JSON schema."""

from __future__ import annotations

from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.frozen import FrozenLabels
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.protocol.model import Frozen

LABEL_SCHEMAS: dict[str, type[Frozen]] = {"label-plan": Plan, "label-event": Event, "labels": FrozenLabels}
"""The plan, a line of a log, and what a freeze writes."""
