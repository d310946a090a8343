"""From Task 1 to Task 2: the strict gate, what a closed gate leaves, and the handoff statuses (protocol B.6, E)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal

from riskchain_gym.messages.official import PredictionRow
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.gate import STRICT_ENTRY, handoff_entry

BOTTOM = "__BOTTOM__"
"""How the published rows write ⊥."""


class HandoffStatus(StrEnum):
    """Whether the handoff lets a case through to its site, or why not."""

    AUTHORIZED = "AUTHORIZED"
    TASK1_NOT_RUN = "TASK1_NOT_RUN"
    TASK1_SYSTEM_FAILURE = "TASK1_SYSTEM_FAILURE"
    TASK1_MODEL_FAILURE = "TASK1_MODEL_FAILURE"
    TASK1_MODEL_ID_MISMATCH = "TASK1_MODEL_ID_MISMATCH"
    TASK1_MODEL_ABSTAIN = "TASK1_MODEL_ABSTAIN"
    TASK1_NO_TOP1_ENTRY = "TASK1_NO_TOP1_ENTRY"
    TASK1_WRONG_TOP1_ENTRY = "TASK1_WRONG_TOP1_ENTRY"


def strict_gate(expected: str, candidates: object) -> bool:
    """Say whether the single candidate of rank 1 equals the expected entry, letter by letter.

    Args:
        expected: The canonical entry.
        candidates: ``entry_candidates`` as the model gave them. Whatever is no list of objects with distinct integer
            ranks keeps the gate closed.

    Raises:
        ConfigError: The expected entry is no lower-case three-label ``.test`` name.
    """
    if not isinstance(expected, str) or not STRICT_ENTRY.fullmatch(expected):
        raise ConfigError(f"expected: must be a lower-case three-label .test name, got {expected!r}.")
    if not isinstance(candidates, Sequence) or not all(isinstance(c, Mapping) for c in candidates):
        return False
    ranks = [c.get("rank") for c in candidates]
    if any(type(rank) is not int for rank in ranks) or len(set(ranks)) != len(ranks) or 1 not in ranks:
        return False
    return bool(candidates[ranks.index(1)].get("value") == expected)


def apply_gate(gate: Any, decision: str, violation_type: str) -> tuple[str, str]:
    """Return the decision and the type that a gate leaves: both ⊥ where it is closed.

    Raises:
        ConfigError: The gate is neither ``True`` nor ``False``.
    """
    if not isinstance(gate, bool):
        raise ConfigError(f"gate: must be true or false, got {gate!r}.")
    return (decision, violation_type) if gate else (BOTTOM, BOTTOM)


def handoff_sha256(entry: str) -> str:
    """Return the hash that the handoff compares: of the entry lower-cased, stripped, without a trailing ``/``."""
    return hashlib.sha256(handoff_entry(entry).encode("utf-8", "surrogatepass")).hexdigest()


def handoff_status(
    prediction: PredictionRow | None,
    *,
    expected: str,
    model_id: str,
    failure: Literal["system", "model"] | None = None,
) -> HandoffStatus:
    """Return the status of a case.

    Args:
        prediction: Its prediction, ``None`` where there is none.
        expected: The canonical entry.
        model_id: The model whose sites are to be visited.
        failure: A failure that was recorded for the case.
    """
    if failure == "system":
        return HandoffStatus.TASK1_SYSTEM_FAILURE
    if failure == "model":
        return HandoffStatus.TASK1_MODEL_FAILURE
    if prediction is None:
        return HandoffStatus.TASK1_NOT_RUN
    if prediction.model_id != model_id:
        return HandoffStatus.TASK1_MODEL_ID_MISMATCH
    if prediction.abstain:
        return HandoffStatus.TASK1_MODEL_ABSTAIN
    if not prediction.entry_candidates or not handoff_entry(prediction.entry_candidates[0].value):
        return HandoffStatus.TASK1_NO_TOP1_ENTRY
    if handoff_sha256(prediction.entry_candidates[0].value) != handoff_sha256(expected):
        return HandoffStatus.TASK1_WRONG_TOP1_ENTRY
    return HandoffStatus.AUTHORIZED
