"""What happens to a label, one event a line, hash-chained in the log of whoever it is by; nothing is ever taken out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from riskchain_gym.benchmark.labels.answers import PairAnswer, SiteAnswer
from riskchain_gym.benchmark.labels.plan import Layer, Name
from riskchain_gym.protocol.model import Frozen, sha256_of


class Event(Frozen):
    """One line of a log.

    Attributes:
        seq: Its place in its log, from 0.
        at: UTC time, ``2026-01-31T12:00:00Z``; for people, nothing follows from it.
        worker: Whose log it is.
        kind: ``answered``, or ``withdrawn``: the answer to the task is taken back, and stays in the log.
        task_id: The task.
        item_id: Its item.
        layer: Its layer.
        site_answer: The answer, where a site is labelled.
        pair_answer: The answer, where a pair is.
        visit: Name of the file of the person's browsing, ``""`` for none.
        seconds: How long the task was open and in use, ``None`` where nobody measured.
        plan: SHA-256 of the plan.
        previous: ``hash`` of the line before, ``plan`` for the first.
        hash: SHA-256 of all other fields.
    """

    schema_version: Literal["riskchain-label-event/v1"] = "riskchain-label-event/v1"
    seq: Annotated[int, Field(ge=0)]
    at: str
    worker: Name
    kind: Literal["answered", "withdrawn"]
    task_id: str
    item_id: str
    layer: Layer
    site_answer: SiteAnswer | None = None
    pair_answer: PairAnswer | None = None
    visit: str = ""
    seconds: Annotated[float, Field(ge=0)] | None = None
    plan: str
    previous: str
    hash: str = ""

    @property
    def answer(self) -> SiteAnswer | PairAnswer | None:
        """The answer, of whichever kind; ``None`` where one was withdrawn."""
        return self.site_answer or self.pair_answer

    def expected_hash(self) -> str:
        """Return the hash that the event must carry."""
        return sha256_of(self.model_dump(mode="json", exclude={"hash"}))

    def sealed(self) -> Event:
        """Return the event with its hash filled in."""
        return self.model_copy(update={"hash": self.expected_hash()})
