"""Scrolling: how a part of a page comes into view."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.action import ActionKind
from riskchain_gym.protocol.report import Region
from riskchain_gym.scoring.sight import in_view


class Scrolling:
    """The scrolls in a row on one page. It gives up where a scroll leads to a place that was in view before."""

    def __init__(self) -> None:
        self._been: set[float] = set()

    def rest(self) -> None:
        """Forget where it has been: something else is done now."""
        self._been = set()

    def towards(self, boxes: Sequence[Region], page: Sighting) -> ActionKind | None:
        """Return the scroll that brings the first box nearer which is not in view.

        Args:
            boxes: What is to come into view, in CSS pixels from the top left of the page.
            page: The page as it is shown now.

        Returns:
            ``scroll_down`` or ``scroll_up``; ``None`` if all is in view, if nothing is seen of pages, or if scrolling
            brings nothing new.
        """
        view = page.view
        box = next((box for box in boxes if view is not None and not in_view(box, view)), None)
        if box is None or view is None or view.y in self._been:
            return None
        self._been.add(view.y)
        is_below = box.y + box.height / 2 > view.y + view.height / 2
        return ActionKind.SCROLL_DOWN if is_below else ActionKind.SCROLL_UP
