"""The models whose JSON schemas are public, by name."""

from __future__ import annotations

from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.shown import BrowseElements, ReportElements
from riskchain_gym.protocol.trajectory import Trajectory

SCHEMAS: dict[str, type[Frozen]] = {
    "message": Message,
    "commit": Commit,
    "elements": BrowseElements,
    "action": BrowserAction,
    "observed_steps": ReportElements,
    "report": Report,
    "trajectory": Trajectory,
    "outcome": Outcome,
    "gold": GoldChain,
}
"""What crosses a boundary, in the order of the chain."""
