"""The sound of Chinese characters, beside them: disguises that are seen by eye are often read by ear."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")


def with_sounds(text: str) -> str:
    """Return a text with the reading of each Chinese character, tone marked, in brackets behind it.

    Of several readings it is the one that suits the characters around it.

    Args:
        text: Any text.
    """
    return _HAN.sub(lambda run: _sounded(run.group()), text)


def _sounded(run: str) -> str:
    pypinyin: Any = import_module("pypinyin")
    sounds: list[str] = pypinyin.lazy_pinyin(run, style=pypinyin.Style.TONE, errors=list)
    return "".join(char if char == sound else f"{char}({sound})" for char, sound in zip(run, sounds, strict=True))
