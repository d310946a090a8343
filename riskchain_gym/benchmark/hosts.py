"""Host families: the invented operators that the sites of a pool belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
        family: The archetype family of all its sites.
        lang: Their language.
        presentation: Their presentation form.
        theme: Their visible theme.
        sites: Number of sites.
    """

    label: str
    family: PoolFamily
    lang: Lang
    presentation: str
    theme: str
    sites: int


def plan_hosts(plan: PoolPlan, key: bytes, families: Mapping[str, PoolFamily], content: Library) -> list[Host]:
    """Return the host families of a pool: the same for the same arguments, everywhere.

    Families, languages, themes and forms are dealt out, so that each comes as often as its share says; none of it
    depends on a label.

    Args:
        plan: The plan.
        key: The pool's key.
        families: The families.
        content: The content folder.

    Raises:
        ConfigError: A bank has too few operator names for all to differ, or all families are held out.
    """
    sizes = _sizes(plan, key)
    chosen = _families(plan, key, len(sizes), families)
    langs = _languages(plan, key, chosen)
    forms = _presentations(key, chosen, sizes)
    themes = dealt(key, "themes", len(sizes), dict.fromkeys(content.themes(), 1.0))
    taken: set[str] = set()
    hosts: list[Host] = []
    for number, (family, lang, form, theme, size) in enumerate(
        zip(chosen, langs, forms, themes, sizes, strict=True), start=1
    ):
        label = _fresh_label(key, f"h{number}", family, lang, content, taken)
        hosts.append(Host(label, family, lang, form, theme, size))
    return hosts


def _sizes(plan: PoolPlan, key: bytes) -> list[int]:
    rng = KeyedRandom(key, "host sizes")
    kinds = range(1, len(plan.hosts.sizes) + 1)
    sizes: list[int] = []
    left = plan.sites
    while left:
        sizes.append(min(left, rng.weighted(kinds, plan.hosts.sizes)))
        left -= sizes[-1]
    return sizes


def _families(plan: PoolPlan, key: bytes, count: int, families: Mapping[str, PoolFamily]) -> list[PoolFamily]:
    share = plan.held_out.share
    sides = dealt(key, "held out", count, {"core": 1 - share, "held-out": share})
    found: dict[str, list[PoolFamily]] = {}
    for side in ("core", "held-out"):
        names = [name for name, family in families.items() if family.held_out == (side == "held-out")]
        if not names:
            raise ConfigError("Every family is held out, train and dev have none left: name fewer in pool.toml.")
        found[side] = [families[n] for n in dealt(key, side, sides.count(side), dict.fromkeys(names, 1.0))]
    return [found[side].pop() for side in sides]


def _languages(plan: PoolPlan, key: bytes, chosen: Sequence[PoolFamily]) -> list[Lang]:
    """Deal languages among the hosts whose families have the same ones."""
    known = Counter(family.languages for family in chosen)
    decks = {
        languages: dealt(key, f"languages {languages}", count, {lang: plan.languages[lang] for lang in languages})
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
