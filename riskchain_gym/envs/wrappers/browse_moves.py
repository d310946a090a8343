"""What can be done on a page, move by move, in the order of its inventory."""

from __future__ import annotations

from dataclasses import dataclass, field

from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.page import ObservedElement, ObservedPage

FREE = (ActionKind.BACK, ActionKind.RELOAD, ActionKind.STOP)
"""The moves that need no element, in the order of their rows. Scrolling shows nothing new where pages are text."""

MoveKey = tuple[str, str, str]
"""What a move is known by."""

_TARGETED = tuple(ActionKind(name) for name in ("click", "fill", "check", "select", "submit"))


@dataclass(frozen=True, slots=True)
class Move:
    """One move on a page.

    Attributes:
        kind: What is done.
        element: What it is done to; ``None`` for those of :data:`FREE`.
        option: Which option is chosen, where one is.
        name: What makes it the same move on another page: kind, name of the control and option.
        here: What makes it the same move on this page: kind, id of the control and option.
    """

    kind: ActionKind
    element: ObservedElement | None = None
    option: str | None = None
    name: MoveKey = field(init=False)
    here: MoveKey = field(init=False)

    def __post_init__(self) -> None:
        element, option = self.element, self.option or ""
        object.__setattr__(self, "name", (self.kind.value, element.name if element is not None else "", option))
        object.__setattr__(self, "here", (self.kind.value, element.element_id if element is not None else "", option))

    def text(self) -> str:
        """Return the action, as the text environments take it."""
        sent: dict[str, str] = {"action": self.kind}
        if self.element is not None:
            sent["element_id"] = self.element.element_id
        if self.option is not None:
            sent["option"] = self.option
        if self.kind is ActionKind.STOP:
            sent["stop_status"] = "COMPLETE"
        return canonical_json(sent)

    def means(self, action: BrowserAction) -> bool:
        """Say whether an action does the same.

        Args:
            action: The action. One that leaves the option open chooses the first that is not empty.
        """
        element_id = self.element.element_id if self.element else None
        if (action.action, action.element_id) != (self.kind, element_id):
            return False
        return action.option == self.option or (action.option is None and self.option == _first_option(self.element))


def moves_of(page: ObservedPage) -> tuple[Move, ...]:
    """Return the moves of a page: one for each thing that an element takes, and for each option of a list.

    A list of options that are all empty is one move, which leaves the choice open.
    """
    found: list[Move] = []
    for element in page.elements:
        able = element.capabilities
        for kind in _TARGETED:
            if not getattr(able, kind):
                continue
            if kind is ActionKind.SELECT and any(element.options):
                found.extend(Move(kind, element, option) for option in element.options if option)
            else:
                found.append(Move(kind, element))
    return tuple(found)


def _first_option(element: ObservedElement | None) -> str | None:
    return next(filter(None, element.options), None) if element is not None else None
