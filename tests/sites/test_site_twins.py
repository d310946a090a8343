"""Members of a family are one site but for their lines: one shape of every page, whatever label and language."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from site_helpers import KEY

from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.sites.archetypes import archetype_names
from riskchain_gym.sites.compile import Compilation, compile_site
from riskchain_gym.sites.compiled import CompiledPage
from riskchain_gym.sites.library import library
from riskchain_gym.sites.lines import line_names
from riskchain_gym.sites.pageview import Node, PageView
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.slots import Slot, iter_slots, map_slots
from riskchain_gym.sites.spec import Lang
from riskchain_gym.sites.yamlfile import read_yaml

LABELS = ("t1", "t2")
FAMILIES = library().families()


@cache
def compiled(name: str, lang: Lang, label: str) -> Compilation:
    return compile_site(library().archetype(name, lang), KEY, label, "s0")


def languages(family: str) -> tuple[Lang, ...]:
    return library().languages(library().members(family)[0])


def lines(family: str, lang: Lang) -> int:
    """Return how many lines a family leaves to its members, each place counted."""
    return len(list(line_names(read_yaml(library().family_file(family, "en" if lang == "en" else "zh-CN"))["pages"])))


def bare(page: CompiledPage) -> CompiledPage:
    """Return a page without its texts: blocks, tones, pictures, fields, options, links and conditions are left."""
    return map_slots(page, lambda slot, text: "" if slot is Slot.TEXT else text)


def texts(site: Compilation) -> Counter[str]:
    """Return what pages and errors of a site can say."""
    models = (*site.site.pages.values(), *site.site.actions.values())
    return Counter(text for model in models for slot, text, _ in iter_slots(model) if slot is Slot.TEXT)


def landing(name: str, lang: Lang) -> PageView:
    page = SiteSession(compiled(name, lang, "t1").site).open("/").page
    assert page is not None
    return page


def silent(node: Node) -> Node:
    """Return a node without its text, what is below it and what a control is called."""
    control = node.control and node.control._replace(name="")
    return node._replace(text="", children=(), control=control)


CASES = [pytest.param(family, lang, id=f"{family}-{lang}") for family in FAMILIES for lang in languages(family)]


def test_every_family_has_members_of_each_decision() -> None:
    wanted = {Decision.VIOLATION, Decision.NON_VIOLATION, Decision.INSUFFICIENT_EVIDENCE}
    found = {f: {library().archetype(name).label.decision for name in library().members(f)} for f in FAMILIES}
    assert {family: wanted - decisions for family, decisions in found.items() if decisions != wanted} == {}
    assert sorted(name for family in FAMILIES for name in library().members(family)) == list(archetype_names())


def test_the_violations_of_a_family_are_of_more_than_one_type() -> None:
    """Else the family, which the landing page shows, tells the type of its violations."""
    specs = [library().archetype(name) for family in FAMILIES for name in library().members(family)]
    types = {(s.family, s.label.type) for s in specs if s.label.decision is Decision.VIOLATION}
    assert [family for family in FAMILIES if sum(found == family for found, _ in types) < 2] == []


@pytest.mark.parametrize(("family", "lang"), CASES)
def test_members_have_one_shape(family: str, lang: Lang) -> None:
    first, *others = library().members(family)
    without: dict[str, Any] = {"pages": {}}
    for label in LABELS:
        left = compiled(first, lang, label)
        shape = {path: bare(page) for path, page in left.site.pages.items()}
        for name in others:
            right = compiled(name, lang, label)
            assert right.gates == left.gates, name
            assert {path: bare(page) for path, page in right.site.pages.items()} == shape, name
            assert right.site.model_copy(update=without) == left.site.model_copy(update=without), name


@pytest.mark.parametrize(("family", "lang"), CASES)
def test_members_differ_in_their_lines_only(family: str, lang: Lang) -> None:
    first, *others = library().members(family)
    most = lines(family, lang)
    for name in others:
        left, right = texts(compiled(first, lang, "t1")), texts(compiled(name, lang, "t1"))
        for alone in (left - right, right - left):
            assert alone.total() <= most, (name, sorted(alone))


@pytest.mark.parametrize(("family", "lang"), CASES)
def test_members_share_their_landing_view(family: str, lang: Lang) -> None:
    """It tells nothing of the label, but for the lines of the families that decide it there."""
    lines_there = list(line_names(read_yaml(library().family_file(family))["pages"]["home"]))
    first, *others = [landing(name, lang) for name in library().members(family)]
    assert bool(lines_there) == any(page != first for page in others)
    for page in others:
        assert page.title == first.title
        left, right = list(first.walk()), list(page.walk())
        assert [silent(node) for node in left] == [silent(node) for node in right]
        assert sum(a.text != b.text for a, b in zip(left, right, strict=True)) <= len(lines_there)
