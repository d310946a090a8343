"""Undecidable sites stay undecidable: what is planted to decide them is refused, as far as it can be told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from site_helpers import ACTION, BENIGN, CLAIM, KEY, tiny, undecidable

from riskchain_gym.protocol.codebook import Component
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.sites.archetypes import lint_archetype, lint_content
from riskchain_gym.sites.blocks import TextBlock
from riskchain_gym.sites.build import build_certified_site, build_site
from riskchain_gym.sites.certificate import certificate_of, check_certificate
from riskchain_gym.sites.certify import CertificateError
from riskchain_gym.sites.compiled import CompiledDetour, CompiledPage, CompiledSite
from riskchain_gym.sites.library import Library

TELLING = "全文：先付三百，稳赚不赔"


def planted(tmp_path: Path, change: Any) -> Library:
    def edit(site: dict[str, Any]) -> None:
        undecidable(site)
        change(site)

    return tiny(tmp_path, edit)


def limitation_page(gold: SiteGold) -> str:
    return next(atom.path for atom in gold.atoms if atom.component is Component.LIMITATION)


def with_detour(site: CompiledSite, path: str, detour: CompiledDetour) -> CompiledSite:
    page = site.pages[path]
    full = CompiledPage(title="全文", blocks=(TextBlock(kind="text", text=TELLING),))
    changed = page.model_copy(update={"detours": (*page.detours, detour)})
    return site.model_copy(update={"pages": {**site.pages, path: changed, "/full": full}})


@pytest.mark.parametrize("gate", ["none", "consent", "fold"])
def test_only_its_gate_sends_visitors_away_from_a_limitation(tmp_path: Path, gate: str) -> None:
    content = planted(tmp_path, lambda site: site["pages"]["inner"].update(gate="any"))
    site, gold = build_site("tiny-site", KEY, "p", content=content, gates={"inner": gate})
    certificate_of(site, gold)
    path = limitation_page(gold)
    for detour in (CompiledDetour(when="visits.home > 1", go="/full"), *site.pages[path].detours):
        with pytest.raises(CertificateError, match="sends visitors on when"):
            certificate_of(with_detour(site, path, detour), gold)


def test_a_line_that_is_planted_in_a_certified_site_is_found(tmp_path: Path) -> None:
    """It is unmarked, so the walk cannot tell what it says; the certificate tells that the site is another."""
    site, gold, certificate = build_certified_site("tiny-site", KEY, "p", content=planted(tmp_path, lambda site: None))
    path = limitation_page(gold)
    later = TextBlock(kind="text", text=TELLING, when="steps > 4")
    page = site.pages[path].model_copy(update={"blocks": (*site.pages[path].blocks, later)})
    with pytest.raises(CertificateError, match="site_sha256 is"):
        check_certificate(site.model_copy(update={"pages": {**site.pages, path: page}}), gold, certificate)


def line(when: str | None = None, text: str = TELLING) -> Any:
    def change(site: dict[str, Any]) -> None:
        block = {"kind": "text", "text": text} if when is None else {"kind": "text", "text": text, "when": when}
        site["pages"]["inner"]["blocks"].append(block)

    return change


def page(site: dict[str, Any]) -> None:
    site["pages"]["full"] = {"title": "", "blocks": [{"kind": "bullets", "items": [TELLING]}]}
    site["actions"]["join"]["go"] = "full"


def error(site: dict[str, Any]) -> None:
    site["actions"]["join"]["checks"] = [{"field": "nickname", "rule": "x", "error": TELLING}]


def value(site: dict[str, Any]) -> None:
    site["actions"]["join"]["set"]["nickname"] = TELLING


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        (line("joined"), "pages.inner.blocks.6.text", "in some states only"),
        (line(text="{{ '" + TELLING + "' if joined else '' }}"), "pages.inner.blocks.6.text", "in some states only"),
        (page, "pages.full.blocks.0.items.0.text", "on a page with no limitation"),
        (error, "actions.join.checks.0.error", "in some states only"),
        (value, "actions.join.set.nickname", "in some states only"),
    ],
)
def test_what_a_member_adds_unmarked_is_refused(tmp_path: Path, change: Any, field: str, words: str) -> None:
    problems = lint_archetype("tiny-site", planted(tmp_path, change))
    assert [problem.problem.endswith("mark it or let the family say it") for problem in problems] == [True]
    assert problems[0].field.startswith(field.removesuffix(".text"))
    assert words in problems[0].problem
    assert TELLING in problems[0].problem


def test_a_fact_of_its_own_that_the_family_shows_is_refused(tmp_path: Path) -> None:
    def family(base: dict[str, Any]) -> None:
        base["facts"]["remark"] = {"choice": ["谢谢"]}
        base["pages"]["home"]["blocks"].append({"kind": "text", "text": "[[ remark ]]"})

    def edit(site: dict[str, Any]) -> None:
        undecidable(site)
        site["facts"] = {"remark": {"choice": [TELLING]}}

    (problem,) = lint_archetype("tiny-site", tiny(tmp_path, edit, family))
    assert "shows '[[ remark ]]' on a page with no limitation, unmarked" in problem.problem


def test_what_stands_beside_the_limitation_or_is_the_familys_may_be_unmarked(tmp_path: Path) -> None:
    def family(base: dict[str, Any]) -> None:
        base["pages"]["home"]["blocks"].append({"kind": "text", "text": "{{ nickname }}，欢迎", "when": "joined"})

    def edit(site: dict[str, Any]) -> None:
        undecidable(site)
        line(text="请过几天再来")(site)

    assert lint_content(tiny(tmp_path, edit, family)) == []


def test_a_violating_site_may_say_what_it_likes(tmp_path: Path) -> None:
    assert lint_archetype("tiny-site", tiny(tmp_path, line("joined", "谢谢"))) == []


def test_a_benign_site_with_a_marked_pair_is_refused(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["label"] = {"decision": "NON_VIOLATION", "type": "NONE"}
        site["pages"]["inner"]["blocks"][4]["title"] = "无须付款"
        site["pages"]["inner"]["blocks"][4]["atom"] = BENIGN

    (problem,) = lint_archetype("tiny-site", tiny(tmp_path, edit))
    assert problem.field == "label"
    assert "both a claim and an action of FRAUD_DECEPTIVE_INDUCEMENT are shown" in problem.problem


def test_a_pair_that_is_marked_elsewhere_is_found_unmarked_on_a_benign_site(tmp_path: Path) -> None:
    """In a family of its own, with other numbers."""
    content = tiny(tmp_path)
    other = yaml.safe_load((tmp_path / "archetypes" / "tiny-site" / "site.yaml").read_text(encoding="utf-8"))
    assert [other["pages"]["inner"]["blocks"][i].pop("atom") for i in (1, 3)] == [CLAIM, ACTION]
    other["pages"]["inner"]["blocks"][1]["text"] = "先付 800 元，返还 1,600 元"
    other["pages"]["inner"]["blocks"][4] |= {"title": "无须付款", "atom": BENIGN}
    other |= {"extends": "small", "label": {"decision": "NON_VIOLATION", "type": "NONE"}}
    base = yaml.safe_load((tmp_path / "families" / "tiny.yaml").read_text(encoding="utf-8"))
    base["facts"]["price"] = {"number": [100, 900]}
    for file, data in (("families/small.yaml", base), ("archetypes/small-site/site.yaml", other)):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    problems = lint_content(Library(content.root), ["small-site"])
    assert [(p.path.parent.name, p.field) for p in problems] == [
        ("small-site", "pages.inner.blocks.1.text"),
        ("small-site", "pages.inner.blocks.3.text"),
    ]
    assert "of 'tiny-site' stands here unmarked" in problems[0].problem
    assert lint_content(Library(content.root), ["tiny-site"]) != [], "whichever of the two is asked about"


@pytest.mark.parametrize(("folder", "file"), [("gates", "zh-CN/consent.yaml"), ("fillers", None)])
def test_a_gate_or_filler_that_says_a_claim_is_refused(tmp_path: Path, folder: str, file: str | None) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["pages"]["inner"]["blocks"][1]["text"] = "先付三百，稳赚不赔"

    tiny(tmp_path, edit)
    path = tmp_path / folder / file if file else next((tmp_path / folder).rglob("*.yaml"))
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    data["lang"] = "zh-CN"
    blocks = next(iter(data["pages"].values()))["blocks"] if "pages" in data else data["blocks"]
    blocks.append({"kind": "text", "text": "先付三百，稳赚不赔"})
    path.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    (problem,) = lint_content(Library(tmp_path))
    assert problem.path == path
    assert "the claim '先付三百，稳赚不赔' of 'tiny-site' stands here unmarked" in problem.problem
