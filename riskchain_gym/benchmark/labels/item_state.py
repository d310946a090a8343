"""How far the label of one item is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from riskchain_gym.benchmark.labels.answers import Answer
from riskchain_gym.benchmark.labels.events import Event

Status = Literal["open", "passed", "to_review", "to_adjudicate", "settled"]
"""``open``: no pass yet; ``passed``: some passes are missing, or differ and one can still be taken back; the others say
what is missing, if anything is."""

Provenance = Literal["human", "human+adjudicated"]


@dataclass(frozen=True)
class ItemState:
    """The answers about one item that stand; what was taken back is not among them.

    Attributes:
        item_id: The item.
        passes: The independent answers, by worker.
        repeats: Second answers of the same workers, by worker.
        review: The answer of the reviewer.
        adjudication: The answer of the coordinator.
        asked: How many passes the plan has of it.
        reviewed: Whether the plan has a review of it; answers of another tool may go without.
        firm: Whether no pass can be taken back by an annotator who goes on, see
            :func:`~riskchain_gym.benchmark.labels.state.states`.
    """

    item_id: str
    passes: Mapping[str, Event]
    repeats: Mapping[str, Event]
    review: Event | None
    adjudication: Event | None
    asked: int = 2
    reviewed: bool = True
    firm: bool = True

    @property
    def disagrees(self) -> bool:
        """Whether all passes are there and differ, in decision or main type (pairs: in the answer)."""
        return self._complete and len({answer.joint for answer in self._answers}) > 1

    @property
    def status(self) -> Status:
        """How far it is.

        An adjudication settles an item whatever becomes of the passes; a review counts only while passes disagree. It
        becomes due when they are firm: so no answer that can still be taken back is built on, and whether it can be
        does not tell an annotator that another pass differs. Imported reviews may stand beside passes of any kind.
        """
        if self.settled is not None:
            return "settled"
        if not self._complete or not (self.firm or self.review):
            return "passed" if self.passes else "open"
        return "to_review" if self.reviewed and self.review is None else "to_adjudicate"

    @property
    def settled(self) -> Answer | None:
        """The label: what the coordinator said, else the first pass where all agree; ``None`` while it is open."""
        if self.adjudication is not None:
            return self.adjudication.answer
        return self._answers[0] if self._complete and not self.disagrees else None

    @property
    def provenance(self) -> Provenance | None:
        """How the label came about, ``None`` while it is open."""
        if self.adjudication is not None:
            return "human+adjudicated"
        return None if self.settled is None else "human"

    @property
    def _complete(self) -> bool:
        return 0 < self.asked <= len(self.passes)

    @property
    def _answers(self) -> list[Answer]:
        return [event.answer for event in self.passes.values() if event.answer is not None]
