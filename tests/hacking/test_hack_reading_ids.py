"""Reading ids: what elements, pages, sites and chains are called, and in which order they stand, holds no label."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from guessing import Features, luck

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.splits import load_gold, load_public
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.envs.cases import Case
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.envs.machine import Episode, Machine
from riskchain_gym.envs.observation import observe
from riskchain_gym.envs.rewards import make_reward
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.library import library

KEY = key_from_seed(7)
FAMILIES = library().families()[::4]
CLICKS = 8
BY_CHANCE = 0.01
"""Shuffled labels are parted as well as the true ones more often than this; keys are fixed, so the answer is too."""


@cache
def compiled(archetype: str) -> CompiledSite:
    """Return a site of an archetype; those of one family are the same site with another label."""
    lang = library().languages(archetype)[0]
    return compile_site(library().archetype(archetype, lang), KEY, "twin", "site").site


def observations(site: CompiledSite) -> Iterator[dict[str, Any]]:
    """Yield what an agent is shown that clicks its way by ids and never reads a word."""
    config = EnvConfig(backend="text", reward="none", max_steps=4 * CLICKS)
    template = load_public("mini")[0]
    chain = PublicChain(chain_id="twin", variants=template.variants, recipes=template.recipes, site=site)
    episode = Episode(Case(chain, "v000"), "reference", make_reward(config, "browse", None))
    machine = Machine("browse", config, episode, TextBackend())
    yield observe(machine)
    for number in range(1, CLICKS + 1):
        page = machine.browsing.page if machine.browsing is not None else None
        able = [e for e in (page.elements if page else ()) if e.capabilities.click]
        clicked = able[(5 * number) % len(able)].element_id if able else None
        action = BrowserAction(action=ActionKind.CLICK, element_id=clicked) if clicked else None
        machine.act((action or BrowserAction(action=ActionKind.BACK)).model_dump_json())
        yield observe(machine)


def without_words(observation: dict[str, Any]) -> dict[str, Any]:
    """Return an observation without the words of the page: ids, order, roles, counts and paths are left."""
    shown = json.loads(observation["elements"])
    for element in shown["elements"]:
        for said in ("name", "options", "placeholder", "value"):
            element.pop(said, None)
    for picture in shown.get("pictures", ()):
        picture.pop("alt", None)
    shown.pop("title")
    lines = observation["text"].split("\n")
    return {
        "elements": shown,
        "lines": len(lines),
        "steps_left": int(observation["steps_left"]),
        "phase": int(observation["phase"]),
        "feedback": observation["feedback"].split("'")[0],
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_site_with_another_label_has_the_same_ids_in_the_same_order(family: str) -> None:
    members = library().members(family)
    labels = {library().archetype(name).label.decision for name in members}
    assert len(labels) == 3
    first, *others = [[without_words(each) for each in observations(compiled(name))] for name in members]
    for other in others:
        assert other == first


# -- names and order of a split ---------------------------------------------------------------------------------------


def spelled(names: list[str], longest: int = 24) -> Features:
    """Return how often each character stands in each name, and which one stands where."""
    letters = sorted(set("".join(names)))
    rows = []
    for name in names:
        counts = [name.count(letter) for letter in letters]
        codes = [ord(letter) for letter in name[:longest].ljust(longest, "\x00")]
        rows.append([len(name), *counts, *codes])
    return np.array(rows, dtype=np.float64)


def in_order(count: int) -> Features:
    """Return the place of each row, and what of a place a counter would give away."""
    places = np.arange(count, dtype=np.float64)
    periods = [places % period for period in (2, 3, 4, 5, 7)]
    return np.stack([places, places**2, *periods], axis=1)


def decisions(chains: list[PublicChain]) -> list[str]:
    gold = load_gold("mini")
    return [str(gold[chain.chain_id].site.decision) for chain in chains]


NAMES = {
    "chain ids": lambda chains: spelled([chain.chain_id for chain in chains]),
    "site ids": lambda chains: spelled([chain.site.site_id for chain in chains]),
    "page paths": lambda chains: spelled(["".join(sorted(chain.site.pages)) for chain in chains]),
    "place in the sequence": lambda chains: in_order(len(chains)),
    "element counts": lambda chains: np.array(
        [[len(c.site.pages), len(c.site.actions), len(c.site.state), len(c.site.nav)] for c in chains], dtype=np.float64
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_no_name_and_no_place_tells_the_label(name: str) -> None:
    chains = list(load_public("mini"))
    assert luck(NAMES[name](chains), decisions(chains)) > BY_CHANCE


def test_a_label_in_an_id_or_in_the_order_would_be_found() -> None:
    """The control: a test that misses what was planted would prove nothing."""
    chains = list(load_public("mini"))
    labels = decisions(chains)
    planted = [f"{chain.chain_id[:-1]}{label[0].lower()}" for chain, label in zip(chains, labels, strict=True)]
    assert luck(spelled(planted), labels) == 0
    assert luck(in_order(len(labels)), sorted(labels)) == 0


@pytest.mark.slow
def test_ids_of_a_fresh_pool_tell_nothing() -> None:
    from riskchain_gym.benchmark.pool import build_order, planned_orders, pool_key
    from riskchain_gym.benchmark.pool_plan import load_pool_plan

    plan = load_pool_plan(library().root).model_copy(update={"sites": 120, "splits": {}})
    key = pool_key(KEY)
    orders = planned_orders(key, library(), plan)
    sites = [CompiledSite.model_validate_json(build_order(library().root, key, order).public) for order in orders]
    labels = [str(order.decision) for order in orders]
    shown = [[without_words(each) for each in observations(site)] for site in sites]
    features = {
        "names": spelled([f"{site.site_id}{''.join(sorted(site.pages))}"[:200] for site in sites]),
        "ids": np.array([ids_of(each) for each in shown], dtype=np.float64),
    }
    for name, found in features.items():
        assert luck(found, labels) > BY_CHANCE, name


ROLES = ("link", "button", "textbox", "checkbox", "combobox", "slider", "form", "tab")


def ids_of(shown: list[dict[str, Any]]) -> list[float]:
    """Return numbers and roles of elements, page by page, as far as they go."""
    row: list[float] = []
    for each in shown:
        elements = each["elements"]["elements"]
        numbers = [int(element["element_id"][1:]) for element in elements]
        row += [len(elements), each["lines"], min(numbers, default=0), max(numbers, default=0)]
        row += [sum(element["role"] == role for element in elements) for role in ROLES]
    return row
