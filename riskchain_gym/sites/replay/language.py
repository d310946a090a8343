"""The language of a captured page, as far as the project tells languages apart."""

from __future__ import annotations

import re

from riskchain_gym.sites.replay.model import Lang

_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]{2,}")
_MANY = 20


def language_of(declared: str, text: str) -> Lang:
    """Return a page's language: what it declares, else what most of its words are in; ``mixed`` for any other.

    Args:
        declared: Its ``lang`` attribute, or ``""``.
        text: Its text.
    """
    tag = declared.strip().lower().replace("_", "-")
    if re.match(r"zh-(?:.*-)?(?:tw|hk|mo|hant)\b", tag):
        return "zh-TW"
    if re.match(r"zh\b", tag):
        return "zh-CN"
    if re.match(r"en\b", tag):
        return "en"
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    if han > latin:
        return "zh-CN"
    return "mixed" if tag or han > _MANY else "en"
