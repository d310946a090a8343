"""What can be done on a page, move by move, in the order of its inventory."""

from __future__ import annotations

from typing import NamedTuple

from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.page import Capabilities, ObservedElement, ObservedPage

FREE = (ActionKind.BACK, ActionKind.RELOAD, ActionKind.STOP)
"""The moves that need no element, in the order of their rows. Scrolling shows nothing new where pages are text."""

MoveKey = tuple[str, str, str]
"""What a move is known by."""

_SELECT = ActionKind.SELECT.value
_TARGETED = {name: ActionKind(name) for name in Capabilities.model_fields}


class Move(NamedTuple):
    """One move on a page.

    Attributes:
        kind: What is done.
        name: What makes it the same move on another page: kind, name of the control and option.
        here: What makes it the same move on this page: kind, id of the control and option.
        element: What it is done to; ``None`` for those of :data:`FREE`.
        option: Which option is chosen, where one is.
    """

    kind: ActionKind
    name: MoveKey
    here: MoveKey
    element: ObservedElement | None = None
    option: str | None = None

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


def free_move(kind: ActionKind) -> Move:
    """Return the move of one of :data:`FREE`."""
    return Move(kind, (kind.value, "", ""), (kind.value, "", ""))


def moves_of(page: ObservedPage) -> tuple[Move, ...]:
    """Return the moves of a page: one for each thing that an element takes, and for each option of a list.

    A list of options that are all empty is one move, which leaves the choice open.
    """
    found: list[Move] = []
    for element in page.elements:
        name, element_id = element.name, element.element_id
        for verb, able in element.capabilities.__dict__.items():
            if not able:
                continue
            kind = _TARGETED[verb]
            options = [option for option in element.options if option] if verb == _SELECT else []
            found += [Move(kind, (verb, name, each), (verb, element_id, each), element, each) for each in options]
            if not options:
                found.append(Move(kind, (verb, name, ""), (verb, element_id, ""), element))
    return tuple(found)


def _first_option(element: ObservedElement | None) -> str | None:
    return next(filter(None, element.options), None) if element is not None else None
