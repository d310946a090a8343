"""Host families: the invented operators that the sites of a pool belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riskchain_gym.benchmark.allotment import Part, parts_of
from riskchain_gym.benchmark.families import OPERATOR, PoolFamily
from riskchain_gym.benchmark.pool_plan import PoolPlan
from riskchain_gym.benchmark.shares import dealt
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.spec import Lang

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

    Families are dealt out within each part, languages, themes and forms over the whole pool, so that each comes as
    often as its share says; none of it depends on a label.

    Args:
        plan: The plan.
        key: The pool's key.
        families: The families.
        content: The content folder.

    Raises:
        ConfigError: A bank has too few operator names for all to differ, all families are held out, or the splits need
            more sites than the pool has.
    """
    parts: list[str] = []
    sizes: list[int] = []
    chosen: list[PoolFamily] = []
    for part in parts_of(plan):
        own = _sizes(key, part)
        sizes += own
        parts += [part.name] * len(own)
        chosen += _families(key, part, len(own), families)
    langs = _languages(plan, key, chosen)
    forms = _presentations(key, chosen, sizes)
    themes = dealt(key, "themes", len(sizes), dict.fromkeys(content.themes(), 1.0))
    taken: set[str] = set()
    hosts: list[Host] = []
    rows = zip(parts, chosen, langs, forms, themes, sizes, strict=True)
    for number, (name, family, lang, form, theme, size) in enumerate(rows, start=1):
        label = _fresh_label(key, f"h{number}", family, lang, content, taken)
        hosts.append(Host(label, name, family, lang, form, theme, size))
    return hosts


def _sizes(key: bytes, part: Part) -> list[int]:
    rng = KeyedRandom(key, "host sizes", part.name)
    kinds = range(1, len(part.sizes) + 1)
    sizes: list[int] = []
    left = part.sites
    while left:
        sizes.append(min(left, rng.weighted(kinds, part.sizes)))
        left -= sizes[-1]
    return sizes


def _families(key: bytes, part: Part, count: int, families: Mapping[str, PoolFamily]) -> list[PoolFamily]:
    sides = dealt(key, f"held out {part.name}", count, {"core": 1 - part.held_out, "held-out": part.held_out})
    found: dict[str, list[PoolFamily]] = {}
    for side in ("core", "held-out"):
        names = [name for name, family in families.items() if family.held_out == (side == "held-out")]
        if not names:
            raise ConfigError("Every family is held out, train and dev have none left: name fewer in pool.toml.")
        # Shuffled first, so that the families that come once more than others differ from part to part.
        KeyedRandom(key, "families", part.name, side).shuffle(names)
        deck = [name for _ in range(sides.count(side)) for name in names][: sides.count(side)]
        KeyedRandom(key, "family deck", part.name, side).shuffle(deck)
        found[side] = [families[name] for name in deck]
    return [found[side].pop() for side in sides]


def _languages(plan: PoolPlan, key: bytes, chosen: Sequence[PoolFamily]) -> list[Lang]:
    """Deal languages among the hosts whose families have the same ones."""
    known = Counter(family.languages for family in chosen)
    decks = {
        languages: dealt(key, f"languages {' '.join(languages)}", count, {lang: plan.languages[lang] for lang in languages})
        for languages, count in sorted(known.items())
    }
    return [decks[family.languages].pop() for family in chosen]


def _presentations(key: bytes, chosen: Sequence[PoolFamily], sizes: Sequence[int]) -> list[str]:
    """Give each host a form that fits its family: the one that has fewest sites, both of all and of the family's."""
    overall: Counter[str] = Counter()
    within: Counter[tuple[str, str]] = Counter()
    forms = len({form for family in chosen for form in family.presentations})
    families = len({family.name for family in chosen})
    found: list[str] = []
    for number, (family, size) in enumerate(zip(chosen, sizes, strict=True)):
        fitting = list(family.presentations)
        KeyedRandom(key, "presentations", str(number)).shuffle(fitting)
        own, name = len(fitting) * families, family.name
        form = min(fitting, key=lambda form: overall[form] * forms + within[name, form] * own)
        overall[form] += size
        within[name, form] += size
        found.append(form)
    return found


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
