"""Host families: the invented operators that the sites of a pool belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riskchain_gym.benchmark.allotment import Part, parts_of
from riskchain_gym.benchmark.families import OPERATOR, PoolFamily
from riskchain_gym.benchmark.pool_plan import PoolPlan
from riskchain_gym.benchmark.shares import dealt, dealt_evenly, largest_remainder
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

    Families, languages and themes are dealt out within each part, forms given in turn, so that each comes as often as
    its share says; none of it depends on a label.

    Args:
        plan: The plan.
        key: The pool's key.
        families: The families.
        content: The content folder.

    Raises:
        ConfigError: A bank has too few operator names for all to differ, all families are held out, or the splits need
            more sites than the pool has.
    """
    drawn: list[tuple[str, PoolFamily, Lang, str, int]] = []
    for part in parts_of(plan):
        sizes = _sizes(key, part)
        chosen = _families(key, part, len(sizes), families)
        langs = _languages(plan, key, part, chosen)
        themes = dealt_evenly(key, f"themes {part.name}", len(sizes), content.themes())
        drawn += zip([part.name] * len(sizes), chosen, langs, themes, sizes, strict=True)
    forms = _presentations(key, [family for _, family, _, _, _ in drawn], [size for *_, size in drawn])
    taken: set[str] = set()
    hosts: list[Host] = []
    for number, ((name, family, lang, theme, size), form) in enumerate(zip(drawn, forms, strict=True), start=1):
        label = _fresh_label(key, f"h{number}", family, lang, content, taken)
        hosts.append(Host(label, name, family, lang, form, theme, size))
    return hosts


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


def _families(key: bytes, part: Part, count: int, families: Mapping[str, PoolFamily]) -> list[PoolFamily]:
    sides = dealt(key, f"held out {part.name}", count, {"core": 1 - part.held_out, "held-out": part.held_out})
    found: dict[str, list[PoolFamily]] = {}
    for side in ("core", "held-out"):
        names = [name for name, family in families.items() if family.held_out == (side == "held-out")]
        if not names:
            raise ConfigError("Every family is held out, train and dev have none left: name fewer in pool.toml.")
        deck = dealt_evenly(key, f"families {part.name} {side}", sides.count(side), names)
        found[side] = [families[name] for name in deck]
    return [found[side].pop() for side in sides]


def _languages(plan: PoolPlan, key: bytes, part: Part, chosen: Sequence[PoolFamily]) -> list[Lang]:
    """Deal languages among the hosts of a part whose families have the same ones."""
    decks = {}
    for known, count in sorted(Counter(family.languages for family in chosen).items()):
        purpose = f"languages {part.name} {' '.join(known)}"
        decks[known] = dealt(key, purpose, count, {lang: plan.languages[lang] for lang in known})
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
