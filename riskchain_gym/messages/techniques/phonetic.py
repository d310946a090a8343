"""Techniques of sound: words by ear, in pinyin, in digits and letters, in dialect."""

from __future__ import annotations

from riskchain_gym.messages.stages.lexical import Replaced
from riskchain_gym.messages.stages.phonetic import Pinyin
from riskchain_gym.messages.techniques.base import ZH, Family, Phase, Reversibility, Technique

TECHNIQUES = (
    Technique(
        name="near_homophones",
        summary="Words written with characters that sound nearly the same: n for l, zh for z, ang for an, hu for fu.",
        family=Family.PHONETIC,
        types=("PHON.NEAR_HOMOPHONE",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: Replaced("near_homophones", (0.3, 0.6, 1.0)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="full_pinyin",
        summary="Words written in pinyin without tones (kefu).",
        family=Family.PHONETIC,
        types=("PHON.PINYIN_FULL",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: Pinyin("full_pinyin", (0.25, 0.55, 1.0)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="tone_digits",
        summary="Words written in pinyin with the digit of each tone (ke4fu2).",
        family=Family.PHONETIC,
        types=("PHON.PINYIN_FULL",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: Pinyin("tone_digits", (0.25, 0.55, 1.0)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="pinyin_initials",
        summary="Words written as the first letter of each syllable (kf).",
        family=Family.PHONETIC,
        types=("PHON.PINYIN_INITIALS",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: Pinyin("pinyin_initials", (0.2, 0.45, 0.8)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="sound_signs",
        summary="Characters written as digits or letters that sound like them (9 for 就, V for 位).",
        family=Family.PHONETIC,
        types=("PHON.ALNUM_PHONETIC",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: Replaced("signs", (0.25, 0.6, 1.0)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="dialect_oral",
        summary="Words put down as a dialect speaker would say them (啥子 for 什么).",
        family=Family.PHONETIC,
        types=("PHON.DIALECT_ORAL",),
        reversibility=Reversibility.SEMANTIC,
        phase=Phase.WORDS,
        make=lambda severity: Replaced("oral", (0.25, 0.6, 1.0)[severity - 1]),
        languages=ZH,
        held_out=True,
    ),
)
