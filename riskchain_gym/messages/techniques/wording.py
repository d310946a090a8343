"""Techniques of layout: Chinese wording out of order, drawn apart, doubled or with gaps."""

from __future__ import annotations

import string

from riskchain_gym.messages.stages.interleaving import (
    FilledPhrases,
    Interleaved,
    MissingCharacters,
    RepeatedCharacters,
)
from riskchain_gym.messages.stages.order import Columns, ReversedClauses, ReversedWords, SwappedCharacters
from riskchain_gym.messages.techniques.base import ZH, Family, Phase, Reversibility, Technique

_MARKS = "-_~*|=、·"
_SPACES = (" ", "\u3000 ", "\u3000 \u2002\u2009")
_LETTER_CUES = ("（去掉字母读）", "（字母不算）", "（只看汉字）")
_FILLERS = "的了呢哦嗯呀吧嘛"
_SKIP_CUES = ("（隔一个字读）", "（跳着读）", "（只读单数位的字）")
_PHRASES = ((1, 4), (2, 6), (4, 10))
"""How many phrases are filled, and their length at most, by severity."""

TECHNIQUES = (
    Technique(
        name="word_reversal",
        summary="Words with their characters from last to first (服客).",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_TRANSPOSE",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: ReversedWords((0.3, 0.6, 1.0)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="swapped_characters",
        summary="Neighbouring characters swapped, across words too.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_TRANSPOSE",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: SwappedCharacters((0.08, 0.25, 0.7)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="missing_characters",
        summary="A character left out of words.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_DELETE",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: MissingCharacters((0.15, 0.35, 0.65)[severity - 1]),
        languages=ZH,
        held_out=True,
    ),
    Technique(
        name="sentence_reversal",
        summary="Clauses written backwards, behind a cue that says so.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_TRANSPOSE",),
        reversibility=Reversibility.EXACT,
        phase=Phase.LINES,
        make=lambda severity: ReversedClauses((1, 2, 8)[severity - 1]),
        languages=ZH,
        held_out=True,
    ),
    Technique(
        name="columns_text",
        summary="The wording in columns from right to left; addresses stay whole on lines of their own.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.ACROSTIC_OR_GRID",),
        reversibility=Reversibility.EXACT,
        phase=Phase.LINES,
        make=lambda severity: Columns((1000, 8, 3)[severity - 1]),
        languages=ZH,
        held_out=True,
    ),
    Technique(
        name="letters_between",
        summary="A letter after every character of a phrase, behind a cue that says so.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.TOKEN_INTERLEAVING",),
        reversibility=Reversibility.EXACT,
        phase=Phase.NOISE,
        make=lambda severity: FilledPhrases(
            string.ascii_lowercase, _LETTER_CUES, "letters_between", *_PHRASES[severity - 1]
        ),
        languages=ZH,
    ),
    Technique(
        name="skip_characters",
        summary="A strange character after every character of a phrase, behind a cue that says so.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.TOKEN_INTERLEAVING",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.NOISE,
        make=lambda severity: FilledPhrases(_FILLERS, _SKIP_CUES, "skip_characters", *_PHRASES[severity - 1]),
        languages=ZH,
        held_out=True,
    ),
    Technique(
        name="repeated_characters",
        summary="Characters written several times.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_REPEAT",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.NOISE,
        make=lambda severity: RepeatedCharacters((0.08, 0.2, 0.45)[severity - 1], most=severity),
        languages=ZH,
    ),
    Technique(
        name="punctuation_interleaving",
        summary="Punctuation between the characters of words.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.PUNCTUATION_INTERLEAVING",),
        reversibility=Reversibility.EXACT,
        phase=Phase.NOISE,
        make=lambda severity: Interleaved(
            _MARKS, (0.12, 0.4, 0.9)[severity - 1], "punctuation_interleaving", mixed=severity > 1
        ),
        languages=ZH,
    ),
    Technique(
        name="whitespace_interleaving",
        summary="Spaces of several widths between the characters of words.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.WHITESPACE_INTERLEAVING",),
        reversibility=Reversibility.EXACT,
        phase=Phase.NOISE,
        make=lambda severity: Interleaved(
            _SPACES[severity - 1], (0.12, 0.4, 0.9)[severity - 1], "whitespace_interleaving", mixed=severity > 1
        ),
        languages=ZH,
    ),
)
