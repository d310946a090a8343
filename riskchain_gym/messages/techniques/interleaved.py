"""Labels written into each other, one character of each in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from riskchain_gym.messages.entries import ENTRY_PATTERN
from riskchain_gym.messages.techniques.base import ZH, Family, Phase, Piece, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.cues import Cue
from riskchain_gym.protocol.keyed import KeyedRandom

_LONGEST = 9
_NUMBERS = "abc"


@dataclass(frozen=True)
class Interleaved:
    """Write the labels of an address into each other; a shorter label runs out first.

    Without their lengths the labels can be told apart by the letters of ``test`` alone, so that one text may have
    several sources. Whatever is no plain address, or has a label over nine characters, stays as it is.

    Attributes:
        labels: How many labels are interleaved: the first two, which leaves ``.test`` in its place, or all three.
        cue: What is said about it, with or without the lengths.
    """

    labels: int
    cue: Cue

    @property
    def whole_only(self) -> bool:
        """True: it needs three labels."""
        return True

    def write(self, address: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece."""
        if not _is_plain(address):
            return (Piece(address, address),)
        labels = address.split(".")
        numbers = dict(zip(_NUMBERS, map(len, labels[: self.labels]), strict=False))
        return (Piece(address, self._mixed(labels) + self.cue.draw(rng, **numbers)),)

    def preimages(self, shown: str) -> Mapping[str, float]:
        """Return the addresses that can be written so."""
        sources = {} if _is_plain(shown) else {shown: 1.0}
        if (found := self.cue.strip(shown)) is None:
            return sources
        body, chance, numbers = found
        rest = body[-len(".test") :] if self.labels == 2 else ""
        mixed = body.removesuffix(rest)
        for lengths in _lengths(len(mixed), numbers, self.labels):
            labels = _unmixed(mixed, lengths)
            source = ".".join(labels) + rest
            if _is_plain(source) and self._mixed(source.split(".")) == body:
                sources[source] = chance
        return sources

    def _mixed(self, labels: Sequence[str]) -> str:
        turns = zip_longest(*labels[: self.labels], fillvalue="")
        return ".".join(("".join(character for turn in turns for character in turn), *labels[self.labels :]))


def _is_plain(address: str) -> bool:
    return ENTRY_PATTERN.fullmatch(address) is not None and all(len(p) <= _LONGEST for p in address.split("."))


def _lengths(total: int, said: Mapping[str, int], labels: int) -> Iterator[tuple[int, ...]]:
    """Yield the lengths that labels of ``total`` characters can have: those that are said, or all."""
    if said:
        if sum(said.values()) == total:
            yield tuple(said[name] for name in _NUMBERS[:labels])
        return
    last = len("test")
    for first in range(1, _LONGEST + 1):
        if 1 <= total - last - first <= _LONGEST:
            yield (first, total - last - first, last)


def _unmixed(mixed: str, lengths: Sequence[int]) -> list[str]:
    labels = ["" for _ in lengths]
    at = 0
    for turn in range(max(lengths)):
        for i, length in enumerate(lengths):
            if turn < length:
                labels[i] += mixed[at : at + 1]
                at += 1
    return labels


_LEVELS = (
    Interleaved(2, Cue("interleaved_two")),
    Interleaved(3, Cue("interleaved_all")),
    Interleaved(3, Cue("interleaved_unsaid")),
)

TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="interleaved_labels",
        summary="Two labels of the entry, or all three, written into each other, with or without their lengths.",
        family=Family.ENTRY_ENCODING,
        types=(),
        reversibility=Reversibility.AMBIGUOUS,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("interleaved_labels", _LEVELS[severity - 1]),
        languages=ZH,
        held_out=True,
    ),
)
