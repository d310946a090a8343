"""The mouse of a page."""

from __future__ import annotations

from typing import Any

from riskchain_gym.envs.browser.input_events import InputEvents


class Pointer:
    """Clicks, and leaves the page again.

    Args:
        events: Where events are sent.
    """

    def __init__(self, events: InputEvents) -> None:
        self._events = events
        self._is_inside = False

    def click(self, x: float, y: float) -> None:
        """Move to a point of the viewport, in CSS pixels, click there, and leave the page.

        Left there, the pointer would light up what comes to lie under it, at a moment of the browser's choosing.
        """
        events = (_event(kind, x, y) for kind in ("mouseMoved", "mousePressed", "mouseReleased"))
        self._events.send("Mouse", *events)
        self._is_inside = not self._events.send("Mouse", _LEAVING)

    def leave(self) -> None:
        """Leave the page, if the pointer is not known to have left it since the last click.

        A document that has just come hears it before its next frame; waiting for that would take as long as the frame.
        """
        if self._is_inside:
            self._is_inside = False
            self._events.post("Mouse", _LEAVING)


def _event(kind: str, x: float, y: float) -> dict[str, Any]:
    is_moved = kind == "mouseMoved"
    return {
        "type": kind,
        "x": x,
        "y": y,
        "button": "none" if is_moved else "left",
        "buttons": 1 if kind == "mousePressed" else 0,
        "clickCount": 0 if is_moved else 1,
    }


_LEAVING = _event("mouseMoved", -1, -1)
