"""Fences around data in prompts: what is inside cannot close them, and cannot pass for an instruction."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_MARKS = re.compile(r"[<>]|\[(?=/?[a-z]?[A-Z_]{3,}\])")
"""Brackets of fences and of the marks of chat templates, such as ``<|im_end|>``, ``</s>`` or ``[INST]``, which servers
may take for their own wherever they stand; emoji codes of platforms, like ``[doge]`` or ``[V5]``, are none."""

_CODE_LENGTH = 16
_FENCED = re.compile(r"^<<<open (.+?) ([0-9a-f]+)>>>\n(.*?)\n<<<close \1 \2>>>$", re.DOTALL | re.MULTILINE)
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
"""Line ends that JSON leaves as they are in strings."""


def fenced(blocks: Mapping[str, Any]) -> dict[str, str]:
    """Return each block of data between an opening and a closing line.

    The lines carry a code that is the hash of all the data, so that no text can hold the code of the request that it is
    in. Data is JSON, whose strings hold no line breaks; runs of angle brackets in it are replaced by typographic ones.

    Args:
        blocks: Values that JSON can hold, by the name of their block.
    """
    texts = {name: neutral(_laid_out(value)) for name, value in blocks.items()}
    whole = json.dumps(texts, sort_keys=True).encode()
    code = hashlib.sha256(whole).hexdigest()[:_CODE_LENGTH]
    return {name: f"<<<open {name} {code}>>>\n{text}\n<<<close {name} {code}>>>" for name, text in texts.items()}


def blocks_in(text: str) -> dict[str, Any]:
    """Return the blocks of data in a prompt, by name: the values that :func:`fenced` was given."""
    return {name: json.loads(value) for name, _, value in _FENCED.findall(text)}


def _laid_out(value: Any, margin: str = "") -> str:
    """Return JSON with an item a line, and what holds no list on one line: half the tokens of the usual indentation."""
    inner = margin + " "
    if isinstance(value, list) and value:
        items = [inner + _laid_out(item, inner) for item in value]
        return "[\n" + ",\n".join(items) + f"\n{margin}]"
    if isinstance(value, dict) and any(isinstance(item, list | dict) and item for item in value.values()):
        items = [f"{inner}{json.dumps(name)}: {_laid_out(item, inner)}" for name, item in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{margin}}}"
    return json.dumps(value, ensure_ascii=False)


def neutral(text: str) -> str:
    """Return JSON on the same lines and of the same meaning, in which nothing opens or closes anything around it.

    Args:
        text: JSON, strings of which may hold anything.
    """
    text = text.encode("utf-8", "backslashreplace").decode("utf-8").translate(_LINE_ENDS)
    return _MARKS.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def within(name: str, values: Sequence[Any], characters: int) -> dict[str, Any]:
    """Return as many whole values from the start as fit, by their name, and how many are left out where some are.

    Args:
        name: What the list is called.
        values: Values that JSON can hold.
        characters: Code points that they may have as :func:`neutral` JSON.
    """
    kept: list[Any] = []
    for value in values:
        characters -= len(neutral(json.dumps(value, ensure_ascii=False)))
        if characters < 0:
            break
        kept.append(value)
    cut = len(values) - len(kept)
    return {name: kept, **({f"{name}_cut": f"{cut} of {len(values)} are left out"} if cut else {})}
