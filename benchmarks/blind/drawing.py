"""The draw: sites of a release in fixed shares, spread over types, languages, families and operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.benchmark.shares import largest_remainder
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.sites.compiled import CompiledSite

SPLITS = ("ood", "dev", "test")
"""Splits that are drawn from, the one with the fewest types first; ``hard`` has the sites of ``test``."""

DECISIONS = {Decision.VIOLATION: 45.0, Decision.NON_VIOLATION: 40.0, Decision.INSUFFICIENT_EVIDENCE: 15.0}
"""Shares of the decisions within each split, those of ``train``, ``dev`` and ``ood``."""

LANGUAGES = {"zh-CN": 3, "zh-TW": 1, "en": 1, "mixed": 1}
"""Shares of the languages over the whole draw, as far as the splits have them."""


@dataclass(frozen=True)
class Drawn:
    """A site that was drawn.

    Attributes:
        packet: What its packet is called.
        split: Name of its split.
        chain_id: Its chain.
        site: The site.
        gold: Its gold.
    """

    packet: str
    split: str
    chain_id: str
    site: CompiledSite
    gold: SiteGold


def draw(release: Path, count: int, seed: int, splits: Sequence[str] = SPLITS) -> list[Drawn]:
    """Return the sites drawn, in order of their packets; the order is a keyed shuffle that knows no label.

    Args:
        release: Folder of a built release.
        count: How many sites.
        seed: Seed of the draw; the same one gives the same sites in the same order.
        splits: Splits to draw from, as many sites of each, as far as that goes.

    Raises:
        ConfigError: The splits have too few sites for their shares, or the count is too small for them.
        InputFileError: A file of the release is missing or malformed.
        UnknownNameError: The release has no such split.
    """
    if count < len(DECISIONS) * len(splits):
        raise ConfigError(f"--sites {count}: every decision of every split takes {len(DECISIONS) * len(splits)} sites.")
    key = key_from_seed(seed)
    taken = _Taken()
    for split, sites in largest_remainder(count, dict.fromkeys(splits, 1.0)).items():
        taken.add_split(key, split, _candidates(release, split), sites)
    drawn = taken.drawn
    KeyedRandom(key, "blind reading", "packets").shuffle(drawn)
    width = max(2, len(str(count)))
    return [Drawn(f"{i:0{width}}", *each) for i, each in enumerate(drawn, 1)]


_Candidate = tuple[str, str, CompiledSite, SiteGold]


def _candidates(release: Path, split: str) -> list[_Candidate]:
    folder = f"{release / split}/"
    golds = load_gold(folder)
    return [(split, chain.chain_id, chain.compiled_site, golds[chain.chain_id].site) for chain in load_public(folder)]


class _Taken:
    """What has been drawn so far; the next one is of what there is least of."""

    def __init__(self) -> None:
        self.drawn: list[_Candidate] = []
        self._seen: Counter[tuple[str, str]] = Counter()

    def add_split(self, key: bytes, split: str, candidates: Sequence[_Candidate], count: int) -> None:
        shares = largest_remainder(count - len(DECISIONS), DECISIONS)
        pool = sorted(candidates, key=lambda each: each[1])
        KeyedRandom(key, "blind reading", split).shuffle(pool)
        for decision in DECISIONS:
            left = [each for each in pool if each[3].decision is decision]
            if len(left) < (wanted := shares[decision] + 1):
                raise ConfigError(
                    f"The split {split} has {len(left)} sites that are {decision} and the draw takes {wanted} of them: "
                    "draw fewer sites, or from a larger release."
                )
            for _ in range(wanted):
                chosen = min(left, key=self._had)  # the first of equals, in the keyed order
                left.remove(chosen)
                self._add(chosen)

    def _had(self, candidate: _Candidate) -> tuple[float, ...]:
        gold = candidate[3]
        seen = self._seen
        return (
            seen["host", gold.host_family],
            seen["type", gold.violation_type],
            seen["lang", gold.lang] / LANGUAGES[gold.lang],
            seen["family", gold.family],
            seen["archetype", gold.archetype],
        )

    def _add(self, candidate: _Candidate) -> None:
        gold = candidate[3]
        self.drawn.append(candidate)
        for attribute, value in (
            ("host", gold.host_family),
            ("type", gold.violation_type),
            ("lang", gold.lang),
            ("family", gold.family),
            ("archetype", gold.archetype),
        ):
            self._seen[attribute, value] += 1
