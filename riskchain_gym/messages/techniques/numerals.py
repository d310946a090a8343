"""Digits of an address in other numerals; its letters stay as they are."""

from __future__ import annotations

from riskchain_gym.messages.techniques.alphabets import rewrite_in
from riskchain_gym.messages.techniques.base import Family, Phase, Reversibility, Technique

_SHARES = (0.6, 0.8, 1.0)


TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="chinese_numerals",
        summary="Digits of the address as Chinese numerals, with Suzhou and enclosed ones at severity 3.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.VERBALIZED_URL",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("chinese_numerals", _SHARES, (1, 2, 4)),
    ),
    Technique(
        name="financial_numerals",
        summary="Digits of the address as the Chinese numerals of cheques (大写).",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.VERBALIZED_URL",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("financial_numerals", _SHARES, (1, 2, 3)),
    ),
    Technique(
        name="spoken_digits",
        summary="Digits of the address as they are said over the radio (洞幺两), with sound-alikes at severity 3.",
        family=Family.ENTRY_ENCODING,
        types=("PHON.ALNUM_PHONETIC", "ENTRY.VERBALIZED_URL"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("spoken_digits", _SHARES, (1, 2, 3)),
        held_out=True,
    ),
    Technique(
        name="other_digits",
        summary="Digits of the address as circled, keycap and Roman numerals and as the digits of other scripts.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.NFKC_COMPATIBILITY", "UNICODE.UTS39_MIXED_SCRIPT"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=rewrite_in("other_digits", _SHARES, (1, 3, 6)),
    ),
)
