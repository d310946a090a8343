"""Addresses that can be read in several ways: a reader who knows the technique ranks them."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping

from riskchain_gym.messages.techniques.base import (
    AddressCode,
    Family,
    Phase,
    Reversibility,
    RewriteAddresses,
    Technique,
)
from riskchain_gym.messages.techniques.slips import KeySlips, LostCharacters, LostDots, Swaps
from riskchain_gym.messages.techniques.substitution import Substitution

_ZERO_FORMS: Mapping[str, tuple[str, ...]] = {"0": ("o", "O"), "o": ("0", "O")}
_ZERO = (
    Substitution({"0": ("o",), "o": ("0",)}, 0.4),
    Substitution(_ZERO_FORMS, 0.55),
    Substitution(_ZERO_FORMS, 0.7),
)
_ONE = (
    Substitution({"1": ("l",), "l": ("1",)}, 0.5),
    Substitution({"1": ("l", "I"), "l": ("1", "I"), "i": ("I", "1", "l")}, 0.6),
    Substitution({"1": ("l", "I", "i", "|"), "l": ("1", "I", "i", "|"), "i": ("1", "l", "I", "|")}, 0.8),
)
_PAIRS: Mapping[str, tuple[str, ...]] = {"m": ("rn",), "rn": ("m",), "w": ("vv",), "vv": ("w",)}
_MORE_PAIRS: Mapping[str, tuple[str, ...]] = {**_PAIRS, "d": ("cl",), "cl": ("d",)}
_ALL_PAIRS: Mapping[str, tuple[str, ...]] = {
    **_MORE_PAIRS,
    "m": ("rn", "nn"),
    "nn": ("m",),
    "a": ("ci",),
    "ci": ("a",),
    "k": ("lc",),
    "lc": ("k",),
}
_JOINED = (Substitution(_PAIRS, 0.5), Substitution(_MORE_PAIRS, 0.7), Substitution(_ALL_PAIRS, 0.85))
_GROUPS = (("0o", "1li", "2z", "5s"), ("0o", "1li", "2z", "5s", "8b"), ("0o", "1li", "2z", "5s", "8b", "9gq", "uv"))
_DOUBLES = {character: (character * 2,) for character in string.ascii_lowercase + string.digits}
_LOST_DOTS = (LostDots("one"), LostDots("first"), LostDots("all"))
_LOST_CHARACTERS = (LostCharacters(gap="□"), LostCharacters(), LostCharacters(both=True))


def _doubles(severity: int) -> Substitution:
    return Substitution(_DOUBLES, (0.3, 0.45, 0.6)[severity - 1], last_label=False)


def _groups(severity: int) -> Substitution:
    forms = {c: tuple(group.replace(c, "")) for group in _GROUPS[severity - 1] for c in group}
    return Substitution(forms, (0.5, 0.55, 0.6)[severity - 1], last_label=False)


def _rewrite(name: str, code: Callable[[int], AddressCode]) -> Callable[[int], RewriteAddresses]:
    """Return the stage of a severity, given its code."""
    return lambda severity: RewriteAddresses(name, code(severity))


TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="zero_or_o",
        summary="0 and o of the address written for one another, from severity 2 also as O.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.UTS39_SINGLE_SCRIPT", "ENTRY.CONFUSABLE_HOST"),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=_rewrite("zero_or_o", lambda severity: _ZERO[severity - 1]),
    ),
    Technique(
        name="one_or_l",
        summary="1, l and i of the address written for one another, also as I and |.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.UTS39_SINGLE_SCRIPT", "ENTRY.CONFUSABLE_HOST"),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=_rewrite("one_or_l", lambda severity: _ONE[severity - 1]),
    ),
    Technique(
        name="rn_or_m",
        summary="Letters of the address and pairs that look like them (m and rn, w and vv) written for one another.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.UTS39_SINGLE_SCRIPT", "ENTRY.CONFUSABLE_HOST"),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=_rewrite("rn_or_m", lambda severity: _JOINED[severity - 1]),
    ),
    Technique(
        name="ascii_look_alikes",
        summary="Plain letters and digits of the address written for those that look like them (0 o, 1 l i, 5 s …).",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.UTS39_SINGLE_SCRIPT", "ENTRY.CONFUSABLE_HOST"),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=_rewrite("ascii_look_alikes", _groups),
    ),
    Technique(
        name="lost_dot",
        summary="A dot of the address left out: either one, from severity 2 the first, at severity 3 both.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_DELETE",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=_rewrite("lost_dot", lambda severity: _LOST_DOTS[severity - 1]),
    ),
    Technique(
        name="keyboard_neighbour",
        summary="Characters of the first label mistyped on a neighbouring key.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.KEYBOARD_NEIGHBOR",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=_rewrite("keyboard_neighbour", KeySlips),
        held_out=True,
    ),
    Technique(
        name="character_delete",
        summary="A character of the address left out; at severity 1 a box shows where.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_DELETE",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=_rewrite("character_delete", lambda severity: _LOST_CHARACTERS[severity - 1]),
    ),
    Technique(
        name="character_repeat",
        summary="Characters of the address doubled.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_REPEAT",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=_rewrite("character_repeat", _doubles),
    ),
    Technique(
        name="character_transpose",
        summary="Neighbouring characters of the address swapped.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_TRANSPOSE",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=_rewrite("character_transpose", lambda severity: Swaps((0.35, 0.5, 0.65)[severity - 1])),
    ),
)
