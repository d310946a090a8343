"""What an agent returns as an action, on its way to the environment: whatever it is, the environment sees the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from riskchain_gym.envs.recorder import ACTION_LIMIT, plain_text

MOST_CODE_POINTS = 1 << 24
"""Longest text that is told apart by its length; what is longer counts as that long."""

_NAME_LIMIT = 100


@dataclass(frozen=True)
class Said:
    """An action that is no text, or one that is longer than an environment reads.

    Attributes:
        text: The first of its code points, as many as an environment keeps.
        length: How many it has in all.
        type_name: Name of the type of what is no text, ``""`` of a text.
    """

    text: str = ""
    length: int = 0
    type_name: str = ""

    def stand_in(self) -> Any:
        """Return what an environment takes as it would take the action itself."""
        if self.type_name:
            return type(self.type_name, (), {})()
        return self.text + " " * (self.length - len(self.text))


def cut(action: Any) -> Any:
    """Return an action that is not longer than can be told apart."""
    text = plain_text(action)
    return text[:MOST_CODE_POINTS] if isinstance(text, str) else action


def as_data(action: Any) -> dict[str, str | int]:
    """Return an action as plain data."""
    text = plain_text(action)
    if not isinstance(text, str):
        name = str(type(action).__name__).replace("\0", "")[:_NAME_LIMIT] or "object"
        return {"type": name.encode("utf-8", "replace").decode()}
    # Not as it is: JSON would make one character of two halves of a surrogate pair.
    return {"text": text[:ACTION_LIMIT].encode("utf-8", "surrogatepass").decode("latin-1"), "length": len(text)}


def from_data(data: Any) -> str | Said:
    """Return the action that :func:`as_data` was given.

    Raises:
        ValueError: The data are not what it returns.
    """
    if not isinstance(data, dict):
        raise ValueError("that is no action")
    name, text, length = data.get("type"), data.get("text"), data.get("length")
    if isinstance(name, str) and 0 < len(name) <= _NAME_LIMIT and "\0" not in name:
        name.encode()
        return Said(type_name=name)
    if not isinstance(text, str) or type(length) is not int or not 0 <= length <= MOST_CODE_POINTS:
        raise ValueError("that is no action")
    head = text.encode("latin-1").decode("utf-8", "surrogatepass")
    if len(head) != min(length, ACTION_LIMIT):
        raise ValueError("that is no action")
    return head if length == len(head) else Said(head, length)
