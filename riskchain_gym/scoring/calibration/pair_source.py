"""A report that pairs are drawn from: as it was filed, or with one planted fault, and what can be asked of it."""

from __future__ import annotations

from dataclasses import dataclass

from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.calibration.pair_faults import bears_on, plant_for_people
from riskchain_gym.scoring.calibration.pairs import Language
from riskchain_gym.scoring.calibration.plant import Case, Variant
from riskchain_gym.scoring.judge.bundle import Bundle
from riskchain_gym.scoring.judge.enquiry import questions_about
from riskchain_gym.scoring.judge.present import present
from riskchain_gym.scoring.judge.questions import ClaimKind, Question
from riskchain_gym.scoring.redaction.audit import RedactionError

Claims = dict[ClaimKind, list[Question]]


@dataclass(frozen=True)
class ReportSource:
    """A report of a frozen run.

    Attributes:
        trajectory: The episode that ended with it.
        agent: Whose it is.
        split: Split of the run.
        episode: Hash of the episode's record.
        site: Id of the site.
        language: Language of the site.
        gold: The chain's gold, ``None`` where no fault is planted.
    """

    trajectory: Trajectory
    agent: str
    split: str
    episode: str
    site: str
    language: Language
    gold: GoldChain | None = None

    @property
    def label(self) -> tuple[str, ...]:
        """What tells it from every other report."""
        return self.split, self.agent, self.trajectory.chain_id, self.trajectory.variant, self.episode


class DrawableReport:
    """One version of a report, the same for all pairs that are drawn from it.

    Attributes:
        source: Where it is from.
        drawn: Pairs that were drawn from it.
        planted: The fault in it, or ``None``.
        bundle: What people are shown, ``None`` until it is settled and where it cannot be redacted.
        claims: Questions that were not drawn, by kind, in a drawn order.
        faulty_claims: Likewise those that the fault bears on.

    Args:
        source: The report.
        key: Key of the order in which its questions are drawn.
    """

    def __init__(self, source: ReportSource, key: bytes) -> None:
        self.source = source
        self.drawn = 0
        self.planted: Variant | None = None
        self.bundle: Bundle | None = None
        self.claims: Claims = {}
        self.faulty_claims: Claims = {}
        self._key = key
        self._settled = False

    @property
    def is_unshown(self) -> bool:
        """Whether it was looked at and cannot be shown."""
        return self._settled and self.bundle is None

    def settle(self) -> None:
        """Settle that it is shown as it was filed, unless a fault was planted."""
        if not self._settled:
            self._settle(_presented(self.source.trajectory), frozenset())

    def plant(self, variant: Variant, kind: ClaimKind, seed: int) -> bool:
        """Plant a fault that bears on a claim of a kind, and say whether that could be done.

        Args:
            variant: The fault.
            kind: The kind of claim.
            seed: Seed of the plant.
        """
        if self._settled or self.source.gold is None:
            return False
        case = Case(self.source.trajectory, self.source.gold)
        planted = plant_for_people(variant, case, seed)
        bundle = None if planted is None else _presented(planted.trajectory)
        if planted is None or bundle is None:
            return False
        about = frozenset(q for q in questions_about(bundle) if bears_on(variant, planted, case, q))
        if not any(question.kind is kind for question in about):
            return False
        self._settle(bundle, about)
        self.planted = variant
        return True

    def _settle(self, bundle: Bundle | None, about_fault: frozenset[Question]) -> None:
        self._settled, self.bundle = True, bundle
        questions = [] if bundle is None else list(questions_about(bundle))
        KeyedRandom(self._key, "questions", *self.source.label).shuffle(questions)
        for question in questions:
            claims = self.faulty_claims if question in about_fault else self.claims
            claims.setdefault(question.kind, []).append(question)


def _presented(trajectory: Trajectory) -> Bundle | None:
    try:
        return present(trajectory)
    except RedactionError:
        return None
