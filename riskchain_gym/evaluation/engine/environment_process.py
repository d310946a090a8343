"""The process of an environment: it holds no gold, no key and no agent."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from riskchain_gym.evaluation.engine.channel import Channel, packed
from riskchain_gym.evaluation.engine.child import Lifeline
from riskchain_gym.evaluation.engine.local import LocalEnvironments
from riskchain_gym.evaluation.engine.serving import serve
from riskchain_gym.evaluation.settings import RunSettings

HUB = "riskchain_gym.envs.backends.browser_hub"


def serve_environments(channel: Channel, settings: RunSettings, lifeline: Lifeline) -> None:
    """Serve the environments of a run until the parent closes them.

    Args:
        channel: Where calls come from.
        settings: How to run.
        lifeline: Says when it is over; browsers are ended then, which are not in this process's group.
    """
    lifeline.on_end = _end_browsers
    environments = LocalEnvironments(settings)

    def answer(name: str, arguments: Sequence[Any]) -> Any:
        return getattr(environments, name)(*arguments)

    serve(channel, answer, packed)


def _end_browsers() -> None:
    hub = sys.modules.get(HUB)
    if hub is not None:
        hub.kill_browsers()
