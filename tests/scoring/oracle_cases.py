"""The oracle's reports on the shipped split, which faults are planted in."""

from __future__ import annotations

from functools import cache

from riskchain_gym.evaluation.oracle_reports import oracle_reports
from riskchain_gym.scoring.calibration.plant import Case


@cache
def mini_cases() -> tuple[Case, ...]:
    return tuple(Case(*pair) for pair in oracle_reports("mini"))
