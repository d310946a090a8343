"""The rule judge on sites of held-out families, which nothing is tuned on."""

from __future__ import annotations

import pytest

from riskchain_gym.benchmark.release import build_release
from riskchain_gym.benchmark.release_files import write_release
from riskchain_gym.cli_judge_tables import show_calibration
from riskchain_gym.evaluation.calibration import JudgeCalibration, calibrate_judge
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.scoring.calibration.anchors import read_anchors
from riskchain_gym.scoring.judge.rules import RuleJudge

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SEED, REPORTS = 2026, 200
DETECTED, ALARMED = 0.95, 0.02
"""What a judge must detect of every fault that touches citations or quotes, and the false alarms it may raise."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> JudgeCalibration:
    folder = tmp_path_factory.mktemp("ood")
    release = build_release(key_from_seed(SEED), only=["ood"], worker_count=2)
    write_release(folder, release, seed=SEED, key_commitment=None)
    return calibrate_judge(RuleJudge(), str(folder / "ood"), read_anchors(), reports=REPORTS)


def test_faults_of_citations_and_quotes_are_detected_near_misses_included(found: JudgeCalibration) -> None:
    show_calibration(found)
    assert found.faults.alarms.reports == REPORTS
    for each in (*found.faults.kinds, *found.faults.variants):
        if each.citing:
            assert each.failed == 0
            assert each.applied >= 50
            assert (each.detected.share or 0) >= DETECTED, each
            assert (each.placed.share or 0) >= DETECTED, each


def test_right_reports_raise_few_alarms(found: JudgeCalibration) -> None:
    assert found.faults.alarms.failed == 0
    assert (found.faults.alarms.alarmed.share or 0) <= ALARMED, found.faults.alarms
