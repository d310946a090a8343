"""The techniques of the published set, each alone and with a severity."""

from __future__ import annotations

from riskchain_gym.messages.stages.entry import Confusables, DotSurrogate, Keycap
from riskchain_gym.messages.stages.insertions import NOISE_SYMBOLS, Noise, Tokens
from riskchain_gym.messages.stages.layout import FewLines, Vertical
from riskchain_gym.messages.stages.lexical import Characters, Homophones
from riskchain_gym.messages.techniques.base import ZH, Family, Phase, Reversibility, Technique

TECHNIQUES = (
    Technique(
        name="homophones",
        summary="Words written with characters that sound the same but for the tone.",
        family=Family.PHONETIC,
        types=("PHON.SAME_TONE_HOMOPHONE", "PHON.TONE_VARIANT_HOMOPHONE"),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: Homophones((0.35, 0.65, 0.95)[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="look_alikes",
        summary="Characters replaced by others that look nearly the same.",
        family=Family.LEXICAL_GLYPH_ZH,
        types=("LEX.SIMILAR_HAN_GLYPH",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: Characters("glyphs", ({1: 1}, {2: 1, 3: 1}, {4: 1, 6: 1})[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="split_characters",
        summary="Characters written as their parts side by side (拆字).",
        family=Family.LEXICAL_GLYPH_ZH,
        types=("LEX.RADICAL_DECOMPOSITION",),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.WORDS,
        make=lambda severity: Characters("splits", ({1: 1}, {2: 1, 3: 1}, {4: 1, 6: 1})[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="greek_letters",
        summary="Entry letters a, k and w replaced by the Greek letters α, κ and ω.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.CONFUSABLE_HOST", "UNICODE.UTS39_MIXED_SCRIPT"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: Confusables(({1: 1}, {2: 1}, {4: 1})[severity - 1]),
    ),
    Technique(
        name="keycap_zero",
        summary="The first 0 of the entry shown as a keycap.",
        family=Family.ENTRY_ENCODING,
        types=("UNICODE.COMBINING_OVERLAY", "UNICODE.VARIATION_SELECTOR"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: Keycap((0.4, 0.7, 1.0)[severity - 1]),
    ),
    Technique(
        name="dot_surrogate",
        summary="A dot of the entry replaced by a comma, a full stop or 点.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.DOT_DEFANG", "ENTRY.UNICODE_SEPARATOR"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: DotSurrogate({"，": 1, "。": 1, "．": 1, "点": 1}, (0.5, 0.8, 1.0)[severity - 1]),
    ),
    Technique(
        name="noise_symbols",
        summary="Symbols that mean nothing between the characters, clear of the entry.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.PUNCTUATION_INTERLEAVING", "LAYOUT.WHITESPACE_INTERLEAVING"),
        reversibility=Reversibility.EXACT,
        phase=Phase.NOISE,
        make=lambda severity: Noise(NOISE_SYMBOLS, ({1: 1, 2: 1}, {3: 1, 4: 1}, {6: 1, 9: 1})[severity - 1]),
    ),
    Technique(
        name="few_lines",
        summary="The entry broken over three lines, the first dot lost in a line break.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.LINE_BREAK",),
        reversibility=Reversibility.EXACT,
        phase=Phase.LINES,
        make=lambda severity: FewLines(),  # noqa: ARG005 - there is one way to do it
    ),
    Technique(
        name="vertical",
        summary="The entry one character a line, the first dot a blank line.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.LINE_BREAK", "ENTRY.CHARACTER_SPACING"),
        reversibility=Reversibility.EXACT,
        phase=Phase.LINES,
        make=lambda severity: Vertical(),  # noqa: ARG005 - there is one way to do it
    ),
    Technique(
        name="platform_codes",
        summary="Emoji codes of the message's own platform anywhere, also inside words and the entry.",
        family=Family.PLATFORM_MULTIMODAL,
        types=("PLATFORM.CUSTOM_EMOJI_TOKEN", "LAYOUT.TOKEN_INTERLEAVING"),
        reversibility=Reversibility.EXACT,
        phase=Phase.CODES,
        make=lambda severity: Tokens(({4: 1}, {8: 1}, {14: 1})[severity - 1]),
    ),
)
