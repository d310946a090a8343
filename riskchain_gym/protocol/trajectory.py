"""The trajectory: every action of an episode and what was seen after it, hash-chained."""

from __future__ import annotations

from enum import StrEnum
from json.encoder import encode_basestring as quoted
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from riskchain_gym.protocol.action import ActionResult
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.failures import EpisodeStatus, Failure
from riskchain_gym.protocol.model import Frozen, sha256_of, without_unsaid
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Report

GENESIS = "0" * 64
"""The hash before the first step."""


class Phase(StrEnum):
    """The phases in order; their index is the observation's ``phase``."""

    RESTORE = "restore"
    BROWSE = "browse"
    REPORT = "report"


class Step(Frozen):
    """One action the agent sent and what came of it.

    Attributes:
        index: Position in the trajectory, from 0.
        phase: Phase in which the action was sent.
        browse_step: Number of browse observations before this one, counted from 0 for the landing view; citations
            use it. ``None`` where the step yields no page (a strike, or outside browse).
        action: The action text as sent, at most 20,000 code points kept.
        result: What the environment made of it.
        feedback: The sentence the agent was shown.
        page: State hash of the page seen afterwards, a key of ``Trajectory.pages``, or ``None``.
        strikes: Strikes in a row after this action.
        scroll_y: Vertical scroll offset of the view afterwards, in CSS pixels; geometry, outside the hash.
        previous: ``hash`` of the step before, or :data:`GENESIS`.
        hash: SHA-256 of all the other fields but geometry.
    """

    index: int
    phase: Phase
    browse_step: int | None = None
    action: str
    result: ActionResult
    feedback: str
    page: str | None = None
    strikes: int = 0
    scroll_y: int = 0
    previous: str
    hash: str = ""

    def sealed(self) -> Step:
        """Return the step with its hash filled in."""
        return self.model_copy(update={"hash": self.expected_hash()})

    def expected_hash(self) -> str:
        """Return the hash this step must carry: that of its canonical JSON, written out because steps are many."""
        error, browse_step, page = self.result.error, self.browse_step, self.page
        return sha256_of(
            f'{{"action":{quoted(self.action)},"browse_step":{"null" if browse_step is None else browse_step},'
            f'"feedback":{quoted(self.feedback)},"index":{self.index},'
            f'"page":{"null" if page is None else quoted(page)},"phase":{quoted(self.phase)},'
            f'"previous":{quoted(self.previous)},'
            f'"result":{{"error":{"null" if error is None else quoted(error)},"status":{quoted(self.result.status)}}},'
            f'"strikes":{self.strikes}}}'
        )


class Trajectory(Frozen):
    """A whole episode, as stored in a run folder and read by scoring.

    Attributes:
        chain_id: Which chain was run.
        variant: Which message variant was shown (``v000`` feeds the gate).
        routing: ``reference``, ``committed`` or ``curriculum``, as drawn for this episode.
        modalities: What the agent was given of each page: ``text``, ``elements``, ``axtree``, ``dom``, ``screenshot``,
            ``screenshot_som``, ``browsergym``; and ``picture_alt`` where pictures had alternative texts. With the
            viewport it says what can have been seen; both are settings, outside the hash.
        viewport: Width and height of screenshots in CSS pixels, or ``None`` if it is not known.
        landing: State hash of the landing view (browse step 0), or ``None`` if it was never shown.
        commit: The frozen restoration, or ``None`` in a browse-only episode.
        steps: Everything the agent sent, in order.
        pages: Every distinct page state by its hash (geometry as first seen).
        report: The accepted report, or ``None``.
        revised_commit: The revision of the restoration that was sent after browsing, where the protocol allows one and
            one was sent; else ``None``, and left out of JSON.
        status: How the episode ended.
        failures: What went wrong on the way, in order.
        infra_cause: Cause of an ``infra_error``, else ``""``.
        egress: How often pages tried to reach anything outside of their site, by kind; nothing was reached. How many
            attempts a page had made when it was last looked at depends on timing, so it is outside the hash.
    """

    schema_version: Literal["riskchain-trajectory/v2"] = "riskchain-trajectory/v2"
    chain_id: str
    variant: str
    protocol: str
    routing: str = "reference"
    modalities: tuple[str, ...] = ("text", "elements")
    viewport: tuple[int, int] | None = None
    landing: str | None = None
    commit: Commit | None = None
    steps: tuple[Step, ...] = ()
    pages: dict[str, ObservedPage] = Field(default_factory=dict)
    report: Report | None = None
    revised_commit: Commit | None = None
    status: EpisodeStatus
    failures: tuple[Failure, ...] = ()
    infra_cause: str = ""
    egress: dict[str, int] = Field(default_factory=dict)

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return without_unsaid(dump(self), revised_commit=None)

    def page_at(self, browse_step: int) -> ObservedPage | None:
        """Return the page seen at a browse step (0 is the landing view), or ``None`` if there is none."""
        return self.browse_steps().get(browse_step)

    def browse_steps(self) -> dict[int, ObservedPage]:
        """Return every stored page by the browse step it was seen at, in order, scrolled as it was then."""
        views = {0: (self.landing, 0)}
        views |= {s.browse_step: (s.page, s.scroll_y) for s in self.steps if s.browse_step is not None}
        return {
            step: self.pages[key].scrolled(scroll_y) for step, (key, scroll_y) in views.items() if key in self.pages
        }

    def trajectory_hash(self) -> str:
        """Return the hash of the episode: chain, commit, its revision, landing view, last step, report and status."""
        revised = {"revised_commit": self.revised_commit.model_dump(mode="json")} if self.revised_commit else {}
        return sha256_of(
            {
                **revised,
                "chain_id": self.chain_id,
                "variant": self.variant,
                "protocol": self.protocol,
                "routing": self.routing,
                "commit": self.commit.model_dump(mode="json") if self.commit else None,
                "landing": self.landing,
                "last": self.steps[-1].hash if self.steps else GENESIS,
                "report": self.report.model_dump(mode="json") if self.report else None,
                "status": self.status,
            }
        )
