"""The keyboard of a page."""

from __future__ import annotations

from typing import Any

from riskchain_gym.envs.browser.input_events import InputEvents
from riskchain_gym.protocol.action import Key

_CODES: dict[Key, int] = {"Enter": 13, "Escape": 27}
_TEXTS: dict[Key, str] = {"Enter": "\r", "Escape": ""}


class Keyboard:
    """Presses keys on whatever has the focus.

    Args:
        events: Where events are sent.
    """

    def __init__(self, events: InputEvents) -> None:
        self._events = events

    def press(self, key: Key) -> None:
        """Press a key and let it go."""
        self._events.send("Key", _event("keyDown", key, _TEXTS[key]), _event("keyUp", key, ""))


def _event(kind: str, key: Key, text: str) -> dict[str, Any]:
    typed = {"text": text, "unmodifiedText": text} if text else {}
    is_raw = kind == "keyDown" and not text
    return {
        "type": "rawKeyDown" if is_raw else kind,
        "key": key,
        "code": key,
        "windowsVirtualKeyCode": _CODES[key],
        **typed,
    }
