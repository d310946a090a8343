"""What a judge is shown of an episode: redacted views, a ledger of actions and the report; nothing else."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from riskchain_gym.protocol.action import ActionKind, ActionStatus
from riskchain_gym.protocol.codebook import AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.report import Region


class Control(Frozen):
    """An element that could be acted on, as its view showed it."""

    element_id: str
    role: str
    name: str
    disabled: bool = False


class Picture(Frozen):
    """A picture that may hold text: what is drawn in it is seen in the view's image, alt is its alternative text."""

    key: str
    alt: str = ""


class View(Frozen):
    """One browse observation.

    Attributes:
        step: Its number, which citations name; 0 is the landing view.
        state: Same for views that showed the same page state; opaque, an index and no hash or path.
        title: Title of the page.
        lines: Visible text in document order.
        controls: Elements that could be acted on.
        pictures: Pictures that may hold text.
    """

    step: int
    state: int
    title: str
    lines: tuple[str, ...]
    controls: tuple[Control, ...] = ()
    pictures: tuple[Picture, ...] = ()


class LedgerEntry(Frozen):
    """One browse action: what was done on which view, to what, and what came of it; never why."""

    step: int
    action: ActionKind
    element_id: str | None = None
    role: str = ""
    name: str = ""
    status: ActionStatus


class CitedItem(Frozen):
    """One citation of the report.

    Attributes:
        place: ``evidence.0``, ``counterevidence.2``.
        region_lines: What the cited region frames, in document order; ``None`` where no region is cited.
    """

    place: str
    step: int
    element_id: str | None = None
    region: Region | None = None
    region_lines: tuple[str, ...] | None = None
    anchor_type: AnchorType
    quote: str = ""
    observation: str = ""


class JudgedReport(Frozen):
    """The report without the reporter's confidence."""

    environment_status: EnvironmentStatus
    decision: Decision
    primary_violation_type: ViolationType
    secondary_violation_types: tuple[ViolationType, ...] = ()
    citations: tuple[CitedItem, ...]
    risk_reason: str
    evidence_sufficiency: str
    note: str = ""


class Bundle(Frozen):
    """Everything a judge is shown of one episode. No gold, model name, host, path, hash or hidden reasoning is in it.

    Attributes:
        views: The browse observations in order.
        ledger: The browse actions in order.
        ending: How browsing ended.
        report: The report.
        masked: How many spans redaction has masked.
        images: Redacted screenshot of views by browse step, PNG or WebP; not part of the JSON.
    """

    schema_version: Literal["riskchain-judge-bundle/v1"] = "riskchain-judge-bundle/v1"
    views: tuple[View, ...]
    ledger: tuple[LedgerEntry, ...] = ()
    ending: Literal["stopped", "step_budget", "time_budget", "strikes"] = "stopped"
    report: JudgedReport
    masked: int = 0
    images: dict[int, bytes] = Field(default_factory=dict, exclude=True, repr=False)

    def view(self, step: int) -> View | None:
        """Return the view of a browse step, or ``None`` if there is none."""
        return next((view for view in self.views if view.step == step), None)

    def citation(self, place: str) -> CitedItem | None:
        """Return a citation by its place, or ``None`` if there is none."""
        return next((cited for cited in self.report.citations if cited.place == place), None)
