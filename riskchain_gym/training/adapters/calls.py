"""What a model wrote, read as a tool call or as an action."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MAX_READ = 60_000
"""Code points of a text that is looked through; what is longer goes to the environment as it is, which refuses it."""

_TAGGED = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_THOUGHT_ENDS = "</think>"
_NAMES = ("name", "tool")
_GIVEN = ("arguments", "parameters")


@dataclass(frozen=True)
class Call:
    """A tool call.

    Attributes:
        name: The tool's name as it was written.
        arguments: The arguments as they were written; anything but a mapping fits no tool.
    """

    name: str
    arguments: Any


def read_text(text: str) -> Call | str:
    """Return the tool call that a text holds, or the text that is meant as an action.

    What stands before ``</think>`` is left out. Of the rest the one JSON object counts: the only one inside
    ``<tool_call>`` tags, else the only one there is. ``{"name": …, "arguments": {…}}``, with ``tool`` and
    ``parameters`` as other words for the two, bare or as a chat API's ``function``, is a call; any other object is an
    action. A text with no object, or with several, comes back as it is: no environment takes it.

    Args:
        text: What the model wrote.
    """
    if len(text) > MAX_READ:
        return text
    rest = text.rsplit(_THOUGHT_ENDS, 1)[-1]
    tagged = _TAGGED.findall(rest)
    objects = list(_objects(tagged[0] if len(tagged) == 1 else rest))
    if len(objects) != 1:
        return text
    written, value = objects[0]
    return call_of(value) or written


def call_of(value: Mapping[str, Any]) -> Call | None:
    """Return the tool call that a JSON object is, or ``None`` if it is none.

    Args:
        value: A call as models write it, or as chat APIs hand it out, with its arguments as an object or as JSON text.
    """
    function = value.get("function")
    if isinstance(function, Mapping):
        value = function
    name = next((value[each] for each in _NAMES if each in value), None)
    given = [each for each in _GIVEN if each in value]
    if not isinstance(name, str) or len(given) > 1:
        return None
    arguments = value[given[0]] if given else {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            return Call(name, arguments)
    return Call(name, arguments)


def _objects(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the JSON objects of a text that stand in no other, each as it is written and as a value.

    One too deep for any action ends the search.
    """
    decoder = json.JSONDecoder()
    place = text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
        except RecursionError:
            return
        except ValueError:
            end = place + 1
        else:
            yield text[place:end], value
        place = text.find("{", end)
