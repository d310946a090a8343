"""Disjointness: what one pool teaches helps with no other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from riskchain_gym.messages.audit.folder import AuditedFolder, Pair
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.lexicon import TABLES
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.techniques.registry import SHIPPED
from riskchain_gym.messages.tokens import held_out_codes

_PAIRED = frozenset(name.removesuffix("s") for name in TABLES)
"""Rules of edits that draw from a table of word pairs; other rules follow a scheme and have no pairs."""

Thing = tuple[str, str]
"""A kind and a name."""

_TECHNIQUE = re.compile(r"([a-z][a-z0-9_]*)@[1-9]")


def check_disjoint(folder: AuditedFolder) -> Findings:
    """Pools share no skeleton and no word pair; what is held out for ``ood`` is in every row of it and in no training.

    A word pair is the same whichever table it was drawn from. Held out are codes and techniques.
    """
    found = Findings("skeletons, word pairs, codes and techniques")
    pools: dict[Thing, dict[str, str]] = defaultdict(dict)
    home = {split.name: split.pool for split in folder.splits}
    for pair in folder.pairs:
        for thing in _things(pair):
            pools[thing].setdefault(home[pair.split], pair.where)
    found.count = len(pools)
    codes = held_out_codes(folder.bank.profiles)
    unseen = {technique.name for technique in SHIPPED if technique.held_out}
    for (kind, name), places in pools.items():
        if kind in ("skeleton", "pair") and len(places) > 1:
            first, second, *_ = places
            found.add(places[second], f"{kind} {name} of pool '{second}' is in pool '{first}' too ({places[first]})")
        if (kind == "code" and name in codes) or (kind == "technique" and name in unseen):
            for pool in (Pool.TRAIN, Pool.DEV):
                if pool in places:
                    found.add(places[pool], f"{kind} {name!r} is held out, but in pool '{pool}'")
    for pair in folder.pairs:
        if home[pair.split] == Pool.OOD and not unseen & set(_TECHNIQUE.findall(pair.gold.recipe)):
            found.add(pair.where, f"recipe '{pair.gold.recipe}' has no technique that is held out")
    return found


def _things(pair: Pair) -> Iterator[Thing]:
    if pair.gold.skeleton:
        yield "skeleton", pair.gold.skeleton
    for technique in _TECHNIQUE.findall(pair.gold.recipe):
        yield "technique", technique
    for stages in pair.gold.trace.stages.values():
        for stage in stages:
            for edit in stage.edits:
                if edit.rule in _PAIRED:
                    yield "pair", f"{edit.before} → {edit.after}"
                elif edit.rule.startswith("token:"):
                    yield "code", edit.after
