"""What every agent is told before an episode: the answer schemas and the codebook, both label-free."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from riskchain_gym.agents.base import Instructions
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.codebook import (
    CODEBOOK_VERSION,
    DECISION_RULES,
    MINIMUM_EVIDENCE,
    PSEUDO_TYPES,
    AnchorType,
    Decision,
)
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Phase


def codebook() -> dict[str, Any]:
    """Return the codebook as plain data: decisions, types with minimum evidence, anchors and rules."""
    return {
        "version": CODEBOOK_VERSION,
        "decisions": [d.value for d in Decision],
        "minimum_evidence": {t.value: text for t, text in MINIMUM_EVIDENCE.items()},
        "pseudo_types": {d.value: t.value for d, t in PSEUDO_TYPES.items()},
        "anchor_types": [a.value for a in AnchorType],
        "decision_rules": list(DECISION_RULES),
    }


def build_instructions(max_steps: int | None = None, repeat: int = 0, *, revises: bool = False) -> Instructions:
    """Build the instructions of an episode.

    Args:
        max_steps: Browse actions allowed, or ``None`` when the budget is not told.
        repeat: Which of several runs it is.
        revises: Whether the report phase takes one revised commit before the report.
    """
    schemas = {
        Phase.RESTORE.value: Commit.model_json_schema(),
        Phase.BROWSE.value: BrowserAction.model_json_schema(),
        Phase.REPORT.value: TypeAdapter(Report | Commit if revises else Report).json_schema(),
    }
    return Instructions(schemas=schemas, codebook=codebook(), max_steps=max_steps, repeat=repeat)
