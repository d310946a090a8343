"""Which gate stands before a page: open half of the time, else any kind alike, and never by the label."""

from __future__ import annotations

from collections import Counter

import pytest
from gate_walker import KINDS
from site_helpers import KEY, tiny

from riskchain_gym.protocol.errors import UnknownNameError
from riskchain_gym.sites.archetypes import archetype_names, load_archetype
from riskchain_gym.sites.build import build_site
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.plan import OPEN_GATE, SitePlan, draw_gate, plan_site


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return tiny(tmp_path_factory.mktemp("sites"), lambda site: site["pages"]["inner"].update(gate="any"))


def planned(content: Library, label: str, kinds: tuple[str, ...] | None = None) -> SitePlan:
    spec = load_archetype("tiny-site", content)
    facts = Facts(KEY, ("site", label), content.banks())
    return plan_site(spec, facts, content.fillers("zh-CN"), content.gates("zh-CN"), kinds=kinds)


def drawn(label: str, choice: str | tuple[str, ...], allowed: tuple[str, ...] = KINDS) -> str:
    return draw_gate(choice, Facts(KEY, ("site", label), {}), "hall", KINDS, allowed)


def test_a_page_is_open_half_of_the_time_and_else_takes_each_kind_alike() -> None:
    total = 6800
    counts = Counter(drawn(str(i), "any") for i in range(total))
    assert abs(counts[OPEN_GATE] / total - 0.5) < 0.02
    closed = total - counts[OPEN_GATE]
    assert set(counts) == {OPEN_GATE, *KINDS}
    assert all(abs(counts[kind] / closed - 1 / len(KINDS)) < 0.02 for kind in KINDS)


def test_a_list_takes_each_of_its_kinds_alike() -> None:
    counts = Counter(drawn(str(i), ("login", "slider", OPEN_GATE)) for i in range(3000))
    assert all(abs(counts[kind] / 3000 - 1 / 3) < 0.03 for kind in ("login", "slider", OPEN_GATE))


def test_leaving_kinds_out_changes_only_the_draws_that_gave_them() -> None:
    kept = tuple(kind for kind in KINDS if kind not in ("qr", "chat", "picture"))
    for i in range(600):
        full, held = drawn(str(i), "any"), drawn(str(i), "any", kept)
        assert held == full if full in (*kept, OPEN_GATE) else held in kept


def test_held_out_gates_change_nothing_else_on_the_site(content: Library) -> None:
    kept = tuple(kind for kind in KINDS if kind != "qr")
    for i in range(40):
        full, held = planned(content, f"h{i}"), planned(content, f"h{i}", kept)
        assert "qr" not in held.gates
        if "qr" not in full.gates:
            assert held == full
        assert held.footer == full.footer
        assert held.pages["home"] == full.pages["home"]


def test_no_kinds_leaves_every_page_open(content: Library) -> None:
    assert all(not planned(content, f"o{i}", ()).gates for i in range(20))


def test_an_unknown_kind_is_named() -> None:
    spec, content = load_archetype("order-rebate"), library()
    facts = Facts(KEY, ("site", "x"), content.banks())
    with pytest.raises(UnknownNameError, match="no gate 'moat'"):
        plan_site(spec, facts, content.fillers("zh-CN"), content.gates("zh-CN"), kinds=("moat",))


def test_a_site_has_no_gate_twice_and_its_gold_names_transforms_too() -> None:
    seen: Counter[str] = Counter()
    for name in archetype_names()[:12]:
        for i in range(5):
            _, gold = build_site(name, KEY, f"t{i}")
            assert len(set(gold.gates)) == len(gold.gates)
            seen.update(gold.gates)
    assert min(seen["picture"], seen["fold"]) > 0, seen
