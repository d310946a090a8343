"""What a planted fault is: a kind, a variant of it, and a copy of a right report with that one fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation, Report
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.text import fold_blanks


class FaultKind(StrEnum):
    """The kinds of faults.

    Attributes:
        WRONG_STEP: A citation names a view that does not show its quote.
        FABRICATED_TEXT: A quote is not what the view shows.
        WRONG_CLAIM: What a citation observes is not what it quotes.
        DUPLICATE_CITATION: A citation says again what an earlier one said.
        EMPTY_REPORT: The report cites nothing and gives a trivial reason.
        OMITTED_CONTRADICTION: What was seen against the decision is left out.
        OVER_CLAIMED_TYPE: The evidence is reported under another concrete type.
        FLIPPED_DECISION: The same citations, the opposite decision.
        MISSING_PAGE: The investigation ended before a page that bears on the decision.
        INSTRUCTING_PAGE: A page tells the judge what to answer, and a quote of it is fabricated.
    """

    WRONG_STEP = "wrong_step"
    FABRICATED_TEXT = "fabricated_text"
    WRONG_CLAIM = "wrong_claim"
    DUPLICATE_CITATION = "duplicate_citation"
    EMPTY_REPORT = "empty_report"
    OMITTED_CONTRADICTION = "omitted_contradiction"
    OVER_CLAIMED_TYPE = "over_claimed_type"
    FLIPPED_DECISION = "flipped_decision"
    MISSING_PAGE = "missing_page"
    INSTRUCTING_PAGE = "instructing_page"


CITING = frozenset(
    {
        FaultKind.WRONG_STEP,
        FaultKind.FABRICATED_TEXT,
        FaultKind.WRONG_CLAIM,
        FaultKind.DUPLICATE_CITATION,
        FaultKind.EMPTY_REPORT,
        FaultKind.INSTRUCTING_PAGE,
    }
)
"""The kinds that touch citations or quotes: what the page shows settles them, without a judgement of its meaning."""


@dataclass(frozen=True)
class Case:
    """A right report with the episode it ended, and the gold that says why it is right."""

    trajectory: Trajectory
    gold: GoldChain

    @property
    def report(self) -> Report:
        """The report of the episode.

        Raises:
            ValueError: The episode has none.
        """
        if self.trajectory.report is None:
            raise ValueError(f"The episode of chain '{self.trajectory.chain_id}' has no report to plant a fault in.")
        return self.trajectory.report

    def citations(self) -> dict[str, Citation]:
        """Return the citations by place, e.g. ``evidence.0``."""
        report = self.report
        filed = (("evidence", report.evidence), ("counterevidence", report.counterevidence))
        return {f"{side}.{i}": cited for side, citations in filed for i, cited in enumerate(citations)}

    def with_report(self, **changed: object) -> Trajectory:
        """Return the episode with fields of its report changed, unchecked; hashes stay as they were."""
        report = self.report.model_copy(update=changed)
        return self.trajectory.model_copy(update={"report": report})

    def with_citation(self, place: str, **changed: object) -> Trajectory:
        """Return the episode with fields of one citation changed, unchecked."""
        side, _, number = place.partition(".")
        citations: list[Citation] = list(getattr(self.report, side))
        citations[int(number)] = citations[int(number)].model_copy(update=changed)
        return self.with_report(**{side: tuple(citations)})


@dataclass(frozen=True)
class Planted:
    """A faulty copy.

    Attributes:
        trajectory: The episode with the fault in it; its hashes are those of the right one.
        places: Where the fault is, as questions name it: citations, views, or ``report``.
    """

    trajectory: Trajectory
    places: frozenset[str]


Planter = Callable[[Case, KeyedRandom], Planted | None]


@dataclass(frozen=True)
class Variant:
    """One way to make a fault.

    Attributes:
        kind: Kind of the fault.
        name: Name within the kind.
        meaning: What is done, as a sentence.
        planter: Makes the faulty copy, or returns ``None`` where this fault cannot be made.
        near: Whether it is a near miss, which differs little from what is right.
    """

    kind: FaultKind
    name: str
    meaning: str
    planter: Planter
    near: bool = False

    @property
    def key(self) -> str:
        """Kind and name, e.g. ``wrong_step/neighbour``."""
        return f"{self.kind}/{self.name}"


def shows(page: ObservedPage, text: str) -> bool:
    """Return whether a page shows a text: in its lines, in alternative texts, or as the name of an element."""
    wanted = fold_blanks(text)
    return any(wanted in fold_blanks(shown) for shown in (page.text, *(element.name for element in page.elements)))


Attempt = Callable[[str, Citation, Mapping[int, ObservedPage]], Planted | None]
"""Plants a fault in one citation, given its place and the pages by browse step; ``None`` where it cannot."""


def in_some_citation(case: Case, rng: KeyedRandom, attempt: Attempt) -> Planted | None:
    """Plant a fault in the first citation, in a drawn order, that takes it."""
    pages = case.trajectory.browse_steps()
    cited = list(case.citations().items())
    rng.shuffle(cited)
    tries = (attempt(place, citation, pages) for place, citation in cited if citation.step in pages)
    return next((planted for planted in tries if planted is not None), None)
