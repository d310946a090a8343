"""Dealing items to people: equal loads, and every two people on as many common items as every other two."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from math import comb

from riskchain_gym.protocol.keyed import KeyedRandom


def deal_teams(rng: KeyedRandom, names: Sequence[str], count: int, size: int) -> list[tuple[str, ...]]:
    """Return as many teams as asked for, in random order.

    All teams that there are come equally often. The rest is drawn by the construction of Havel and Hakimi for near
    regular graphs: with teams of two, no pair is there more than once more often than another; with larger ones pairs
    are balanced greedily.

    Args:
        rng: Draws what is left to chance.
        names: The people, at least ``size`` of them.
        count: How many teams.
        size: People in a team.

    Returns:
        Teams in which no two people differ by more than one in how often they are there.
    """
    whole, rest = divmod(count, comb(len(names), size))
    teams = [team for team in combinations(names, size) for _ in range(whole)] if whole else []
    teams += _rest(rng, names, rest, size)
    rng.shuffle(teams)
    return teams


def deal_evenly(rng: KeyedRandom, open_to: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Return one person for each item, loads as equal as who is open to what allows.

    Args:
        rng: Draws what is left to chance.
        open_to: The people that each item may go to, at least one.
    """
    dealt: dict[str, str] = {}
    loads = Counter({name: 0 for names in open_to.values() for name in sorted(names)})
    items = list(open_to)
    rng.shuffle(items)
    for item in items:
        least = min(loads[name] for name in open_to[item])
        dealt[item] = rng.choice(sorted(name for name in open_to[item] if loads[name] == least))
        loads[dealt[item]] += 1
    while _level(dealt, open_to, loads):
        pass
    return {item: dealt[item] for item in open_to}


def _rest(rng: KeyedRandom, names: Sequence[str], count: int, size: int) -> list[tuple[str, ...]]:
    share, more = divmod(count * size, len(names))
    extra = set(rng.sample(names, more))
    need = {name: share + (name in extra) for name in names}
    met, teams = Counter[frozenset[str]](), list[tuple[str, ...]]()
    leader = ""
    for left in range(count, 0, -1):
        if not need.get(leader, 0):
            leader = _first(rng, {name: (-need[name],) for name in names})
        # Who is wanted in every team that is left must be in this one.
        team = {leader, *(name for name in names if need[name] == left)}
        while len(team) < size:
            free = [name for name in names if need[name] and name not in team]
            ranks = {name: (sum(met[frozenset((name, other))] for other in team), -need[name]) for name in free}
            team.add(_first(rng, ranks))
        need.update({name: need[name] - 1 for name in team})
        met.update(map(frozenset, combinations(team, 2)))
        teams.append(tuple(name for name in names if name in team))
    return teams


def _first(rng: KeyedRandom, ranks: Mapping[str, tuple[int, ...]]) -> str:
    """Return one of those that rank first."""
    best = min(ranks.values())
    return rng.choice([name for name, rank in ranks.items() if rank == best])


def _level(dealt: dict[str, str], open_to: Mapping[str, Collection[str]], loads: Counter[str]) -> bool:
    """Pass one item on, from hand to hand, from somebody to somebody who has two fewer; return whether it was done."""
    for giver in sorted(loads, key=lambda name: (-loads[name], name)):
        came, waiting = {giver: ""}, deque([giver])
        while waiting:
            here = waiting.popleft()
            if loads[here] <= loads[giver] - 2:
                loads[giver] -= 1
                loads[here] += 1
                while here != giver:
                    item = came[here]
                    here, dealt[item] = dealt[item], here
                return True
            for item, name in dealt.items():
                if name == here:
                    for other in sorted(open_to[item]):
                        if other not in came:
                            came[other] = item
                            waiting.append(other)
    return False
