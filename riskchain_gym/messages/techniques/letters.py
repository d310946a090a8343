"""Addresses in other letters: full-width, Cyrillic, mathematical, circled, accented, struck through and more."""

from __future__ import annotations

import string

from riskchain_gym.messages.techniques.alphabets import rewrite_in
from riskchain_gym.messages.techniques.base import Family, Phase, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.substitution import Substitution

_SHARES = (0.35, 0.7, 1.0)
_OVERLAYS = ("\u0336", "\u0332", "\u0338", "\u0305", "\u20dd", "\u0335", "\u0337", "\u0333", "\u20de", "\u20d2")
"""Strokes, lines and enclosing shapes, the likeliest first; none composes with a letter under NFC."""
_STACKS = ("\u0336\u0332", "\u0336\u0305", "\u0338\u0332", "\u0332\u0305", "\u0335\u0333")
"""Two marks at once, in canonical order."""
_OVERLAY_CLASSES = (_OVERLAYS[:1], _OVERLAYS[:5], _OVERLAYS + _STACKS)


def _overlay(severity: int) -> RewriteAddresses:
    marks = _OVERLAY_CLASSES[severity - 1]
    forms = {c: tuple(c + mark for mark in marks) for c in string.ascii_lowercase + string.digits}
    return RewriteAddresses("combining_overlay", Substitution(forms, _SHARES[severity - 1]))


TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="full_width",
        summary="Letters, digits and dots of the address in full width.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.FULLWIDTH_HALFWIDTH", "UNICODE.NFKC_COMPATIBILITY"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("full_width", _SHARES, (1, 1, 1)),
    ),
    Technique(
        name="cyrillic_letters",
        summary="Letters of the address replaced by Cyrillic ones that look like them; all of them at severity 3.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.UTS39_MIXED_SCRIPT", "UNICODE.UTS39_SINGLE_SCRIPT", "ENTRY.CONFUSABLE_HOST"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("cyrillic_letters", _SHARES, (1, 1, 1)),
    ),
    Technique(
        name="wide_confusables",
        summary="Letters of the address replaced by Greek, Cyrillic, Armenian and phonetic look-alikes.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.UTS39_MIXED_SCRIPT", "ENTRY.CONFUSABLE_HOST"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("wide_confusables", _SHARES, (2, 4, 9)),
    ),
    Technique(
        name="rare_scripts",
        summary="Letters of the address replaced by Lisu, Cherokee, Coptic and syllabic look-alikes.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.UTS39_MIXED_SCRIPT", "ENTRY.CONFUSABLE_HOST"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("rare_scripts", _SHARES, (1, 2, 9)),
        held_out=True,
    ),
    Technique(
        name="mathematical_letters",
        summary="Letters and digits of the address in mathematical bold, italic, fraktur and other styles.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.MATH_ALPHANUMERIC", "UNICODE.NFKC_COMPATIBILITY"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("mathematical_letters", _SHARES, (1, 4, 99)),
    ),
    Technique(
        name="circled_letters",
        summary="Letters and digits of the address in circles, squares and parentheses.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.NFKC_COMPATIBILITY",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("circled_letters", _SHARES, (1, 3, 9)),
        held_out=True,
    ),
    Technique(
        name="superscript_letters",
        summary="Letters and digits of the address as superscripts, small capitals and subscripts.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.NFKC_COMPATIBILITY",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("superscript_letters", _SHARES, (1, 2, 3)),
        held_out=True,
    ),
    Technique(
        name="combining_overlay",
        summary="Letters and digits of the address struck through, underlined or enclosed by combining marks.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.COMBINING_OVERLAY",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=_overlay,
        held_out=True,
    ),
    Technique(
        name="idn_letters",
        summary="Letters of the address with accents, as internationalised names have them.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.IDN_UNICODE",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("idn_letters", _SHARES, (1, 4, 9)),
    ),
)
