"""Techniques of shape: variant forms, and parts of parts."""

from __future__ import annotations

from riskchain_gym.messages.stages.lexical import NestedSplits, Replaced
from riskchain_gym.messages.techniques.base import ZH, Family, Phase, Reversibility, Technique


def _nested(severity: int) -> NestedSplits:
    if severity < 3:
        return NestedSplits((0.25, 0.5)[severity - 1], ("stacked_splits", "nested_splits"))
    return NestedSplits(1.0, ("nested_splits", "stacked_splits"))


TECHNIQUES = (
    Technique(
        name="traditional",
        summary="Characters in their traditional or another variant form.",
        family=Family.LEXICAL_GLYPH_ZH,
        types=("LEX.TRADITIONAL_SIMPLIFIED_VARIANT",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: Replaced("variants", (0.25, 0.6, 1.0)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="nested_splits",
        summary="Characters written as parts that stand one above the other (章 as 立早) or as parts of their parts.",
        family=Family.LEXICAL_GLYPH_ZH,
        types=("LEX.RADICAL_DECOMPOSITION",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=_nested,
        languages=ZH,
        held_out=True,
    ),
)
