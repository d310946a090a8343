"""Members of a family are one site but for what decides: the atoms' lines and the labels of a few fields."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from site_helpers import KEY

from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.sites.archetypes import archetype_names, load_archetype
from riskchain_gym.sites.blocks import FormBlock, TextBlock
from riskchain_gym.sites.compile import Compilation, compile_site
from riskchain_gym.sites.compiled import CompiledPage, all_blocks
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.slots import Slot, iter_slots, map_slots

LABELS = ("t1", "t2", "t3", "t4")

DECIDING_FIELD_LABELS: dict[str, frozenset[str]] = {
    "bank": frozenset(
        {"卡号", "银行卡号", "密码", "卡片密码", "验证码", "短信验证码"}
        | {"设备名称", "给设备起个名字", "新设启动口令", "自设启动口令", "提醒手机", "接收提醒的手机"}
    ),
    "courier": frozenset({"付款卡号", "银行卡号", "门牌号", "楼栋门牌"}),
}
"""By family, the labels of the form fields that may differ: what is asked for is the fact that decides."""


@cache
def compiled(name: str, label: str) -> Compilation:
    return compile_site(load_archetype(name), KEY, label, "s0")


def members() -> dict[str, dict[str, str]]:
    """Return the decision of each archetype, by family."""
    found: dict[str, dict[str, str]] = {}
    for name in archetype_names():
        spec = load_archetype(name)
        found.setdefault(spec.family, {})[name] = spec.label.decision
    return found


def pairs(*decisions: Decision) -> list[Any]:
    """Return family and names of every two members of a family that bear these two labels."""
    return [
        pytest.param(family, *sorted(two, key=lambda n: decisions.index(Decision(kinds[n]))), id="-".join(two))
        for family, kinds in members().items()
        for two in combinations(sorted(kinds), 2)
        if sorted(kinds[n] for n in two) == sorted(decisions)
    ]


TWINS = pairs(Decision.VIOLATION, Decision.NON_VIOLATION)
BESIDE_UNDECIDABLE = pairs(Decision.VIOLATION, Decision.INSUFFICIENT_EVIDENCE)
READABLE = [
    pair
    for pair in BESIDE_UNDECIDABLE
    if all(page.status == 200 for page in load_archetype(str(pair.values[2])).pages.values())
]
"""Violating members beside undecidable ones whose pages all load; a page that fails has nothing to compare."""


def texts(site: Compilation) -> Counter[str]:
    """Return what pages and errors of a site can say, without the atoms' lines and what is typed into fields."""
    found: Counter[str] = Counter()
    for model in (*site.site.pages.values(), *site.site.actions.values()):
        for slot, text, path in iter_slots(model):
            if slot is Slot.TEXT and not path.endswith((".fixture", ".equals")):
                found[text] += 1
    found.subtract(atom.text for atom in site.atoms)
    return +found


def field_labels(site: Compilation) -> set[str]:
    blocks = [block for page in site.site.pages.values() for block in all_blocks(page.blocks)]
    return {field.label for block in blocks if isinstance(block, FormBlock) for field in block.fields}


def bare(page: CompiledPage) -> CompiledPage:
    """Return a page without its texts: blocks, tones, pictures, fields, options, links and conditions are left."""
    return map_slots(page, lambda slot, text, path: "" if slot is Slot.TEXT else text)


def outline(site: Compilation) -> dict[str, Any]:
    blocks = [block for page in site.site.pages.values() for block in all_blocks(page.blocks)]
    return {
        "kinds": Counter(block.kind for block in blocks),
        "tones": Counter(block.tone for block in blocks if isinstance(block, TextBlock)),
        "fields": Counter(field.type for block in blocks if isinstance(block, FormBlock) for field in block.fields),
        "actions": set(site.site.actions),
        "state": site.site.state,
        "checks": {path: len(action.checks) for path, action in site.site.actions.items()},
        "pages": set(site.site.pages),
    }


def test_every_family_has_twins() -> None:
    assert {str(pair.values[0]) for pair in TWINS} == set(members())
    assert READABLE


@pytest.mark.parametrize(("family", "bad", "other"), TWINS + BESIDE_UNDECIDABLE)
@pytest.mark.parametrize("label", LABELS)
def test_members_share_everything_that_is_drawn(family: str, bad: str, other: str, label: str) -> None:
    left, right = compiled(bad, label), compiled(other, label)
    assert left.gates == right.gates
    assert left.site.look == right.site.look
    assert left.site.operator == right.site.operator
    assert left.site.nav == right.site.nav
    assert left.site.footer == right.site.footer
    assert SiteSession(left.site).open("/").page == SiteSession(right.site).open("/").page


@pytest.mark.parametrize(("family", "bad", "good"), TWINS)
@pytest.mark.parametrize("label", LABELS)
def test_twins_have_one_shape(family: str, bad: str, good: str, label: str) -> None:
    left, right = compiled(bad, label), compiled(good, label)
    assert outline(left) == outline(right)
    assert {p: bare(page) for p, page in left.site.pages.items()} == {p: bare(x) for p, x in right.site.pages.items()}
    for path, action in left.site.actions.items():
        other = right.site.actions[path]
        assert action.checks == other.checks
        assert (set(action.set), action.go, action.otherwise) == (set(other.set), other.go, other.otherwise)
    assert len(left.atoms) == len(right.atoms)


@pytest.mark.parametrize(("family", "bad", "good"), TWINS)
@pytest.mark.parametrize("label", LABELS)
def test_twins_differ_in_the_deciding_lines_only(family: str, bad: str, good: str, label: str) -> None:
    allowed = DECIDING_FIELD_LABELS.get(family, frozenset())
    left, right = compiled(bad, label), compiled(good, label)
    for one, other in ((left, right), (right, left)):
        alone = set(texts(one) - texts(other))
        assert alone <= allowed, alone - allowed
        assert alone <= field_labels(one), "only the label of a field may be listed"


@pytest.mark.parametrize(("family", "bad", "open_"), READABLE)
@pytest.mark.parametrize("label", LABELS)
def test_an_undecidable_site_has_the_outline_of_its_family(family: str, bad: str, open_: str, label: str) -> None:
    left, right = compiled(bad, label), compiled(open_, label)
    assert outline(left) == outline(right)
