"""Takes stray symbols, spaces and line breaks out of running text."""

from __future__ import annotations

import re

from riskchain_gym.agents.restore.codes import CODE_BREAK

_STRAY = "[＊*～~^＾·•・‧∙⋅_＿￣`´¨｜|¦°◦▪●○★☆◇◆✦✧※]+"
_SYMBOL = re.compile(f"(?<![0-9A-Za-z]){_STRAY}|{_STRAY}(?![0-9A-Za-z])")
_SPACES = re.compile(r"[^\S\n]+")
_EAST = "\u2e80-\u2fdf\u3001-\u303f\u3400-\u9fff\uf900-\ufaff\uff01-\uff0f\uff1a-\uff1f“”‘’…—"
_GAP = re.compile(f"(?<=[{_EAST}]) +(?=[{_EAST}])|(?<=[{_EAST}]) +(?=\n)|(?<=\n) +(?=[{_EAST}])")
_CLOSING = re.compile(" +(?=[，。！？；：、）》」』”’…,.!?;:)])")


def drop_noise(text: str) -> str:
    """Return the text without noise symbols; those between ASCII letters or digits stay.

    Args:
        text: Running text.
    """
    return _SYMBOL.sub("", text)


def tidy_spaces(text: str, *, after_entry: bool, before_entry: bool) -> str:
    """Return a disguised text's passage with its canonical spacing.

    No space stays between Chinese characters or before a closing mark; one ASCII space stays before an entry that
    had white space before it, and likewise after it.

    Args:
        text: The passage.
        after_entry: Whether an entry stands directly before the passage.
        before_entry: Whether an entry stands directly after it.
    """
    text = _SPACES.sub(" ", text.replace(CODE_BREAK, ""))
    text = _CLOSING.sub("", _GAP.sub("", text))
    if not after_entry:
        text = text.lstrip()
    if not before_entry:
        text = text.rstrip()
    elif text != text.rstrip():
        text = text.rstrip() + " "
    return text
