"""The one table of tools: what a language model can call in each phase, and which action each call becomes.

Everything an adapter says of tools is made from :data:`TOOLS`: JSON schemas, typed methods, descriptions in prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from typing_extensions import TypedDict, is_typeddict

from riskchain_gym.envs.config import Kind
from riskchain_gym.envs.suggest import did_you_mean
from riskchain_gym.protocol.action import ActionKind, BrowserAction, Key
from riskchain_gym.protocol.codebook import AnchorType, Decision, EnvironmentStatus, Intent, ViolationType
from riskchain_gym.protocol.commit import MAX_CANDIDATES, Commit
from riskchain_gym.protocol.invalid import first_problem
from riskchain_gym.protocol.message import Platform
from riskchain_gym.protocol.model import Frozen, canonical_json
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Phase


class ToolCallError(Exception):
    """A call that becomes no action; a session makes it an observation and a strike.

    Its text is a sentence for whoever called.
    """


class PlainMessage(TypedDict):
    """The plain text of one message, by the id that the message was shown with."""

    message_id: str
    text: str


class EntryGuess(TypedDict):
    """A guess at the entry; the place in the list is its rank."""

    value: str
    confidence: NotRequired[Annotated[float, Field(ge=0, le=1)]]


class Cited(TypedDict):
    """One citation of what a page showed."""

    step: int
    quote: NotRequired[str]
    element_id: NotRequired[str]
    anchor_type: AnchorType
    observation: NotRequired[str]


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool.

    Attributes:
        name: Its name.
        type: Its Python type, which pydantic checks.
        description: What it is, for the model.
        required: Whether a call must give it.
    """

    name: str
    type: Any
    description: str
    required: bool = True

    @property
    def annotation(self) -> Any:
        """The type in the words that every trainer's reflection knows: objects of a list are plain dicts."""
        return _plain(self.type)


@dataclass(frozen=True)
class Tool:
    """One tool.

    Attributes:
        name: What the model calls it.
        phase: The phase that it belongs to.
        description: What it does, for the model.
        parameters: Its arguments.
        build: Makes the action of checked arguments; what was left out is missing from them.
    """

    name: str
    phase: Phase
    description: str
    parameters: tuple[Parameter, ...]
    build: Callable[[dict[str, Any]], Frozen]

    @cached_property
    def form(self) -> type[BaseModel]:
        """The arguments as a pydantic model that refuses unknown ones."""
        fields: dict[str, Any] = {each.name: (each.type, ... if each.required else None) for each in self.parameters}
        return create_model(self.name, __config__=ConfigDict(extra="forbid"), **fields)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments: one object, nothing referred to, nothing beside what it names."""
        whole = self.form.model_json_schema()
        inlined: dict[str, Any] = _inlined(whole.get("properties", {}), whole.get("$defs", {}))
        properties = {
            each.name: {
                **{k: v for k, v in inlined[each.name].items() if k != "default"},
                "description": each.description,
            }
            for each in self.parameters
        }
        required = [each.name for each in self.parameters if each.required]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    @property
    def function(self) -> dict[str, Any]:
        """The tool as chat APIs list it: ``{"type": "function", "function": {name, description, parameters}}``."""
        described = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": described}

    def action_text(self, arguments: Mapping[str, Any]) -> str:
        """Return the action that a call becomes, as the environment takes it.

        Args:
            arguments: The arguments by name, JSON values.

        Raises:
            ToolCallError: They do not fit.
        """
        for name in arguments:
            if name not in self.form.model_fields:
                near = did_you_mean(str(name), self.form.model_fields)
                known = ", ".join(self.form.model_fields) or "none"
                raise ToolCallError(f"{self.name} has no argument {str(name)[:60]!r}.{near} Its arguments: {known}.")
        # Models write null for what they leave out.
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            filled = self.form.model_validate(given)
            action = self.build(filled.model_dump(mode="json", exclude_unset=True))
        except ValidationError as error:
            field, problem = first_problem(error)
            raise ToolCallError(f"{self.name}: {field + ': ' if field else ''}{problem}.") from None
        return canonical_json(action.model_dump(mode="json", exclude_unset=True))


def _plain(hint: Any) -> Any:
    if is_typeddict(hint):
        return dict[str, Any]
    if get_origin(hint) is Annotated:
        return _plain(get_args(hint)[0])
    return list[_plain(get_args(hint)[0])] if get_origin(hint) is list else hint  # type: ignore[misc]


def _inlined(value: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a schema with each reference replaced by what it refers to, without titles."""
    if isinstance(value, list):
        return [_inlined(each, definitions) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        referred = definitions[str(value["$ref"]).rsplit("/", 1)[-1]]
        # The docstring of a type is for programmers.
        return _inlined({name: each for name, each in referred.items() if name != "description"}, definitions)
    return {
        name: _inlined(each, definitions)
        for name, each in value.items()
        if not (name == "title" and isinstance(each, str))
    }


def _commit(given: dict[str, Any]) -> Commit:
    guesses = [{"rank": rank, **guess} for rank, guess in enumerate(given.pop("entry_candidates", ()), start=1)]
    return Commit.model_validate({**given, "entry_candidates": guesses})


def _browse(kind: ActionKind) -> Callable[[dict[str, Any]], BrowserAction]:
    return lambda given: BrowserAction.model_validate({"action": kind, **given})


_ELEMENT = Parameter("element_id", str, "The id of an element of this page, such as e3.")
_CITED = (
    "Each has step (the number of the page), quote (one of its lines, word for word) or element_id, "
    "anchor_type (what kind of observation it is) and, if you like, observation (what it shows, in your own words)."
)


def _on_page(kind: ActionKind, description: str, *parameters: Parameter, targeted: bool = True) -> Tool:
    given = (_ELEMENT, *parameters) if targeted else parameters
    return Tool(kind.value, Phase.BROWSE, description, given, _browse(kind))


TOOLS: tuple[Tool, ...] = (
    Tool(
        "commit",
        Phase.RESTORE,
        "Freeze your restoration of the message. It cannot be changed, and only the first entry counts.",
        (
            Parameter(
                "reconstructed_messages",
                list[PlainMessage],
                "The plain text of each message: message_id as shown, and text.",
            ),
            Parameter("intent", Intent, "What the message asks its reader to do."),
            Parameter(
                "entry_candidates",
                Annotated[list[EntryGuess], Field(max_length=MAX_CANDIDATES)],
                "Where the message leads, best guess first: value is the host alone, without scheme or path, and "
                "confidence a number from 0 to 1. At most five; empty if the message names no place.",
            ),
            Parameter(
                "platform",
                Literal[(*(each.value for each in Platform), "unknown")],
                "The platform that the message names.",
                required=False,
            ),
            Parameter("abstain", bool, "True only if no entry can be read at all.", required=False),
            Parameter("uncertainties", list[str], "What you are not sure of, in short sentences.", required=False),
        ),
        _commit,
    ),
    _on_page(ActionKind.CLICK, "Click a link or a button."),
    _on_page(ActionKind.FILL, "Fill in a field. The sandbox chooses a fitting invented value; you do not."),
    _on_page(ActionKind.CHECK, "Tick a box. A ticked box stays ticked."),
    _on_page(
        ActionKind.SELECT,
        "Choose an option of a list.",
        Parameter("option", str, "Its label, word for word; without it the first that says something.", required=False),
    ),
    _on_page(ActionKind.SUBMIT, "Send a form."),
    _on_page(ActionKind.PRESS, "Focus an element and press a key.", Parameter("key", Key, "The key: Enter or Escape.")),
    _on_page(ActionKind.BACK, "Go back to the page before this one.", targeted=False),
    _on_page(ActionKind.RELOAD, "Load this page again.", targeted=False),
    _on_page(ActionKind.SCROLL_DOWN, "Scroll down by most of a screen.", targeted=False),
    _on_page(ActionKind.SCROLL_UP, "Scroll up by most of a screen.", targeted=False),
    _on_page(ActionKind.NOOP, "Let a step pass and look again.", targeted=False),
    Tool(
        ActionKind.STOP.value,
        Phase.BROWSE,
        "End the investigation and go on to the report.",
        (
            Parameter(
                "stop_status",
                Literal["COMPLETE", "ABSTAIN"],
                "COMPLETE if you saw what matters, ABSTAIN if you could not.",
            ),
        ),
        _browse(ActionKind.STOP),
    ),
    Tool(
        "report",
        Phase.REPORT,
        "File the report, which ends the case. It is checked: citations must quote what was shown at their step.",
        (
            Parameter("environment_status", EnvironmentStatus, "How much of the site could be looked at."),
            Parameter("evidence", list[Cited], f"The citations that the decision rests on, at least one. {_CITED}"),
            Parameter("risk_reason", str, "Why they add up to the decision, without any address."),
            Parameter("decision", Decision, "Whether the site violates the rules."),
            Parameter(
                "primary_violation_type",
                ViolationType,
                "The type of a VIOLATION; NONE goes with NON_VIOLATION, UNKNOWN with INSUFFICIENT_EVIDENCE.",
            ),
            Parameter(
                "evidence_sufficiency",
                Literal["SUFFICIENT", "INSUFFICIENT"],
                "INSUFFICIENT with INSUFFICIENT_EVIDENCE, else SUFFICIENT.",
            ),
            Parameter("confidence", int, "From 1, a guess, to 5, certain."),
            Parameter("counterevidence", list[Cited], f"Citations that speak against it. {_CITED}", required=False),
            Parameter(
                "secondary_violation_types", list[ViolationType], "Further types of a VIOLATION.", required=False
            ),
            Parameter("note", str, "The policy, for OTHER_PROHIBITED_ACTIVITY; else leave it out.", required=False),
        ),
        Report.model_validate,
    ),
)
"""Every tool, in the order of the chain."""

BY_NAME: dict[str, Tool] = {each.name: each for each in TOOLS}
"""The tools by name."""

_PHASES: dict[Kind, tuple[Phase, ...]] = {
    "chain": (Phase.RESTORE, Phase.BROWSE, Phase.REPORT),
    "restore": (Phase.RESTORE,),
    "browse": (Phase.BROWSE, Phase.REPORT),
}


def tools_of(kind: Kind) -> tuple[Tool, ...]:
    """Return the tools that an environment has a use for.

    Args:
        kind: The environment.
    """
    return tuple(each for each in TOOLS if each.phase in _PHASES[kind])
