"""Browser actions: the published vocabulary, plus ``back``, ``select``, ``press`` and ``noop`` (protocol C.3)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from riskchain_gym.protocol.model import Frozen


class ActionKind(StrEnum):
    """What the agent may do with the page."""

    CLICK = "click"
    FILL = "fill"
    CHECK = "check"
    SELECT = "select"
    SUBMIT = "submit"
    PRESS = "press"
    RELOAD = "reload"
    BACK = "back"
    SCROLL_DOWN = "scroll_down"
    SCROLL_UP = "scroll_up"
    NOOP = "noop"
    STOP = "stop"


TARGETED = frozenset(
    {
        ActionKind.CLICK,
        ActionKind.FILL,
        ActionKind.CHECK,
        ActionKind.SELECT,
        ActionKind.SUBMIT,
        ActionKind.PRESS,
    }
)
"""Actions that need an ``element_id``."""

Key = Literal["Enter", "Escape"]
"""A key that can be pressed."""

_INSTEAD = {
    " ": "click or check does what Space would",
    "Space": "click or check does what Space would",
    "PageDown": "scroll_down goes there",
    "PageUp": "scroll_up goes there",
    "Tab": "Tab is not needed, every action names its element",
}
_KEYS: tuple[Key, ...] = get_args(Key)

SCROLL_PIXELS = 700
"""How far one scroll action moves, in CSS pixels (protocol C.3)."""


class BrowserAction(Frozen):
    """One action on the page.

    Attributes:
        action: What to do.
        element_id: The target, an id of the inventory (the elements that the observation lists); only for click, fill,
            check, select, submit, press.
            The value typed by ``fill`` is a fixture chosen by the environment, never by the agent.
        option: The visible label to choose; only for ``select`` (default: the first non-empty one).
        key: Enter or Escape; only for ``press``.
        stop_status: COMPLETE or ABSTAIN; only for ``stop``.
        reason: Why, in the agent's words; kept in the trajectory, never scored.
        visual_observations: What the agent saw; kept in the trajectory, never scored.
    """

    action: ActionKind
    element_id: Annotated[str, Field(max_length=64)] | None = None
    option: Annotated[str, Field(max_length=240)] | None = None
    key: Key | None = None
    stop_status: Literal["COMPLETE", "ABSTAIN"] | None = None
    reason: Annotated[str, Field(max_length=2000)] = ""
    visual_observations: Annotated[tuple[Annotated[str, Field(max_length=500)], ...], Field(max_length=20)] = ()

    @field_validator("key", mode="before")
    @classmethod
    def _is_there(cls, key: object) -> object:
        if key is not None and key not in _KEYS:
            instead = _INSTEAD.get(str(key), "fill types values, and scroll_down and scroll_up scroll")
            raise ValueError(f"of all keys only Enter and Escape can be pressed; {instead}")
        return key

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.action in TARGETED and not self.element_id:
            raise ValueError(f"element_id: '{self.action}' needs the id of an element that the observation lists")
        if self.action not in TARGETED and self.element_id is not None:
            raise ValueError(f"element_id: '{self.action}' takes no element, leave it out")
        if self.option is not None and self.action is not ActionKind.SELECT:
            raise ValueError(f"option: only 'select' takes an option, not '{self.action}'")
        if (self.stop_status is not None) != (self.action is ActionKind.STOP):
            raise ValueError("stop_status: give COMPLETE or ABSTAIN with 'stop', and with no other action")
        if (self.key is not None) != (self.action is ActionKind.PRESS):
            raise ValueError("key: give Enter or Escape with 'press', and with no other action")
        return self

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Hashes of data written before there were keys to press stay what they are.
        dumped: dict[str, Any] = dump(self)
        return dumped if self.key is not None else {name: dumped[name] for name in dumped if name != "key"}


class ActionStatus(StrEnum):
    """What an action did."""

    EXECUTED = "executed"
    NO_STATE_CHANGE = "no_state_change"
    ERROR = "error"
    INVALID = "invalid"


class ActionErrorKind(StrEnum):
    """Why an action could not be carried out on the page.

    The first five are the published codes. The last one says nothing of action or page: browser or server failed, and
    the episode does not count.
    """

    ELEMENT_INTERCEPTED = "element_intercepted"
    ELEMENT_NOT_VISIBLE = "element_not_visible"
    ACTION_TIMEOUT = "action_timeout"
    ELEMENT_DETACHED = "element_detached"
    EXECUTION_ERROR = "execution_error"
    ELEMENT_DISABLED = "element_disabled"
    BLOCKED_NAVIGATION = "blocked_navigation"
    NO_HISTORY = "no_history"
    INFRASTRUCTURE = "infrastructure"


class ActionResult(Frozen):
    """The status of one action; ``error`` is set only with status ``error``."""

    status: ActionStatus
    error: ActionErrorKind | None = None
