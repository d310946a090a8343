"""Recipes: rows of stages; the six published ones, and any that techniques at a severity make up.

The rates of the six follow the counts observed on the published inputs (protocol A.4, 59 sessions); where those give
no number, the value is ours: the shares of words and characters replaced, and the stray spaces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache
from typing import Literal

from riskchain_gym.messages.stages.base import Context, Inverse, StageRule
from riskchain_gym.messages.stages.entry import Confusables, DotSurrogate, Keycap
from riskchain_gym.messages.stages.insertions import NOISE_SYMBOLS, Noise, Tokens
from riskchain_gym.messages.stages.layout import BreakAfterToken, FewLines, Vertical
from riskchain_gym.messages.stages.lexical import Characters, Homophones
from riskchain_gym.messages.techniques.base import SEVERITIES, Phase, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.registry import get_technique, techniques
from riskchain_gym.messages.trace import apply
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import Stage
from riskchain_gym.protocol.keyed import KeyedRandom

CLEAN = "clean"
"""Name of the recipe that changes nothing."""

_STEP = re.compile(r"([a-z][a-z0-9_]*)@([0-9])")


@dataclass(frozen=True)
class Recipe:
    """A way to disguise a message.

    Attributes:
        name: Unique name: ``primary`` …, ``clean``, or its techniques with their severities, e.g.
            ``full_pinyin@2+zero_width@1``.
        description: What it does, one sentence.
        stages: Its stages in order.
        labels: Name of each stage in traces, unique: of the technique that it is; by default the stage's own.
        languages: Languages of wording it works on.
        severity: Its highest severity; ``None`` for a published recipe, which has none.
        ambiguous: Labels of its address codes that have several sources; without one, each address has one.
    """

    name: str
    description: str
    stages: tuple[StageRule, ...]
    labels: tuple[str, ...] = ()
    languages: frozenset[Literal["zh", "en"]] = frozenset({"zh"})
    severity: int | None = None
    ambiguous: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.labels:
            object.__setattr__(self, "labels", tuple(rule.name for rule in self.stages))

    @cached_property
    def inverses(self) -> tuple[Inverse | None, ...]:
        """Of each stage up to the last that rewrites addresses, the way back; ``None`` for one that does not.

        Empty when no technique of the recipe is an address code: then what addresses show has one source.
        """
        if not any(isinstance(rule, RewriteAddresses) for rule in self.stages):
            return ()
        ways = [rule.code if isinstance(rule, RewriteAddresses) else rule for rule in self.stages]
        backs = [way if isinstance(way, Inverse) else None for way in ways]
        while backs[-1] is None:
            backs.pop()
        return tuple(backs)

    def write(self, text: str, context: Context, key: bytes, *label: str) -> tuple[str, tuple[Stage, ...]]:
        """Return the disguised text and the stages that made it (those without edits are left out).

        Args:
            text: The canonical text.
            context: Where its addresses are, and what may be used.
            key: Key of the split.
            label: What the text is; every stage draws from a stream of its own under it.
        """
        written: list[Stage] = []
        for rule, name in zip(self.stages, self.labels, strict=True):
            edits = rule(text, context, KeyedRandom(key, *label, self.name, name))
            if edits:
                stage = Stage(name=name, edits=edits)
                text = apply(text, stage)
                context = context.after(edits)
                written.append(stage)
        return text, tuple(written)


_PRIMARY = Recipe(
    name="primary",
    description="A bit of everything: words, characters, entry letters, first dot, noise, codes.",
    stages=(
        Homophones(0.09),
        Characters("glyphs", {0: 8, 1: 2}),
        Characters("splits", {0: 7, 1: 3}),
        Confusables({1: 51, 2: 7, 3: 1}),
        DotSurrogate({"，": 1}, probability=43 / 59),
        Noise(NOISE_SYMBOLS, {0: 13, 1: 18, 2: 15, 3: 10, 4: 2, 5: 1}),
        Noise(" ", {0: 6, 1: 4, 2: 1, 3: 1}, name="space"),
        Tokens({7: 1, 8: 58}),
        BreakAfterToken({0: 51, 1: 8}),
    ),
)
_PHONETIC = Recipe(
    name="phonetic",
    description="Sound-alike words and one look-alike letter in the entry.",
    stages=(Homophones(0.064), Confusables({1: 1})),
)
_ENTRY_ENCODING = Recipe(
    name="entry_encoding",
    description="Two look-alike letters and a comma for the first dot; the wording stays plain.",
    stages=(Confusables({2: 1}), DotSurrogate({"，": 1})),
)
_LEXICAL_MIX = Recipe(
    name="lexical_mix",
    description="Words, look-alike and split characters, codes, breaks after codes.",
    stages=(
        Homophones(0.14),
        Characters("glyphs", {0: 4, 1: 5, 2: 1}),
        Characters("splits", {0: 3, 1: 4, 2: 3}),
        Confusables({1: 1}),
        Tokens({8: 1, 10: 58}),
        BreakAfterToken({0: 35, 1: 22, 2: 2}),
    ),
)
_FEW_LINE = Recipe(
    name="few_line",
    description="The entry over three lines, the first dot lost, codes.",
    stages=(
        Homophones(0.025),
        Confusables({1: 1}),
        FewLines(),
        DotSurrogate({"点": 19, "，": 19, "。": 12, "．": 9}),
        Tokens({12: 1}),
    ),
)
_VERTICAL = Recipe(
    name="vertical",
    description="The entry one character a line, the first dot a blank line, a keycap digit, codes.",
    stages=(
        Homophones(0.08),
        Characters("glyphs", {0: 8, 1: 2}),
        Characters("splits", {0: 6, 1: 3, 2: 1}),
        Confusables({2: 1}),
        Keycap(0.65),
        Vertical(),
        DotSurrogate({"。": 19, "．": 17, "点": 13, "，": 10}),
        Tokens({14: 1}),
    ),
)
_PUBLISHED = {r.name: r for r in (_PRIMARY, _PHONETIC, _ENTRY_ENCODING, _LEXICAL_MIX, _FEW_LINE, _VERTICAL)}

PAPER_RECIPES = tuple(_PUBLISHED)
"""The six recipes of the published benchmark, v000 to v005; v000 feeds the gate."""

_CLEAN = Recipe(name=CLEAN, description="Changes nothing.", stages=(), languages=frozenset({"zh", "en"}), severity=0)


@lru_cache(maxsize=1024)
def get_recipe(name: str) -> Recipe:
    """Return a recipe by name.

    Args:
        name: A published recipe, ``clean``, or techniques joined by ``+``, each with ``@`` and a severity from 0 to 3.
            The stages come in the order of their :class:`Phase`; of the address codes, those that need a whole plain
            address come first, then the ambiguous ones; otherwise they come in the order named.

    Raises:
        ConfigError: There is no such recipe, a technique comes twice, two need plain addresses, or there is no language
            that all work on.
    """
    if name in _PUBLISHED:
        return _PUBLISHED[name]
    if name == CLEAN:
        return _CLEAN
    steps = [_STEP.fullmatch(part) for part in name.split("+")]
    if any(step is None for step in steps):
        bare = [part for part in name.split("+") if part in {technique.name for technique in techniques()}]
        if bare:
            raise ConfigError(
                f"Recipe '{name}' gives '{bare[0]}' no severity: write '{bare[0]}@1' to '{bare[0]}@{SEVERITIES[-1]}'."
            )
        near = get_close_matches(name, [*_PUBLISHED, CLEAN, *(t.name for t in techniques())], n=3)
        raise ConfigError(
            f"No recipe is named '{name}'" + (f": did you mean {', '.join(near)}?" if near else ".") + " Give one of "
            f"{', '.join(_PUBLISHED)}, {CLEAN}, or techniques like 'homophones@2+zero_width@1'."
        )
    named = [(get_technique(step[1]), int(step[2])) for step in steps if step is not None]
    return _composed(name, named)


@cache
def _stage(technique: Technique, severity: int) -> StageRule:
    """Return a technique's stage, made once: the tables that it works out serve every recipe."""
    return technique.make(severity)


def _place(made: tuple[Technique, StageRule]) -> tuple[Phase, bool, bool]:
    """Return where a stage belongs: by phase; codes that lose something see the address while it is short."""
    technique, rule = made
    return technique.phase, not _needs_whole(rule), technique.reversibility is Reversibility.EXACT


def _needs_whole(rule: StageRule) -> bool:
    return isinstance(rule, RewriteAddresses) and rule.code.whole_only


def _composed(name: str, named: list[tuple[Technique, int]]) -> Recipe:
    names = [technique.name for technique, _ in named]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise ConfigError(f"Recipe '{name}' names '{twice[0]}' twice: name it once.")
    if wrong := [f"{t.name}@{s}" for t, s in named if s not in (0, *SEVERITIES)]:
        raise ConfigError(f"Recipe '{name}' asks for {wrong[0]}: severities go from 0 (clean) to {SEVERITIES[-1]}.")
    languages = frozenset.intersection(*(technique.languages for technique, _ in named))
    if not languages:
        raise ConfigError(f"Recipe '{name}' has no language that all its techniques work on: leave one out.")
    made = [(technique, _stage(technique, severity)) for technique, severity in named if severity]
    whole = [rule.name for _, rule in made if _needs_whole(rule)]
    if len(whole) > 1:
        raise ConfigError(
            f"Recipe '{name}': both '{whole[0]}' and '{whole[1]}' need plain addresses, and each rewrites them: "
            "leave one out."
        )
    made.sort(key=_place)
    return Recipe(
        name=name,
        description=" ".join(technique.summary for technique, _ in named),
        stages=tuple(rule for _, rule in made),
        labels=tuple(technique.name for technique, _ in made),
        languages=languages,
        severity=max(severity for _, severity in named),
        ambiguous=frozenset(
            technique.name
            for technique, rule in made
            if isinstance(rule, RewriteAddresses) and technique.reversibility is not Reversibility.EXACT
        ),
    )


def get_recipes(names: Sequence[str]) -> tuple[Recipe, ...]:
    """Return the recipes of these names (see :func:`get_recipe`).

    Raises:
        ConfigError: There is none, a name is no recipe, or one name is given where a list is wanted.
    """
    if isinstance(names, str) or not names:
        raise ConfigError(f"recipes: give a list of names such as ['primary'], got {names!r}.")
    return tuple(get_recipe(name) for name in names)
