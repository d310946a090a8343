"""The published scorers, for whoever holds rows in the published formats (protocol B, C.9, C.10, E).

Plain dicts in, plain dicts with the published metric keys out. See ``docs/official.md``.
"""

from __future__ import annotations

from riskchain_gym.scoring.official.handoff import (
    BOTTOM,
    HandoffStatus,
    apply_gate,
    handoff_sha256,
    handoff_status,
    strict_gate,
)
from riskchain_gym.scoring.official.rows import OfficialRowError
from riskchain_gym.scoring.official.task1 import TASK1_SEED, score_task1
from riskchain_gym.scoring.official.task2 import TASK2_SEED, score_task2

__all__ = [
    "BOTTOM",
    "TASK1_SEED",
    "TASK2_SEED",
    "HandoffStatus",
    "OfficialRowError",
    "apply_gate",
    "handoff_sha256",
    "handoff_status",
    "score_task1",
    "score_task2",
    "strict_gate",
]
