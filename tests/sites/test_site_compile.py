"""A compiled site is the same everywhere and tells nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from site_helpers import KEY, tiny

from riskchain_gym.protocol.codebook import AnchorType, Component, Decision, ViolationType
from riskchain_gym.protocol.model import canonical_json, sha256_of
from riskchain_gym.sites.archetypes import archetype_names, load_archetype
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.expressions import rename_expression, rename_template
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.slots import Slot, iter_slots

PROGRAM = """
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.sites.build import build_site
site, gold = build_site("order-rebate", key_from_seed(7), "a")
print(sha256_of(site), sha256_of(gold))
"""


def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "4242")
    }
    assert len(outputs) == 1
    assert len(set(outputs.pop().split())) == 2


def every_site() -> list[tuple[str, CompiledSite]]:
    return [(name, compile_site(load_archetype(name), KEY, "site", "s0").site) for name in archetype_names()]


def names_in(site: CompiledSite) -> set[str]:
    """Return every name a bundle holds that is not text: of pages, actions, fields, variables, in expressions too."""
    found = {*site.state, *site.pages, *site.actions}
    for model in (*site.pages.values(), *site.actions.values()):
        for slot, text, _ in iter_slots(model):
            if slot in (Slot.PAGE, Slot.ACTION, Slot.FIELD, Slot.VAR):
                found.add(text)
            elif slot is Slot.EXPR:
                rename_expression(text, lambda kind, name: found.add(name) or name)
            else:
                rename_template(text, lambda kind, name: found.add(name) or name)
    return {name.strip("/") for name in found}


def test_the_public_bundle_tells_nothing_of_label_or_archetype() -> None:
    words = [
        str(word) for word in (*Component, *AnchorType, *ViolationType, *Decision) if word not in ("action", "NONE")
    ]
    for name, site in every_site():
        spec, text = load_archetype(name), site.model_dump_json()
        for word in (*words, '"action"', "[[ ", name, spec.family + ".yaml", spec.summary, spec.track):
            assert word not in text or word == "UNKNOWN", (name, word)
        assert not ({*spec.pages, *spec.actions, *spec.state, *spec.facts} - {"home"}) & names_in(site), name
        assert all(len(path) in (1, 9, 10) for path in (*site.pages, *site.actions))


def test_a_bundle_survives_canonical_json(tmp_path: Path) -> None:
    for _, site in every_site()[:4]:
        again = CompiledSite.model_validate_json(canonical_json(site))
        assert again == site
        assert sha256_of(again) == sha256_of(site)
        assert SiteSession(again).open("/").page == SiteSession(site).open("/").page


def test_sites_of_one_archetype_differ() -> None:
    spec = load_archetype("order-rebate")
    sites = [compile_site(spec, KEY, f"n{i}", "s0").site for i in range(12)]
    assert len({sha256_of(site) for site in sites}) == 12
    assert len({site.look.theme for site in sites}) > 3
    assert len({site.look.presentation for site in sites}) > 3
    assert len({tuple(sorted(site.pages)) for site in sites}) == 12


def test_gates_are_drawn_alike_for_every_label() -> None:
    kinds = [compile_site(load_archetype("order-rebate"), KEY, f"g{i}", "s0").gates for i in range(40)]
    assert len(set(kinds)) > 5
    assert () in kinds
    assert kinds == [compile_site(load_archetype("part-time-board"), KEY, f"g{i}", "s0").gates for i in range(40)]


def test_facts_keep_their_type_and_say_is_consistent(tmp_path: Path) -> None:
    def edit(site: dict) -> None:  # type: ignore[type-arg]
        site["state"] = {"balance": "[[ price * 10 ]]", "note": "第 [[ price ]] 号"}
        word = "[[ say('甲', '乙', '丙') ]]"
        site["pages"]["inner"]["blocks"] += [{"kind": "text", "text": word}, {"kind": "text", "text": f"又是{word}"}]

    content = tiny(tmp_path, edit)
    site = compile_site(load_archetype("tiny-site", content), KEY, "a", "s0", content=content).site
    kinds = {type(value) for value in site.state.values()}
    assert kinds == {bool, int, str}
    page = next(p for p in site.pages.values() if p.title == "内页")
    first, second = (block.text for block in page.blocks[-2:])  # type: ignore[union-attr]
    assert second == "又是" + first


def test_a_forced_gate_replaces_the_draw() -> None:
    spec = load_archetype("order-rebate")
    for kind in ("consent", "retry", "invite"):
        forced = {page: kind if page == "hall" else "none" for page in spec.pages}
        assert compile_site(spec, KEY, "f", "s0", gates=forced).gates == (kind,)
    assert compile_site(spec, KEY, "f", "s0", gates=dict.fromkeys(spec.pages, "none")).gates == ()


@pytest.mark.parametrize("name", archetype_names())
def test_names_are_opaque_and_stable(name: str) -> None:
    spec = load_archetype(name)
    one, two = (compile_site(spec, KEY, label, "s0").site for label in ("x", "y"))
    assert set(one.pages) & set(two.pages) == {"/"}
    assert set(one.pages) == set(compile_site(spec, KEY, "x", "s0").site.pages)
