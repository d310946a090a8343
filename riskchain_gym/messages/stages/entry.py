"""The entry's own characters: look-alike letters, the keycap digit and dot surrogates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import compress, product

from riskchain_gym.messages.stages.base import Context, Counts, draw, pick
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom

GREEK: Mapping[str, tuple[str, ...]] = {"a": ("α",), "k": ("κ",), "w": ("ω",)}
"""The look-alikes of the paper's set (protocol A.4); the last label is never touched."""

_MOST_PLACES = 8

KEYCAP = "0\ufe0f\u20e3"
"""The keycap form of the digit 0."""


@dataclass(frozen=True)
class Confusables:
    """Put look-alikes in the place of letters of the first two labels.

    Attributes:
        counts: How many letters are replaced.
        letters: Letter to its look-alikes.
    """

    counts: Counts
    letters: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: GREEK)
    name: str = "confusable"
    whole_only: bool = False

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a replaced letter."""
        edits: list[Edit] = []
        for address in context.addresses:
            last = text.rfind(".", address.start, address.end)
            places = [i for i in range(address.start, last if last >= 0 else address.end) if text[i] in self.letters]
            edits += (
                Edit(start=i, before=text[i], after=rng.choice(self.letters[text[i]]), rule=self.name)
                for i in pick(places, draw(self.counts, rng), rng)
            )
        return tuple(edits)

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return the shown address with any of its look-alikes read as the letters they stand for.

        Each leads to the same letter in the end, so all weigh the same.
        """
        plain = {form: letter for letter, forms in self.letters.items() for form in forms}
        places = [i for i, c in enumerate(shown) if c in plain]
        some = product((False, True), repeat=len(places)) if len(places) <= _MOST_PLACES else [(True,) * len(places)]
        sources: dict[str, float] = {}
        for chosen in some:
            characters = list(shown)
            for place in compress(places, chosen):
                characters[place] = plain[characters[place]]
            sources["".join(characters)] = 1.0
        return sources


@dataclass(frozen=True)
class Keycap:
    """Show the first 0 of an address's first label as a keycap, with a given probability."""

    probability: float
    name: str = "keycap"
    whole_only: bool = False

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return at most one edit an address."""
        edits: list[Edit] = []
        for address in context.addresses:
            dot = text.find(".", address.start, address.end)
            zero = text.find("0", address.start, dot if dot >= 0 else address.end)
            if zero >= 0 and rng.chance(self.probability):
                edits.append(Edit(start=zero, before="0", after=KEYCAP, rule=self.name))
        return tuple(edits)

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return the shown address itself, and with its keycap read as a plain digit."""
        dot = shown.find(".")
        label = shown[: dot if dot >= 0 else None]
        sources = {shown: 1.0 - self.probability if "0" in label.replace(KEYCAP, "") else 1.0}
        keycap = label.find(KEYCAP)
        if keycap >= 0 and "0" not in label[:keycap]:
            sources[shown[:keycap] + "0" + shown[keycap + len(KEYCAP) :]] = self.probability
        return sources


@dataclass(frozen=True)
class DotSurrogate:
    """Replace the first dot that an address still has.

    Attributes:
        surrogates: Surrogate, one character, to its weight.
        probability: Chance that the dot is replaced at all.
    """

    surrogates: Mapping[str, int]
    probability: float = 1.0
    name: str = "dot"
    whole_only: bool = False

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return at most one edit an address."""
        edits: list[Edit] = []
        for address in context.addresses:
            dot = text.find(".", address.start, address.end)
            if dot >= 0 and rng.chance(self.probability):
                after = rng.weighted(list(self.surrogates.keys()), list(self.surrogates.values()))
                edits.append(Edit(start=dot, before=".", after=after, rule=self.name))
        return tuple(edits)

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return the shown address itself, and with one surrogate that no dot comes before read as a dot."""
        dot = shown.find(".")
        sources = {shown: 1.0 if dot < 0 else 1.0 - self.probability}
        total = sum(self.surrogates.values())
        for place, character in enumerate(shown[: dot if dot >= 0 else None]):
            if character in self.surrogates:
                source = f"{shown[:place]}.{shown[place + 1 :]}"
                sources[source] = self.probability * self.surrogates[character] / total
        return sources
