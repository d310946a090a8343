"""Trying a judge on right reports and on copies of them with one planted fault each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.calibration.faults import VARIANTS, plant
from riskchain_gym.scoring.calibration.plant import CITING, Case, FaultKind, Planted, Variant
from riskchain_gym.scoring.calibration.rates import Rate
from riskchain_gym.scoring.judge.episode import judged
from riskchain_gym.scoring.judge.present import present
from riskchain_gym.scoring.judge.questions import Answer, Judge, Question, Ruling
from riskchain_gym.scoring.judge.settle import points
from riskchain_gym.scoring.redaction.audit import RedactionError


class Detection(Frozen):
    """How often a fault was detected.

    Attributes:
        kind: Kind of the fault.
        variant: Name of the variant, ``""`` for all variants of the kind together.
        near: Whether it is a near miss.
        citing: Whether the kind touches citations or quotes.
        applied: Copies that the fault was planted in.
        failed: Those of which the judge failed, or that could not be shown to it: neither detected nor missed.
        detected: Of the others, those with a point against the report that the right report does not have.
        placed: The same, where such a point is about the place of the fault.
    """

    kind: FaultKind
    variant: str = ""
    near: bool = False
    citing: bool
    applied: int
    failed: int
    detected: Rate
    placed: Rate


class FalseAlarms(Frozen):
    """How often a right report had a point against it.

    Attributes:
        reports: Right reports.
        failed: Those of which the judge failed before anything was held against them.
        alarmed: Of the others, those with any point against them.
        kinds: Points against them by kind of claim.
    """

    reports: int
    failed: int
    alarmed: Rate
    kinds: dict[str, int]


class Support(Frozen):
    """What a judge said to the questions about single citations of one right report.

    Attributes:
        cluster: The site; reports on one are drawn together.
        supported: Answers that speak for the report.
        answered: Answers of yes or no.
    """

    cluster: str
    supported: int
    answered: int


class Calibration(Frozen):
    """What planted faults say of a judge.

    Attributes:
        judge: Name and version.
        seed: Seed of the plants.
        alarms: False alarms.
        kinds: Detection by kind.
        variants: Detection by variant.
        support: Answers about single citations, by right report that was judged.
    """

    judge: str
    seed: int
    alarms: FalseAlarms
    kinds: tuple[Detection, ...]
    variants: tuple[Detection, ...]
    support: tuple[Support, ...]


@dataclass(frozen=True)
class _Opinion:
    """What a judge said of one report: places of the questions behind each point against it, and where it failed."""

    against: dict[str, frozenset[str]]
    kinds: dict[str, str]
    failed: frozenset[str]
    broken: bool
    supported: int = 0
    answered: int = 0


@dataclass
class _Tally:
    applied: int = 0
    failed: int = 0
    detected: int = 0
    placed: int = 0

    def add(self, planted: Planted, faulty: _Opinion, right: _Opinion) -> None:
        """Count one faulty copy beside the right report."""
        new = {point: places for point, places in faulty.against.items() if point not in right.against}
        sure = [places for point, places in new.items() if point not in right.failed]
        self.applied += 1
        self.detected += bool(sure)
        self.placed += any(places & planted.places for places in sure)
        self.failed += not sure and (faulty.broken or right.broken or bool(faulty.failed or new))

    def result(self, kind: FaultKind, variant: str = "", *, near: bool = False) -> Detection:
        """Return the rates."""
        judged_copies = self.applied - self.failed
        return Detection(
            kind=kind,
            variant=variant,
            near=near,
            citing=kind in CITING,
            applied=self.applied,
            failed=self.failed,
            detected=Rate.of_counts(self.detected, judged_copies),
            placed=Rate.of_counts(self.placed, judged_copies),
        )


def calibrate(
    judge: Judge,
    cases: Sequence[Case],
    seed: int,
    *,
    variants: Sequence[Variant] = VARIANTS,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Calibration:
    """Try a judge on right reports and on every planted fault; one seed and one judge, one result.

    Args:
        judge: The judge.
        cases: Right reports with their gold.
        seed: Seed of the plants.
        variants: What to plant.
        threads: Questions in flight at once; for several the judge must be one that threads may share.
        progress: Called with the number of cases that are done.

    Raises:
        ValueError: A case has no report.
    """
    tallies = {variant.key: _Tally() for variant in variants}
    opinions: list[tuple[Case, _Opinion]] = []
    for number, case in enumerate(cases, 1):
        right = _opinion(judge, case.trajectory, threads)
        opinions.append((case, right))
        for variant in variants:
            planted = plant(variant, case, seed)
            if planted is not None:
                tallies[variant.key].add(planted, _opinion(judge, planted.trajectory, threads), right)
        if progress is not None:
            progress(number)
    return Calibration(
        judge=judge.name,
        seed=seed,
        alarms=_alarms([opinion for _, opinion in opinions]),
        kinds=tuple(
            _total([tallies[v.key] for v in variants if v.kind is kind]).result(kind)
            for kind in dict.fromkeys(variant.kind for variant in variants)
        ),
        variants=tuple(tallies[v.key].result(v.kind, v.name, near=v.near) for v in variants),
        support=tuple(
            Support(cluster=case.gold.site.site_id, supported=opinion.supported, answered=opinion.answered)
            for case, opinion in opinions
            if not opinion.broken
        ),
    )


def _opinion(judge: Judge, trajectory: Trajectory, threads: int) -> _Opinion:
    try:
        bundle = present(trajectory)
    except RedactionError:
        bundle = None
    if bundle is None:
        return _Opinion({}, {}, frozenset(), broken=True)
    result, questions, rulings = judged(bundle, judge, threads=threads)
    behind = points(questions)
    failed_keys = {ruling.key for ruling in rulings if ruling.error}
    supported, answered = _support(questions, rulings)
    return _Opinion(
        against={point: frozenset(question.place for question in behind[point]) for point in result.adverse},
        kinds={point: behind[point][0].kind for point in result.adverse},
        failed=frozenset(point for point, asked in behind.items() if any(q.key in failed_keys for q in asked)),
        broken=result.status == "judge_error",
        supported=supported,
        answered=answered,
    )


def _support(questions: Sequence[Question], rulings: Sequence[Ruling]) -> tuple[int, int]:
    """Return how many questions about single citations were answered for the report, and how many at all.

    The parts that one citation of several settles are left out: no to one of them says nothing against the citation.
    """
    about = {q.key: q.good for q in questions if not q.group and q.place.partition(".")[0].endswith("evidence")}
    answers = [(ruling.answer, about[ruling.key]) for ruling in rulings if ruling.key in about]
    decided = [answer is good for answer, good in answers if answer not in (None, Answer.CANNOT_TELL)]
    return sum(decided), len(decided)


def _alarms(opinions: Sequence[_Opinion]) -> FalseAlarms:
    alarmed = [opinion for opinion in opinions if opinion.against]
    failed = sum(not opinion.against and (opinion.broken or bool(opinion.failed)) for opinion in opinions)
    kinds = Counter(kind for opinion in alarmed for kind in opinion.kinds.values())
    return FalseAlarms(
        reports=len(opinions),
        failed=failed,
        alarmed=Rate.of_counts(len(alarmed), len(opinions) - failed),
        kinds=dict(sorted(kinds.items())),
    )


def _total(tallies: Sequence[_Tally]) -> _Tally:
    return _Tally(
        applied=sum(tally.applied for tally in tallies),
        failed=sum(tally.failed for tally in tallies),
        detected=sum(tally.detected for tally in tallies),
        placed=sum(tally.placed for tally in tallies),
    )
