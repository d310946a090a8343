"""What happens to a label, one event a line, hash-chained in the log of whoever it is by; nothing is ever taken out."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from riskchain_gym.benchmark.labels.answers import PairAnswer, SiteAnswer
from riskchain_gym.benchmark.labels.plan import Layer, Name, TaskId
from riskchain_gym.protocol.model import Frozen, sha256_of


class VisitFile(NamedTuple):
    """The file of a person's browsing, as an answer names it.

    Attributes:
        name: Its name.
        sha256: SHA-256 of its bytes.
    """

    name: str
    sha256: str


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
        visit: Name of the file of the person's browsing, ``TASK_ID.N.json``; ``""`` for none.
        visit_sha256: SHA-256 of that file's bytes, ``""`` for none; imported and simulated answers have neither.
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
    task_id: TaskId
    item_id: str
    layer: Layer
    site_answer: SiteAnswer | None = None
    pair_answer: PairAnswer | None = None
    visit: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9-]{0,63}\.[0-9]{1,9}\.json)?$")] = ""
    visit_sha256: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    seconds: Annotated[float, Field(ge=0)] | None = None
    plan: str
    previous: str
    hash: str = ""

    @model_validator(mode="after")
    def _bound_to_its_visit(self) -> Self:
        if bool(self.visit) != bool(self.visit_sha256):
            raise ValueError("visit_sha256: a visit has the hash of its file, and without a visit there is none")
        return self

    @property
    def visit_file(self) -> VisitFile | None:
        """The file of the person's browsing; ``None`` where nobody browsed."""
        return VisitFile(self.visit, self.visit_sha256) if self.visit else None

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
