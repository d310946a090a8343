"""Dots of an address in words or other signs, and what is put between its characters."""

from __future__ import annotations

from collections.abc import Callable

from riskchain_gym.messages.techniques.base import ZH, Family, Phase, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.interleaving import Interleaving
from riskchain_gym.messages.techniques.substitution import Substitution

_WORDS = ("点", "小点", "句号", "丶", "（点）", "圆点", "點", "一点")
_SPELLED = (" dot ", "（dot）", " point ", " period ", "（.）", "｛dot｝")
_SIGNS = ("。", "·", "｡", "•", "‧", "∙", "․", "﹒", "⋅", "ꓸ")
_SPACES = (" ", "-", "_", "  ", " - ", "\u3000")
_SEPARATORS = ("*", "~", "+", "^", "=", "…", "※", "★", "♪", "**", "~~", "++")


def _dots(name: str, forms: tuple[str, ...], counts: tuple[int, int, int]) -> Callable[[int], RewriteAddresses]:
    """Return the stage of a severity, which may show so many forms of a dot."""

    def make(severity: int) -> RewriteAddresses:
        return RewriteAddresses(name, Substitution({".": forms[: counts[severity - 1]]}, (0.8, 0.9, 1.0)[severity - 1]))

    return make


def _between(
    name: str, marks: tuple[str, ...], counts: tuple[int, int, int], shares: tuple[float, float, float]
) -> Callable[[int], RewriteAddresses]:
    """Return the stage of a severity: how many kinds of mark, and the share of gaps that get one."""

    def make(severity: int) -> RewriteAddresses:
        return RewriteAddresses(name, Interleaving(marks[: counts[severity - 1]], shares[severity - 1]))

    return make


TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="dot_words",
        summary="Dots of the address as Chinese words (点, 小点, 句号).",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.DOT_DEFANG",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=_dots("dot_words", _WORDS, (1, 3, 8)),
        languages=ZH,
    ),
    Technique(
        name="dot_spelled",
        summary="Dots of the address as English words with spaces or brackets around them.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.DOT_DEFANG",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=_dots("dot_spelled", _SPELLED, (1, 2, 6)),
    ),
    Technique(
        name="dot_signs",
        summary="Dots of the address as other signs that look like a dot.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.UNICODE_SEPARATOR",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=_dots("dot_signs", _SIGNS, (1, 3, 10)),
    ),
    Technique(
        name="spaced_letters",
        summary="Spaces, hyphens and underscores between the characters of the address.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.CHARACTER_SPACING", "LAYOUT.WHITESPACE_INTERLEAVING"),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=_between("spaced_letters", _SPACES, (1, 3, 6), (0.5, 0.8, 1.0)),
    ),
    Technique(
        name="separators",
        summary="Signs that no address holds between its characters.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.PUNCTUATION_INTERLEAVING",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=_between("separators", _SEPARATORS, (1, 4, 12), (0.3, 0.6, 0.9)),
        held_out=True,
    ),
)
