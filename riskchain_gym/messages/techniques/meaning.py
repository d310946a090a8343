"""Techniques of meaning: code words and pictures."""

from __future__ import annotations

from riskchain_gym.messages.stages.lexical import Replaced
from riskchain_gym.messages.techniques.base import ZH, Family, Phase, Reversibility, Technique

TECHNIQUES = (
    Technique(
        name="coded_slang",
        summary="Words replaced by code words of an invented slang (加水 for 充值).",
        family=Family.LEXICAL_GLYPH_ZH,
        types=("LEX.INTERNET_SLANG", "LEX.SEMANTIC_EUPHEMISM"),
        reversibility=Reversibility.SEMANTIC,
        phase=Phase.WORDS,
        make=lambda severity: Replaced("slang", (0.3, 0.65, 1.0)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="emoji_words",
        summary="Words replaced by emoji that picture them.",
        family=Family.PLATFORM_MULTIMODAL,
        types=("PLATFORM.UNICODE_EMOJI_SEMANTIC",),
        reversibility=Reversibility.SEMANTIC,
        phase=Phase.WORDS,
        make=lambda severity: Replaced("emoji", (0.3, 0.65, 1.0)[severity - 1]),
        languages=ZH,
        held_out=True,
    ),
)
