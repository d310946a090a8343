"""What can be done on a page, move by move, in the order of its inventory."""

from __future__ import annotations

from typing import NamedTuple

from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.page import ObservedElement, ObservedPage

FREE = (ActionKind.BACK, ActionKind.RELOAD, ActionKind.STOP)
"""The moves that need no element, in the order of their rows. Scrolling shows nothing new where pages are text."""

_TARGETED = tuple(ActionKind(name) for name in ("click", "fill", "check", "select", "submit"))


class Move(NamedTuple):
    """One move on a page.

    Attributes:
        kind: What is done.
        element: What it is done to; ``None`` for those of :data:`FREE`.
        option: Which option is chosen, where one is.
    """

    kind: ActionKind
    element: ObservedElement | None = None
    option: str | None = None

    @property
    def name(self) -> tuple[str, str, str]:
        """What makes it the same move on another page: kind, name of the control and option."""
        return (self.kind, self.element.name if self.element else "", self.option or "")

    @property
    def here(self) -> tuple[str, str, str]:
        """What makes it the same move on this page: kind, id of the control and option."""
        return (self.kind, self.element.element_id if self.element else "", self.option or "")

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
            options = [option for option in element.options if option] if kind is ActionKind.SELECT else []
            found.extend([Move(kind, element, option) for option in options] or [Move(kind, element)])
    return tuple(found)


def _first_option(element: ObservedElement | None) -> str | None:
    return next(filter(None, element.options), None) if element is not None else None
