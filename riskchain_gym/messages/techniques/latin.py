"""Techniques for wording in Latin script."""

from __future__ import annotations

from riskchain_gym.messages.stages.latin import DrawnOutLetters, DroppedVowels, LoosenedWords, ReplacedLetters
from riskchain_gym.messages.techniques.base import EN, Family, Phase, Reversibility, Technique

_LEET = {"a": "4@", "b": "8", "e": "3", "g": "9", "i": "1!", "l": "1", "o": "0", "s": "5$", "t": "7", "z": "2"}
_LEET |= {letter.upper(): signs for letter, signs in _LEET.items()}
_LEET_VOWELS = {letter: signs[0] for letter, signs in _LEET.items() if letter in "aeio"}

_HOMOGLYPHS = {
    "a": "аα",
    "c": "сϲ",
    "d": "ԁ",
    "e": "е",
    "g": "ɡ",
    "h": "һ",
    "i": "іι",
    "j": "ј",
    "k": "к",
    "n": "ո",
    "o": "оο",
    "p": "рρ",
    "q": "ԛ",
    "s": "ѕ",
    "u": "υ",
    "v": "ν",
    "w": "ԝ",
    "x": "х",
    "y": "у",
    "A": "АΑ",
    "B": "ВΒ",
    "C": "С",
    "E": "ЕΕ",
    "H": "НΗ",
    "I": "ІΙ",
    "M": "МΜ",
    "N": "Ν",
    "O": "ОΟ",
    "P": "РΡ",
    "S": "Ѕ",
    "T": "ТΤ",
    "W": "Ԝ",
    "Y": "ҮΥ",
}
"""Letters of other scripts that look like Latin ones (UTS 39)."""

_ZERO_WIDTH = "\u200b\u200c\u200d\u2060"

TECHNIQUES = (
    Technique(
        name="leet",
        summary="Letters replaced by digits and signs that look like them (c0nt4ct).",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.UTS39_SINGLE_SCRIPT",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: ReplacedLetters(
            _LEET_VOWELS if severity == 1 else _LEET, (0.3, 0.45, 0.9)[severity - 1], "leet"
        ),
        languages=EN,
    ),
    Technique(
        name="latin_homoglyphs",
        summary="Letters replaced by Cyrillic, Greek or Armenian ones that look the same.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.UTS39_MIXED_SCRIPT",),
        reversibility=Reversibility.EXACT,
        phase=Phase.WORDS,
        make=lambda severity: ReplacedLetters(_HOMOGLYPHS, (0.1, 0.3, 0.7)[severity - 1], "latin_homoglyphs"),
        languages=EN,
    ),
    Technique(
        name="vowel_drop",
        summary="Inner vowels left out of words (cntct).",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_DELETE",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: DroppedVowels((0.2, 0.5, 1.0)[severity - 1]),
        languages=EN,
        held_out=True,
    ),
    Technique(
        name="spaced_words",
        summary="The letters of words drawn apart by spaces.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.WHITESPACE_INTERLEAVING",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.NOISE,
        make=lambda severity: LoosenedWords(" ", (0.15, 0.4, 1.0)[severity - 1], "spaced_words"),
        languages=EN,
    ),
    Technique(
        name="zero_width_latin",
        summary="Characters without width between the letters of words.",
        family=Family.UNICODE_VISUAL,
        types=("UNICODE.ZERO_WIDTH_CONTROL",),
        reversibility=Reversibility.EXACT,
        phase=Phase.NOISE,
        make=lambda severity: LoosenedWords(_ZERO_WIDTH, (0.15, 0.4, 1.0)[severity - 1], "zero_width_latin"),
        languages=EN,
    ),
    Technique(
        name="repeated_letters",
        summary="Letters of words repeated (contaact).",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.CHARACTER_REPEAT",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.NOISE,
        make=lambda severity: DrawnOutLetters((0.2, 0.5, 1.0)[severity - 1], most=severity),
        languages=EN,
    ),
)
