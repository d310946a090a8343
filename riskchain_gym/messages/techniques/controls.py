"""Invisible characters: zero-width ones, directional overrides and variation selectors."""

from __future__ import annotations

from riskchain_gym.messages.stages.insertions import Noise
from riskchain_gym.messages.techniques.base import Family, Phase, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.bidi import BidiOverride
from riskchain_gym.messages.techniques.interleaving import Interleaving

_ZERO_WIDTH = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad")
"""Zero-width space, non-joiner and joiner, word joiner, zero-width no-break space, soft hyphen."""

_SELECTORS = ("\ufe0e", *map(chr, range(0xFE00, 0xFE0E)), *map(chr, range(0xE0100, 0xE0120)))
"""The text selector, the others of the first block, some of the supplement; not U+FE0F, which keycaps hold."""

_OVERRIDES = (BidiOverride(1), BidiOverride(2), BidiOverride(2, whole=True))

TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="zero_width",
        summary="Zero-width characters between the characters of the address.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.ZERO_WIDTH_CONTROL",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses(
            "zero_width", Interleaving(_ZERO_WIDTH[: (1, 3, 6)[severity - 1]], (0.3, 0.6, 1.0)[severity - 1])
        ),
    ),
    Technique(
        name="zero_width_words",
        summary="Zero-width characters between the characters of the wording, clear of the addresses.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.ZERO_WIDTH_CONTROL",),
        reversibility=Reversibility.EXACT,
        phase=Phase.NOISE,
        make=lambda severity: Noise(
            "".join(_ZERO_WIDTH[: (1, 3, 6)[severity - 1]]),
            ({3: 1, 4: 1}, {8: 1, 10: 1}, {18: 1, 22: 1})[severity - 1],
            name="zero_width_words",
        ),
    ),
    Technique(
        name="bidi_controls",
        summary="Stretches of the address stored backwards in right-to-left overrides, so that they display right.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.BIDI_CONTROL",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("bidi_controls", _OVERRIDES[severity - 1]),
        held_out=True,
    ),
    Technique(
        name="variation_selectors",
        summary="Variation selectors after characters of the address.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.VARIATION_SELECTOR",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses(
            "variation_selectors", Interleaving(_SELECTORS[: (1, 15, 47)[severity - 1]], (0.3, 0.6, 1.0)[severity - 1])
        ),
    ),
)
