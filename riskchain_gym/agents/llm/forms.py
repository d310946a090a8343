"""The forms that a model's answers have: the environment's actions by their own field names, without what it may omit.

A form checks the shape alone. Whether an answer of that shape is an action, the environment says, as it does for every
agent: with a sentence and a strike.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from riskchain_gym.protocol.action import ActionKind, Key
from riskchain_gym.protocol.codebook import AnchorType, Decision, EnvironmentStatus, Intent, ViolationType
from riskchain_gym.protocol.message import Platform
from riskchain_gym.protocol.model import Frozen, canonical_json
from riskchain_gym.protocol.trajectory import Phase

FORMS_VERSION = "agent-forms/1"
"""Version of the forms and of how they become actions; part of the cache's key and of an agent's identity."""

_SAYS_NOTHING = frozenset({"title", "description", "default"})


class Form(Frozen):
    """A form whose JSON schema asks for every field, as strict servers want it, though an answer may leave some out."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        shape = handler.resolve_ref_schema(handler(core))
        fields = {name: _without_words(field) for name, field in shape["properties"].items()}
        shape.pop("description", None)
        shape.update(properties=fields, required=list(fields), additionalProperties=False)
        return shape


class MessageText(Form):
    """The plain text of one message."""

    message_id: str
    text: str


class Candidate(Form):
    """A guess at the entry."""

    rank: int
    value: str
    confidence: float = 0.5


class RestoreAnswer(Form):
    """A restoration; see :class:`~riskchain_gym.protocol.commit.Commit`."""

    reconstructed_messages: tuple[MessageText, ...]
    intent: Intent
    platform: Platform | Literal["unknown"] = "unknown"
    entry_candidates: tuple[Candidate, ...]
    abstain: bool = False
    uncertainties: tuple[str, ...] = ()


class BrowseAnswer(Form):
    """One action; the reason comes first, so that it is not made up afterwards.

    See :class:`~riskchain_gym.protocol.action.BrowserAction`.
    """

    reason: str = ""
    action: ActionKind
    element_id: str | None = None
    option: str | None = None
    key: Key | None = None
    stop_status: Literal["COMPLETE", "ABSTAIN"] | None = None


class Cited(Form):
    """One citation."""

    step: int
    quote: str = ""
    element_id: str | None = None
    anchor_type: AnchorType
    observation: str = ""


class ReportAnswer(Form):
    """A report, evidence before the decision; see :class:`~riskchain_gym.protocol.report.Report`."""

    environment_status: EnvironmentStatus
    evidence: tuple[Cited, ...]
    counterevidence: tuple[Cited, ...] = ()
    risk_reason: str
    decision: Decision
    primary_violation_type: ViolationType
    secondary_violation_types: tuple[ViolationType, ...] = ()
    evidence_sufficiency: Literal["SUFFICIENT", "INSUFFICIENT"]
    confidence: int
    note: str = ""


FORMS: dict[Phase, type[Form]] = {
    Phase.RESTORE: RestoreAnswer,
    Phase.BROWSE: BrowseAnswer,
    Phase.REPORT: ReportAnswer,
}
"""The form of each phase's answer; its name is the name of the schema that the server is sent."""


def action_text(fields: Any) -> str:
    """Return the action that the fields of a filled-in form are, as canonical JSON; empty fields are left out."""
    return canonical_json(_said(fields))


def _said(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _said(each) for name, each in value.items() if each is not None}
    return [_said(each) for each in value] if isinstance(value, list) else value


def _without_words(field: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in field.items() if name not in _SAYS_NOTHING}
