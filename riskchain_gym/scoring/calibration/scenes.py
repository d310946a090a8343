"""The scenes of ``data/scenes.yaml``: invented pages that were written to say what is asked about them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import TypeAdapter, model_validator

from riskchain_gym.protocol.codebook import AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.judge.bundle import Bundle, CitedItem, JudgedReport, Picture, View

SCENES = Path(__file__).parent / "data" / "scenes.yaml"
PICTURE = "p1"
"""Key of a picture without alternative text, on the second view of every scene."""

LANDING, PAGE = 0, 1
"""Browse steps of a scene's two views."""

_REASONS = {
    Decision.VIOLATION: "Claim and action of the type are both shown.",
    Decision.NON_VIOLATION: "The cited lines fit an ordinary service.",
    Decision.INSUFFICIENT_EVIDENCE: "What would decide cannot be seen.",
}


class SceneLine(Frozen):
    """A line of a scene and the anchor type that fits it."""

    text: str
    anchor: AnchorType


class Claim(SceneLine):
    """The line that observations are about: one that it bears out, one that it does not, one that nobody can tell."""

    seen: str
    wrong: str
    open: str


class Action(SceneLine):
    """The line with a number: the same with one digit changed, and a part of it."""

    digit: str
    part: str


class Scene(Frozen):
    """Two views, the lines of them that matter, and the decision that they call for; see the head of the file."""

    name: str
    language: Literal["zh-CN", "zh-TW", "en"]
    decision: Decision
    type: ViolationType
    title: str
    landing: tuple[str, ...]
    page: tuple[str, ...]
    claim: Claim
    twisted: str
    wrong_anchor: AnchorType
    action: Action
    other: SceneLine

    @model_validator(mode="after")
    def _lines_stand_on_their_views(self) -> Self:
        if not {self.claim.text, self.action.text} <= set(self.page) or self.other.text not in self.landing:
            raise ValueError("claim and action must be lines of page, other a line of landing")
        if self.action.part not in self.action.text or self.action.digit in self.page or self.twisted in self.page:
            raise ValueError("action.part must be a part of the action; action.digit and twisted must not be shown")
        return self

    def bundle(self, *citations: CitedItem, page_twice: bool = False) -> Bundle:
        """Return the bundle of a report with these citations.

        Args:
            citations: Evidence and counterevidence in order, each with its place.
            page_twice: Whether the second view was looked at once more.
        """
        insufficient = self.decision is Decision.INSUFFICIENT_EVIDENCE
        page = View(step=PAGE, state=1, title=self.title, lines=self.page, pictures=(Picture(key=PICTURE),))
        return Bundle(
            views=(
                View(step=LANDING, state=0, title=self.landing[0], lines=self.landing),
                page,
                *((page.model_copy(update={"step": PAGE + 1}),) if page_twice else ()),
            ),
            report=JudgedReport(
                environment_status=EnvironmentStatus.PARTIAL if insufficient else EnvironmentStatus.COMPLETE,
                decision=self.decision,
                primary_violation_type=self.type,
                citations=citations,
                risk_reason=_REASONS[self.decision],
                evidence_sufficiency="INSUFFICIENT" if insufficient else "SUFFICIENT",
            ),
        )


def load_scenes() -> tuple[Scene, ...]:
    """Return the scenes in the order of their file."""
    import yaml

    loaded = yaml.safe_load(SCENES.read_text(encoding="utf-8"))
    return TypeAdapter(tuple[Scene, ...]).validate_python(loaded)
