"""Host families: the invented operators that the sites of a pool belong to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from riskchain_gym.benchmark.allotment import Part, parts_of
from riskchain_gym.benchmark.dealing import Taker, balanced
from riskchain_gym.benchmark.families import OPERATOR, PoolFamily
from riskchain_gym.benchmark.pool_plan import PoolPlan
from riskchain_gym.benchmark.shares import dealt, largest_remainder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.spec import Lang

T = TypeVar("T", bound=str)

_REDRAWS = 400
"""How many names are drawn for an operator before its banks are called too small."""


@dataclass(frozen=True)
class Host:
    """A host family.

    Attributes:
        label: What its draws go under.
        part: Part of the pool it belongs to.
        family: The archetype family of all its sites.
        lang: Their language.
        presentation: Their presentation form.
        theme: Their visible theme.
        sites: Number of sites.
    """

    label: str
    part: str
    family: PoolFamily
    lang: Lang
    presentation: str
    theme: str
    sites: int


def plan_hosts(plan: PoolPlan, key: bytes, families: Mapping[str, PoolFamily], content: Library) -> list[Host]:
    """Return the host families of a pool, part by part: the same for the same arguments, everywhere.

    Within each part families get even numbers of sites, and languages, forms and themes their shares of the sites, both
    of all and of each family's; none of it depends on a label.

    Args:
        plan: The plan.
        key: The pool's key.
        families: The families.
        content: The content folder.

    Raises:
        ConfigError: A bank has too few operator names for all to differ, all families are held out, or the splits need
            more sites than the pool has.
    """
    fitted = Counter(form for family in families.values() for form in family.presentations)
    # Between an even share within each family (weights all one) and among all sites (one over the families it fits).
    rarity = {form: 1 / math.sqrt(count) for form, count in fitted.items()}
    taken: set[str] = set()
    hosts: list[Host] = []
    for part in parts_of(plan):
        sizes = _sizes(key, part)
        chosen = _families(key, part, sizes, families)
        kinds = list(zip(sizes, chosen, strict=True))
        langs = _balanced(
            key,
            f"languages {part.name}",
            kinds,
            lambda family: {lang: plan.languages[lang] for lang in family.languages},
        )
        forms = _balanced(
            key, f"forms {part.name}", kinds, lambda family: {form: rarity[form] for form in family.presentations}
        )
        themes = _balanced(key, f"themes {part.name}", kinds, lambda _: dict.fromkeys(content.themes(), 1))
        for size, family, lang, form, theme in zip(sizes, chosen, langs, forms, themes, strict=True):
            label = _fresh_label(key, f"h{len(hosts) + 1}", family, lang, content, taken)
            hosts.append(Host(label, part.name, family, lang, form, theme, size))
    return hosts


def _balanced(
    key: bytes,
    purpose: str,
    kinds: Sequence[tuple[int, PoolFamily]],
    weights_of: Callable[[PoolFamily], Mapping[T, float]],
) -> list[T]:
    return balanced(key, purpose, [Taker(size, family.name, weights_of(family)) for size, family in kinds])


def _sizes(key: bytes, part: Part) -> list[int]:
    """Deal the sizes of a part's host families, so that there are about as many of them whatever the key."""
    shares = {str(size): parts for size, parts in enumerate(part.sizes, start=1)}
    count, whole = 0, 0
    while whole < part.sites:
        count += 1
        whole = sum(int(size) * copies for size, copies in largest_remainder(count, shares).items())
    sizes: list[int] = []
    left = part.sites
    for size in dealt(key, f"host sizes {part.name}", count, shares):
        if left:
            sizes.append(min(left, int(size)))
            left -= sizes[-1]
    return sizes


def _families(key: bytes, part: Part, sizes: Sequence[int], families: Mapping[str, PoolFamily]) -> list[PoolFamily]:
    """Give each host a family, held out or not in the shares of the part, so that sites are even among both kinds."""
    core = [name for name, family in families.items() if not family.held_out]
    apart = [name for name, family in families.items() if family.held_out]
    if not core:
        raise ConfigError("Every family is held out, train and dev have none left: name fewer in pool.toml.")
    weights = {name: (1 - part.held_out) / len(core) for name in core}
    weights |= {name: part.held_out / len(apart) for name in apart}
    names = balanced(key, f"families {part.name}", [Taker(size, "", weights) for size in sizes])
    return [families[name] for name in names]


def _fresh_label(key: bytes, base: str, family: PoolFamily, lang: Lang, content: Library, taken: set[str]) -> str:
    for redraw in range(_REDRAWS):
        label = f"{base}/{redraw}" if redraw else base
        facts = Facts(key, ("host", label), content.banks(lang))
        facts.draw(family.host_facts[lang])
        operator = str(facts.values[OPERATOR])
        if operator not in taken:
            taken.add(operator)
            return label
    raise ConfigError(
        f"Family '{family.name}' ({lang}) has too few operator names for its hosts to differ: "
        f"{_REDRAWS} draws gave names that others have. Add to the banks its operator is drawn from."
    )
