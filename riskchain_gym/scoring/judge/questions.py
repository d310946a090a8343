"""What a judge is asked, and what it may answer: one claim about one citation or view, yes, no or cannot tell."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.judge.bundle import Bundle


class Dimension(StrEnum):
    """What a judge speaks about (the published four dimensions, protocol D.1)."""

    FAITHFULNESS = "faithfulness"
    SUFFICIENCY = "sufficiency"
    COMPLETENESS = "completeness"
    CONSISTENCY = "consistency"


class Answer(StrEnum):
    """What a judge may answer."""

    YES = "yes"
    NO = "no"
    CANNOT_TELL = "cannot_tell"


class ClaimKind(StrEnum):
    """The kinds of claims that are put to a judge; the dimension of each is fixed (:data:`DIMENSIONS`).

    Attributes:
        SHOWN: The cited view shows what is quoted, or has the element or region that is named.
        BORNE_OUT: The cited view shows what the citation observes in the reporter's own words.
        ANCHOR_FITS: What is cited is of the kind that the citation says.
        SHOWS_PART: The citation shows one of the parts that the codebook's rule asks of the reported type.
        LEFT_OUT: A view shows something that bears on the decision and that the report does not cite.
        UNTRIED: A view has a control that leads on to what may decide, and nobody followed it.
        SPEAKS_FOR: A citation speaks for the side that it is filed on: evidence for the decision, the rest against it.
        ADDS: A citation says something that no earlier one says.
        FOLLOWS: The reason given follows from the citations.
        STATUS_FITS: The environment status fits what was observed.
    """

    SHOWN = "shown"
    BORNE_OUT = "borne_out"
    ANCHOR_FITS = "anchor_fits"
    SHOWS_PART = "shows_part"
    LEFT_OUT = "left_out"
    UNTRIED = "untried"
    SPEAKS_FOR = "speaks_for"
    ADDS = "adds"
    FOLLOWS = "follows"
    STATUS_FITS = "status_fits"


DIMENSIONS: dict[ClaimKind, Dimension] = {
    ClaimKind.SHOWN: Dimension.FAITHFULNESS,
    ClaimKind.BORNE_OUT: Dimension.FAITHFULNESS,
    ClaimKind.ANCHOR_FITS: Dimension.FAITHFULNESS,
    ClaimKind.SHOWS_PART: Dimension.SUFFICIENCY,
    ClaimKind.LEFT_OUT: Dimension.COMPLETENESS,
    ClaimKind.UNTRIED: Dimension.COMPLETENESS,
    ClaimKind.SPEAKS_FOR: Dimension.CONSISTENCY,
    ClaimKind.ADDS: Dimension.CONSISTENCY,
    ClaimKind.FOLLOWS: Dimension.CONSISTENCY,
    ClaimKind.STATUS_FITS: Dimension.CONSISTENCY,
}
"""The dimension that each kind of claim counts towards."""

ADVERSE_IF_YES: frozenset[ClaimKind] = frozenset({ClaimKind.LEFT_OUT, ClaimKind.UNTRIED})
"""Claims of which ``yes`` speaks against the report; of all others ``no`` does."""


class Question(Frozen):
    """One claim about one citation or one view of a bundle.

    Attributes:
        key: Unique within the bundle and the same for the same bundle, e.g. ``shown.evidence.0``.
        kind: What kind of claim it is.
        claim: The claim as a sentence; what it takes from page or report is redacted.
        place: What it is about: a citation (``evidence.0``, ``counterevidence.2``), a view (``view.3``), or ``report``.
        step: The view to look at, by its browse step; ``None`` where the claim is about the report as a whole.
        group: Questions of one group are settled together: one answer that speaks for the report settles it. Empty for
            a question that stands for itself.
    """

    key: str
    kind: ClaimKind
    claim: str
    place: str
    step: int | None = None
    group: str = ""

    @property
    def dimension(self) -> Dimension:
        """The dimension it counts towards."""
        return DIMENSIONS[self.kind]

    @property
    def good(self) -> Answer:
        """The answer that speaks for the report."""
        return Answer.NO if self.kind in ADVERSE_IF_YES else Answer.YES


class Ruling(Frozen):
    """What a judge said to one question.

    Attributes:
        key: The question.
        answer: The answer, or ``None`` where the judge failed; a failure is never counted as an answer.
        why: One sentence of the judge.
        error: Why there is no answer, else ``""``.
        raw: The judge's reply as it came, ``""`` for a judge that computes.
    """

    key: str
    answer: Answer | None
    why: str = ""
    error: str = ""
    raw: str = ""


class Judge(Protocol):
    """Something that answers questions about bundles, one at a time, knowing nothing else of the case."""

    @property
    def name(self) -> str:
        """Name and version, e.g. ``rules/1``; rulings of different names are never mixed in one score."""

    def rule(self, bundle: Bundle, question: Question) -> Ruling:
        """Answer one question. What goes wrong with the judge itself is a ruling with an ``error``, never raised."""
