"""Values dealt out to a pool so that every part of it gets its share of each, whatever the key.

Two pools from different keys should be as hard as each other. Drawing every site on its own would leave that to luck;
here only the order is drawn, the numbers follow from the shares.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from riskchain_gym.protocol.keyed import KeyedRandom

T = TypeVar("T", bound=str)


@dataclass(frozen=True)
class Taker(Generic[T]):
    """Something that is given one value for all of its sites.

    Attributes:
        sites: Number of its sites.
        group: Group that the values should come evenly within.
        weights: Weight by value that it may be given, at least one of them above zero.
    """

    sites: int
    group: str
    weights: Mapping[T, float]


def balanced(key: bytes, purpose: str, takers: Sequence[Taker[T]]) -> list[T]:
    """Give each taker a value, so that each value gets its share of the sites, both of all and of each group.

    Takers of many sites choose first, in an order drawn from the key among those of as many, and each is given the
    value that is furthest behind its share of the sites given out so far.

    Args:
        key: The key of the pool.
        purpose: What is dealt out; another purpose gives another order.
        takers: Who is given a value.

    Raises:
        ValueError: A taker has no weight above zero.
    """
    order = list(range(len(takers)))
    KeyedRandom(key, "balanced", purpose, "order").shuffle(order)
    order.sort(key=lambda place: -takers[place].sites)
    rng = KeyedRandom(key, "balanced", purpose, "ties")
    given: dict[int, T] = {}
    behind: dict[T, float] = defaultdict(float)
    behind_within: dict[tuple[str, T], float] = defaultdict(float)
    for place in order:
        taker = takers[place]
        shares = _shares(taker.weights)
        for value, share in shares.items():
            behind[value] += taker.sites * share
            behind_within[taker.group, value] += taker.sites * share
        fitting = sorted(shares)
        rng.shuffle(fitting)
        chosen = max(fitting, key=lambda value: round(behind[value] + behind_within[taker.group, value], 9))
        behind[chosen] -= taker.sites
        behind_within[taker.group, chosen] -= taker.sites
        given[place] = chosen
    return [given[place] for place in range(len(takers))]


def _shares(weights: Mapping[T, float]) -> dict[T, float]:
    total = sum(weights.values())
    if total <= 0:
        raise ValueError(f"shares need a weight above zero, got {dict(weights)}")
    return {value: weight / total for value, weight in weights.items() if weight > 0}


def stratified(key: bytes, purpose: str, weights: Mapping[T, int], strata: Sequence[tuple[Hashable, ...]]) -> list[T]:
    """Return a value for each place, so that values come in proportion to weights in every stratum, to within one.

    Places are lined up stratum by stratum (by the first part of the stratum, within it by the second, and so on, each
    in an order drawn from the key), values are laid along that line as evenly as they go, and then shuffled within each
    stratum. Where the weights sum to the number of places, each value comes exactly as often as its weight says.

    Args:
        key: The key of the pool.
        purpose: What is dealt out; another purpose gives another order.
        weights: Weight by value.
        strata: The stratum of each place, from coarse to fine.

    Raises:
        ValueError: No weight is above zero.
    """
    ranks = {stratum: _rank(key, purpose, stratum) for stratum in dict.fromkeys(strata)}
    line = sorted(range(len(strata)), key=lambda place: (ranks[strata[place]], place))
    cards = _laid_out(key, purpose, len(strata), weights)
    dealt: list[tuple[int, T]] = []
    start = 0
    while start < len(line):
        end = start
        while end < len(line) and strata[line[end]] == strata[line[start]]:
            end += 1
        hand = cards[start:end]
        KeyedRandom(key, "stratified", purpose, "hand", str(start)).shuffle(hand)
        dealt += zip(line[start:end], hand, strict=True)
        start = end
    return [value for _, value in sorted(dealt, key=lambda pair: pair[0])]


def _rank(key: bytes, purpose: str, stratum: tuple[Hashable, ...]) -> tuple[int, ...]:
    names = list(map(str, stratum))
    drawn = (KeyedRandom(key, "stratified", purpose, "rank", *names[: depth + 1]) for depth in range(len(names)))
    return tuple(rng.below(1 << 64) for rng in drawn)


def _laid_out(key: bytes, purpose: str, count: int, weights: Mapping[T, int]) -> list[T]:
    """Lay values along a line: one drawn by weight, then at each place the one furthest behind its share so far."""
    names = sorted(_shares(weights))
    rng = KeyedRandom(key, "stratified", purpose, "line")
    rng.shuffle(names)
    whole = sum(weights[name] for name in names)
    line = [rng.weighted(names, [weights[name] for name in names])] if count else []
    had = Counter(line)
    while len(line) < count:
        place = len(line) + 1
        line.append(max(names, key=lambda name: place * weights[name] - had[name] * whole))
        had[line[-1]] += 1
    return line
