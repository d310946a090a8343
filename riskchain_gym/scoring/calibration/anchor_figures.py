"""How a judge's answers to the anchors compare with the reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.agreement import Agreed, Measure
from riskchain_gym.scoring.calibration.anchors import Anchor, speaks_against
from riskchain_gym.scoring.calibration.people import PeopleAgreement, agreed, people_agreement
from riskchain_gym.scoring.calibration.rates import Rate
from riskchain_gym.scoring.judge.questions import Answer, Judge

FAILED = "failed"
"""Where the confusion counts anchors on which the judge gave no answer."""


class AnchorFigures(Frozen):
    """How a judge does on anchors of one source.

    Attributes:
        source: ``constructed`` or ``human``.
        anchors: How many.
        failed: Those on which the judge failed; no other figure counts them.
        abstained: Answers that it cannot tell.
        confusion: Anchors by reference and answer.
        accuracy: Of the answers of yes or no, those that are the reference's.
        precision: Of the answers against the report, those that the reference gives too.
        recall: Of the references against the report, those that the judge gives too; an abstention finds nothing.
        percent: Share of the answers, of all three kinds, that are the reference's; ``None`` if there is none.
        kappa: Cohen's κ of judge and reference over the three answers, ``None`` where it is undefined.
        alpha: Krippendorff's α of the two, likewise.
        people: How far the people agree among themselves, which no judge can be expected to exceed; ``None`` for
            constructed anchors.
        recalls: Recall by fault.
    """

    source: Literal["constructed", "human"]
    anchors: int
    failed: int
    abstained: Rate
    confusion: dict[str, dict[str, int]]
    accuracy: Rate
    precision: Rate
    recall: Rate
    percent: Agreed | None
    kappa: Agreed | None
    alpha: Agreed | None
    people: PeopleAgreement | None = None
    recalls: dict[str, Rate]


def answers_of(
    judge: Judge, anchors: Sequence[Anchor], progress: Callable[[int], None] | None = None
) -> dict[str, Answer | None]:
    """Return the judge's answer to each anchor by id, ``None`` where it failed.

    Args:
        judge: The judge.
        anchors: The anchors.
        progress: Called with the number of anchors that are done.
    """
    given: dict[str, Answer | None] = {}
    for number, anchor in enumerate(anchors, 1):
        given[anchor.id] = judge.rule(anchor.bundle, anchor.question).answer
        if progress is not None:
            progress(number)
    return given


def anchor_figures(
    anchors: Sequence[Anchor], answers: Mapping[str, Answer | None], *, seed: int = 0, replicates: int = 2000
) -> tuple[AnchorFigures, ...]:
    """Return the figures of each source of anchors apart; intervals draw clusters of anchors.

    Args:
        anchors: The anchors.
        answers: The judge's answer by anchor id, ``None`` where it failed.
        seed: Seed of the draws.
        replicates: Bootstrap samples.
    """
    by_source: dict[Literal["constructed", "human"], list[Anchor]] = defaultdict(list)
    for anchor in anchors:
        by_source[anchor.source].append(anchor)
    return tuple(_figures(source, by_source[source], answers, seed, replicates) for source in sorted(by_source))


def _figures(
    source: Literal["constructed", "human"],
    anchors: Sequence[Anchor],
    answers: Mapping[str, Answer | None],
    seed: int,
    replicates: int,
) -> AnchorFigures:
    confusion = {str(reference): {**{str(answer): 0 for answer in Answer}, FAILED: 0} for reference in Answer}
    for anchor in anchors:
        confusion[anchor.reference][answers[anchor.id] or FAILED] += 1
    given = [(anchor, answer) for anchor in anchors if (answer := answers[anchor.id]) is not None]
    decided = [(anchor, answer) for anchor, answer in given if answer is not Answer.CANNOT_TELL]
    against = [anchor for anchor, answer in decided if speaks_against(anchor.question, answer)]
    to_find = [anchor for anchor, _ in given if anchor.adverse]
    found = {anchor.id for anchor in against}
    pairs = [(str(anchor.reference), str(answer)) for anchor, answer in given]
    clusters = [anchor.cluster for anchor, _ in given]

    def with_reference(measure: Measure) -> Agreed | None:
        return agreed(measure, pairs, clusters, seed=seed, replicates=replicates)

    faults = sorted({anchor.fault for anchor in to_find if anchor.fault})
    return AnchorFigures(
        source=source,
        anchors=len(anchors),
        failed=len(anchors) - len(given),
        abstained=Rate.of_counts(len(given) - len(decided), len(given)),
        confusion=confusion,
        accuracy=Rate.of_counts(sum(answer is anchor.reference for anchor, answer in decided), len(decided)),
        precision=Rate.of_counts(sum(bool(anchor.adverse) for anchor in against), len(against)),
        recall=Rate.of_counts(sum(anchor.id in found for anchor in to_find), len(to_find)),
        percent=with_reference("percent"),
        kappa=with_reference("kappa"),
        alpha=with_reference("alpha"),
        people=people_agreement(anchors, seed=seed, replicates=replicates) if source == "human" else None,
        recalls={
            fault: Rate.of_counts(
                sum(anchor.id in found for anchor in to_find if anchor.fault == fault),
                sum(anchor.fault == fault for anchor in to_find),
            )
            for fault in faults
        },
    )
