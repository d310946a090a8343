"""Placeholders: what a new member says until its author has written it, and how lint knows it again."""

from __future__ import annotations

SUMMARY = "One English sentence: what the site is and what decides it."
"""Summary of a member that is not written yet."""

_TO_WRITE = {"zh-CN": "这里写这一句", "en": "write this sentence"}
_TEXTS = {"zh-CN": "（{name}，{line}：{what}）", "en": "({name}, {line}: {what})"}


def placeholder(name: str, line: str, lang: str) -> str:
    """Return the text of a line that is not written yet.

    Args:
        name: Name of the archetype.
        line: Name of the line.
        lang: A language with files of its own.
    """
    return _TEXTS[lang].format(name=name, line=line, what=_TO_WRITE[lang])


def is_placeholder(text: str) -> bool:
    """Return whether a text is a line, or a summary, that is not written yet."""
    return text == SUMMARY or any(text.endswith((f"：{what}）", f": {what})")) for what in _TO_WRITE.values())
