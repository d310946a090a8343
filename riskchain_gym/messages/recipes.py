"""The recipe registry: a recipe is a row of stages; the six paper-style ones are registered here.

Their rates follow the counts observed on the published inputs (protocol A.4, 59 sessions); where those give no
number, the value is ours: the shares of words and characters replaced, and the stray spaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from riskchain_gym.messages.stages.base import Context, StageRule
from riskchain_gym.messages.stages.entry import Confusables, DotSurrogate, Keycap
from riskchain_gym.messages.stages.insertions import NOISE_SYMBOLS, Noise, Tokens
from riskchain_gym.messages.stages.layout import BreakAfterToken, FewLines, Vertical
from riskchain_gym.messages.stages.lexical import Characters, Homophones
from riskchain_gym.messages.trace import apply
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import Stage
from riskchain_gym.protocol.keyed import KeyedRandom


@dataclass(frozen=True)
class Recipe:
    """A way to disguise a message.

    Attributes:
        name: Unique name, e.g. ``primary``.
        variant: Key of the message variant it writes, e.g. ``v000``.
        description: What it does, one sentence.
        stages: Its stages in order; their names are unique.
    """

    name: str
    variant: str
    description: str
    stages: tuple[StageRule, ...]

    def write(self, text: str, context: Context, key: bytes, *label: str) -> tuple[str, tuple[Stage, ...]]:
        """Return the disguised text and the stages that made it (those without edits are left out).

        Args:
            text: The canonical text.
            context: Where its entry is, and what may be used.
            key: Key of the split.
            label: What the text is; every stage draws from a stream of its own under it.
        """
        written: list[Stage] = []
        for rule in self.stages:
            edits = rule(text, context, KeyedRandom(key, *label, self.name, rule.name))
            if edits:
                stage = Stage(name=rule.name, edits=edits)
                text = apply(text, stage)
                context = context.after(edits)
                written.append(stage)
        return text, tuple(written)


_REGISTRY: dict[str, Recipe] = {}


def register(recipe: Recipe) -> Recipe:
    """Add a recipe to the registry and return it.

    Raises:
        ConfigError: Its name or variant is taken, or two of its stages share a name.
    """
    stage_names = [rule.name for rule in recipe.stages]
    if len(set(stage_names)) != len(stage_names):
        raise ConfigError(f"Recipe '{recipe.name}' has two stages of one name ({', '.join(stage_names)}): rename one.")
    if any(recipe.name == r.name or recipe.variant == r.variant for r in _REGISTRY.values()):
        raise ConfigError(f"Recipe '{recipe.name}' ({recipe.variant}) is registered already: choose another name.")
    _REGISTRY[recipe.name] = recipe
    return recipe


def recipe_names() -> tuple[str, ...]:
    """Return the registered names in order of registration."""
    return tuple(_REGISTRY)


def get_recipes(names: Sequence[str]) -> tuple[Recipe, ...]:
    """Return the recipes of these names.

    Raises:
        ConfigError: A name is not registered.
    """
    for name in names:
        if name not in _REGISTRY:
            near = get_close_matches(name, _REGISTRY, n=3) or list(_REGISTRY)
            raise ConfigError(f"No recipe is named '{name}': did you mean {', '.join(near)}?")
    return tuple(_REGISTRY[name] for name in names)


PRIMARY = register(
    Recipe(
        name="primary",
        variant="v000",
        description="A bit of everything: words, characters, entry letters, first dot, noise, codes.",
        stages=(
            Homophones(0.6),
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
)

PHONETIC = register(
    Recipe(
        name="phonetic",
        variant="v001",
        description="Sound-alike words and one look-alike letter in the entry.",
        stages=(Homophones(0.95), Confusables({1: 1})),
    )
)

ENTRY_ENCODING = register(
    Recipe(
        name="entry_encoding",
        variant="v002",
        description="Two look-alike letters and a comma for the first dot; the wording stays plain.",
        stages=(Confusables({2: 1}), DotSurrogate({"，": 1})),
    )
)

LEXICAL_MIX = register(
    Recipe(
        name="lexical_mix",
        variant="v003",
        description="Words, look-alike and split characters, codes, breaks after codes.",
        stages=(
            Homophones(0.6),
            Characters("glyphs", {0: 4, 1: 5, 2: 1}),
            Characters("splits", {0: 3, 1: 4, 2: 3}),
            Confusables({1: 1}),
            Tokens({8: 1, 10: 58}),
            BreakAfterToken({0: 35, 1: 22, 2: 2}),
        ),
    )
)

FEW_LINE = register(
    Recipe(
        name="few_line",
        variant="v004",
        description="The entry over three lines, the first dot lost, codes.",
        stages=(
            Homophones(0.42),
            Confusables({1: 1}),
            FewLines(),
            DotSurrogate({"点": 19, "，": 19, "。": 12, "．": 9}),
            Tokens({12: 1}),
        ),
    )
)

VERTICAL = register(
    Recipe(
        name="vertical",
        variant="v005",
        description="The entry one character a line, the first dot a blank line, a keycap digit, codes.",
        stages=(
            Homophones(0.7),
            Characters("glyphs", {0: 8, 1: 2}),
            Characters("splits", {0: 6, 1: 3, 2: 1}),
            Confusables({2: 1}),
            Keycap(0.65),
            Vertical(),
            DotSurrogate({"。": 19, "．": 17, "点": 13, "，": 10}),
            Tokens({14: 1}),
        ),
    )
)

PAPER_RECIPES = ("primary", "phonetic", "entry_encoding", "lexical_mix", "few_line", "vertical")
"""The six recipes of the published benchmark, v000 to v005; v000 feeds the gate."""
