"""A judge's calibration as a whole: planted faults, anchors, and the mean corrected by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from riskchain_gym.benchmark.splits import GOLD, load_manifest
from riskchain_gym.evaluation.oracle_reports import oracle_reports
from riskchain_gym.protocol.model import Frozen, sha256_of
from riskchain_gym.scoring.calibration.anchor_figures import AnchorFigures, anchor_figures, answers_of
from riskchain_gym.scoring.calibration.anchors import Anchor, encoded
from riskchain_gym.scoring.calibration.calibrate import Calibration, calibrate
from riskchain_gym.scoring.calibration.correction import Corrected, corrected_share
from riskchain_gym.scoring.calibration.plant import Case
from riskchain_gym.scoring.judge.questions import Judge


class JudgeCalibration(Frozen):
    """What is known of how a judge judges.

    Attributes:
        split: Name or path of the split that the right reports are from.
        gold_sha256: Hash of its gold.
        anchors_sha256: Hash of the anchors.
        faults: Planted faults and false alarms.
        anchors: Answers to the anchors, by source.
        corrected: Share of claims about single citations of the right reports that hold, corrected by the anchors of
            each source.
    """

    schema_version: Literal["riskchain-judge-calibration/v2"] = "riskchain-judge-calibration/v2"
    split: str
    gold_sha256: str
    anchors_sha256: str
    faults: Calibration
    anchors: tuple[AnchorFigures, ...]
    corrected: dict[str, Corrected]


def calibrate_judge(
    judge: Judge,
    split: str,
    anchors: Sequence[Anchor],
    *,
    reports: int = 200,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> JudgeCalibration:
    """Try a judge on the oracle's reports, on faults planted in them, and on anchors.

    Args:
        judge: The judge.
        split: Split by name or path, with gold.
        anchors: Claims with known answers.
        reports: How many of the split's chains at most.
        seed: Seed of plants and draws.
        threads: Questions in flight at once; for several the judge must be one that threads may share.
        progress: Called with what is done, how much of it, and of how much.

    Raises:
        UnknownNameError: There is no such split.
        InputFileError: The split has no gold, or a file of it is damaged.
    """

    def told(what: str, of: int) -> Callable[[int], None]:
        return lambda done: None if progress is None else progress(what, done, of)

    total = min(reports, load_manifest(split).chains)
    cases = [Case(*pair) for pair in oracle_reports(split, reports, told("Right reports", total))]
    faults = calibrate(judge, cases, seed, threads=threads, progress=told("Planted faults", total))
    answers = answers_of(judge, anchors, told("Anchors", len(anchors)))
    sources = dict.fromkeys(anchor.source for anchor in anchors)
    return JudgeCalibration(
        split=split,
        gold_sha256=load_manifest(split).sha256[GOLD],
        anchors_sha256=sha256_of(encoded(anchors).decode()),
        faults=faults,
        anchors=anchor_figures(anchors, answers, seed=seed),
        corrected={
            source: corrected_share([a for a in anchors if a.source == source], answers, faults.support, seed=seed)
            for source in sorted(sources)
        },
    )
