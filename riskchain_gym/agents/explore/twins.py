"""Links of one name on one page: where those led that were followed says where the next one leads."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from riskchain_gym.agents.explore.targets import Key


class Twins(NamedTuple):
    """Where the followed ones of links of one name on a page led.

    Attributes:
        place: Where the first of them led.
        second: Which link the second of them is; infinite where only one was followed.
        other: Which link is the first of them that led elsewhere; infinite where none did.
    """

    place: str
    second: float = inf
    other: float = inf

    def lead_of(self, nth: int) -> str | None:
        """Return where the link of a number leads: where two or more before it led, if they led to one place."""
        return self.place if self.second < nth <= self.other else None


Group = tuple[str, str, str]


def group_of(path: str, key: Key) -> Group:
    """Return what twins have in common: page, role and name."""
    return path, key.role, key.name


def find_twins(reached: Mapping[tuple[str, Key], str]) -> dict[Group, Twins]:
    """Return what is known of every group of twins.

    Args:
        reached: Where following a control led, by path and key.
    """
    found: dict[Group, Twins] = {}
    for (path, key), place in sorted(reached.items(), key=lambda entry: entry[0][1].nth):
        group = group_of(path, key)
        first = found.get(group)
        if first is None:
            found[group] = Twins(place)
        else:
            other = key.nth if place != first.place else inf
            found[group] = Twins(first.place, min(first.second, key.nth), min(first.other, other))
    return found
