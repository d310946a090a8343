"""Numbers in text: digits of any width, Chinese numerals, and what 万 or k make of them."""

from __future__ import annotations

import re
from functools import lru_cache

from riskchain_gym.scoring.redaction.patterns import narrow

_DIGITS = re.compile(r"\d{1,16}(?:,\d{3})*(?:\.\d{1,6})?")
_HAN = re.compile(r"[零〇一二两兩三四五六七八九十][零〇一二两兩三四五六七八九十百千万萬亿億]{0,15}")
_FIGURE = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_UNIT = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_TIMES = {**_UNIT, **_LARGE, "k": 1000}
_PLACE = re.compile(
    r"(?:\b(?:step|view|page|citation|evidence|item|no\.?)\s*|第\s*)[.#]?\d+|\d+\s*(?:步|条|條|处|處|页|頁|(?:lines?|pages?|views?|steps?|citations?)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)
def numbers_in(text: str) -> frozenset[float]:
    """Return every number that a text holds, in digits or in Chinese, with and without a following 万, 千 or k."""
    found = {_chinese(match.group()) for match in _HAN.finditer(text)}
    plain = narrow(text)
    for match in _DIGITS.finditer(plain):
        value = float(match.group().replace(",", ""))
        found.add(value)
        after = plain[match.end() : match.end() + 2].lstrip()[:1].lower()
        if after in _TIMES:
            found.add(round(value * _TIMES[after], 6))
    return frozenset(found)


def numbers_said(text: str) -> tuple[float, ...]:
    """Return the numbers in digits of an observation, those left out that only say where something stands."""
    plain = _PLACE.sub(" ", narrow(text))
    return tuple(dict.fromkeys(float(m.group().replace(",", "")) for m in _DIGITS.finditer(plain)))


def _chinese(numeral: str) -> float:
    """Return what a Chinese numeral counts (``两万`` 20000, ``三百六`` 306)."""
    total, section, figure, seen = 0, 0, 0, False
    for char in numeral:
        if char in _FIGURE:
            figure, seen = figure * 10 + _FIGURE[char] if seen else _FIGURE[char], True
        elif char in _UNIT:
            section, figure, seen = section + (figure if seen else 1) * _UNIT[char], 0, False
        else:
            total, section, figure, seen = (total + section + figure or 1) * _LARGE[char], 0, 0, False
    return float(total + section + figure)
