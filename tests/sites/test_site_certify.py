"""A certificate is a way through the site that holds when it is walked, and whatever breaks it is caught."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from site_helpers import BENIGN, KEY, tiny, undecidable

from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.codebook import Component, Decision, ViolationType
from riskchain_gym.protocol.gold import PathStep, SiteGold
from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.sites.archetypes import archetype_names, load_archetype
from riskchain_gym.sites.build import build_certified_site, build_site
from riskchain_gym.sites.certificate import Certificate, certificate_of, check_certificate
from riskchain_gym.sites.certify import MAX_ACTIONS, CertificateError, find_path, replay, shows
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.search import Search
from riskchain_gym.sites.walk import Walk


@pytest.mark.parametrize("name", archetype_names())
@pytest.mark.parametrize("label", ["c1", "c2"])
def test_the_way_shows_every_deciding_atom_within_the_budget(name: str, label: str) -> None:
    site, gold = build_site(name, KEY, label)
    assert gold.site_id == site.site_id
    assert len(gold.path) <= MAX_ACTIONS
    deciding = list(gold.deciding_atoms())
    assert deciding
    pages = list(replay(site, gold.path))
    for atom in deciding:
        assert any(shows(page, atom) for page in pages), atom.text
    if gold.decision is not Decision.VIOLATION:
        both = {a.violation_type for a in gold.atoms if a.component == "claim"} & {
            a.violation_type for a in gold.atoms if a.component == "action"
        }
        assert not both


def test_steps_name_targets_as_the_inventory_does(tmp_path: Path) -> None:
    _, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path))
    steps = [(step.action.action, step.role, step.name, step.nth) for step in gold.path]
    assert steps[-4:] == [
        (ActionKind.FILL, "textbox", "称呼", 0),
        (ActionKind.FILL, "textbox", "口令", 0),
        (ActionKind.CHECK, "checkbox", "同意", 0),
        (ActionKind.CLICK, "button", "提交", 0),
    ]
    assert steps[0][:2] == (ActionKind.CLICK, "link")
    assert all(PathStep.model_validate_json(step.model_dump_json()) == step for step in gold.path)


def test_twins_with_equal_names_are_told_apart_by_number(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        blocks = site["pages"]["inner"]["blocks"]
        blocks.insert(0, {"kind": "links", "items": [{"text": "查看", "to": "other"}, {"text": "查看", "to": "deep"}]})
        site["pages"]["other"] = {"title": "另页", "blocks": [{"kind": "text", "text": "另页"}]}
        site["pages"]["deep"] = {"title": "深页", "blocks": [blocks.pop(2)]}

    _, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path, edit))
    assert ("查看", 1) in [(step.name, step.nth) for step in gold.path]


def test_atoms_are_seen_in_whatever_order_the_site_allows(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["pages"]["inner"]["blocks"][1]["when"] = "not joined"

    _, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path, edit))
    assert gold.path


def test_a_way_beyond_the_budget_is_refused(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["state"] = {"rounds": 0}
        site["actions"]["join"] = {"set": {"rounds": "{{ rounds + 1 }}"}}
        site["pages"]["inner"]["blocks"][3]["when"] = "rounds > 10"

    with pytest.raises(CertificateError, match=r"takes .* actions and the budget is 30"):
        build_site("tiny-site", KEY, "p", content=tiny(tmp_path, edit))


def test_a_return_visit_is_found(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["pages"]["inner"]["blocks"][3]["when"] = "visits.inner > 2 and steps > 4"

    site, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path, edit))
    assert len(gold.path) >= 4
    assert find_path(site, gold.deciding_atoms()) == gold.path


def test_a_page_that_only_a_form_leads_to_is_found(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        blocks = site["pages"]["inner"]["blocks"]
        site["pages"]["behind"] = {"title": "后页", "blocks": [{**blocks.pop(3), "when": "nickname != ''"}]}
        site["actions"]["join"]["go"] = "behind"

    _, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path, edit))
    assert gold.path[-1].name == "提交"


def test_what_cannot_matter_changes_no_way(tmp_path: Path) -> None:
    """Searching all of a small site's states finds a way as short as searching those that can matter."""
    site, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path))
    acts, missed = Search(site, gold.deciding_atoms(), everything=True).way()
    assert missed is None
    assert len(acts) == len(gold.path)


def test_a_wrong_step_is_told(tmp_path: Path) -> None:
    site, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path))
    wrong = gold.path[0].model_copy(update={"name": "没有"})
    with pytest.raises(CertificateError, match="has no link '没有'"):
        list(replay(site, (wrong,)))


def test_a_certificate_binds_site_way_and_pages(tmp_path: Path) -> None:
    site, gold, certificate = build_certified_site("tiny-site", KEY, "p", content=tiny(tmp_path))
    assert certificate == certificate_of(site, gold)
    assert certificate.steps == len(gold.path)
    assert len(certificate.pages) == len(list(replay(site, gold.path)))
    assert Certificate.model_validate_json(canonical_json(certificate)) == certificate
    check_certificate(site, gold, certificate)
    for change, said in (
        ({"site_id": "other"}, "site_id is 'other'"),
        ({"site_sha256": "0" * 64}, "site_sha256 is '0000"),
        ({"gold_sha256": "0" * 64}, "gold_sha256 is '0000"),
        ({"path": gold.path[:-1]}, "path is another path"),
        ({"pages": (*certificate.pages[:-1], "0" * 64)}, f"page {len(certificate.pages) - 1} of the way"),
        ({"pages": certificate.pages[:-1]}, f"page {len(certificate.pages) - 1} of the way"),
    ):
        with pytest.raises(CertificateError, match=said):
            check_certificate(site, gold, certificate.model_copy(update=change))


def relabelled(gold: SiteGold) -> SiteGold:
    """Return a gold that calls what was a claim and an action benign, and the site with it."""
    benign = {"component": Component.BENIGN, "violation_type": ViolationType.NONE}
    atoms = tuple(atom.model_copy(update=benign) for atom in gold.atoms)
    label = {"decision": Decision.NON_VIOLATION, "violation_type": ViolationType.NONE, "atoms": atoms}
    return gold.model_copy(update=label)


def test_a_certificate_binds_the_gold(tmp_path: Path) -> None:
    site, gold, certificate = build_certified_site("tiny-site", KEY, "p", content=tiny(tmp_path))
    assert certificate_of(site, relabelled(gold)).path == gold.path, "its atoms bear out its label"
    changes = ({"gates": ("slider",)}, {"host_family": "other"}, {"family": "other"}, {"gate_pages": ("/",)})
    for changed in (relabelled(gold), *(gold.model_copy(update=change) for change in changes)):
        with pytest.raises(CertificateError, match="gold_sha256 is"):
            check_certificate(site, changed, certificate)


@pytest.mark.parametrize(
    ("name", "value"),
    [("depth", "D0"), ("difficulty", "hard"), ("click_replay", False), ("lang", "en"), ("site_id", "other")],
)
def test_a_gold_that_is_not_of_its_site_is_refused_whoever_certifies_it(tmp_path: Path, name: str, value: Any) -> None:
    site, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path))
    with pytest.raises(CertificateError, match=f"says {name} is '{value}', the site has '{getattr(gold, name)}'"):
        certificate_of(site, gold.model_copy(update={name: value}))


def faulty(tmp_path: Path, change: Any) -> tuple[CompiledSite, SiteGold]:
    site, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path, change))
    return site, gold


def benign(site: dict[str, Any]) -> None:
    site["label"] = {"decision": "NON_VIOLATION", "type": "NONE"}
    site["pages"]["inner"]["blocks"][3]["atom"] = BENIGN


def test_an_atom_that_no_way_shows_is_caught(tmp_path: Path) -> None:
    site, gold = faulty(tmp_path, None)
    stray = gold.atoms[0].model_copy(update={"text": "没有这一行"})
    with pytest.raises(CertificateError, match="The path does not show the claim atom '没有这一行'"):
        certificate_of(site, gold.model_copy(update={"atoms": (stray, *gold.atoms[1:])}))
    with pytest.raises(CertificateError, match="cannot be seen"):
        find_path(site, [stray])


def test_a_benign_site_with_a_claim_and_an_action_is_caught(tmp_path: Path) -> None:
    site, gold = faulty(tmp_path, benign)
    assert gold.decision is Decision.NON_VIOLATION
    kind = ViolationType.PHISHING_CREDENTIAL_THEFT
    pair = [gold.atoms[0].model_copy(update={"component": c, "violation_type": kind}) for c in ("claim", "action")]
    with pytest.raises(CertificateError, match="both a claim and an action of PHISHING_CREDENTIAL_THEFT are shown"):
        certificate_of(site, gold.model_copy(update={"atoms": (*gold.atoms, *pair)}))


def test_a_gate_with_no_way_through_is_caught(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["pages"]["inner"]["gate"] = ["login"]

    content = tiny(tmp_path, edit)
    door = content.root / "gates" / "zh-CN" / "login.yaml"
    door.write_text(door.read_text(encoding="utf-8").replace('"[[ secret ]]"', '"[[ secret ]]x"', 1), encoding="utf-8")
    with pytest.raises(CertificateError, match="cannot be seen"):
        build_site("tiny-site", KEY, "p", content=content, gates={"inner": "login"})


def test_a_limitation_under_a_condition_is_caught(tmp_path: Path) -> None:
    site, gold = faulty(tmp_path, undecidable)
    page = next(path for path, page in site.pages.items() if page.title == "内页")
    blocks = list(site.pages[page].blocks)
    blocks[1] = blocks[1].model_copy(update={"when": "true"})
    pages = {**site.pages, page: site.pages[page].model_copy(update={"blocks": tuple(blocks)})}
    with pytest.raises(CertificateError, match="is only shown when 'true'"):
        certificate_of(site.model_copy(update={"pages": pages}), gold)


def test_a_limitation_that_the_walk_takes_away_is_caught(tmp_path: Path) -> None:
    site, gold = faulty(tmp_path, undecidable)
    limit = next(atom for atom in gold.atoms if atom.component is Component.LIMITATION)
    reload = PathStep(action=BrowserAction(action=ActionKind.RELOAD))
    page = site.pages[limit.path]
    once = page.blocks[1].model_copy(update={"text": "{{ '" + limit.text + "' if steps < 2 else '公开' }}"})
    changed = page.model_copy(update={"blocks": (page.blocks[0], once, *page.blocks[2:])})
    site = site.model_copy(update={"pages": {**site.pages, limit.path: changed}})
    with pytest.raises(CertificateError, match="is taken away on"):
        certificate_of(site, gold.model_copy(update={"path": (*gold.path, reload)}))


@pytest.mark.parametrize(
    ("change", "depth"),
    [
        (lambda site: site["pages"]["home"]["blocks"], "D0"),
        (lambda site: site["pages"]["inner"]["blocks"], "D1"),
        (lambda site: site["pages"]["inner"]["blocks"][5]["items"][0]["blocks"], "D2"),
    ],
    ids=["landing", "inner", "fold"],
)
def test_depth_is_that_of_the_way(tmp_path: Path, change: Any, depth: str) -> None:
    def edit(site: dict[str, Any]) -> None:
        blocks = site["pages"]["inner"]["blocks"]
        blocks[1].pop("atom")
        blocks[3] = {"kind": "text", "text": "占位"}
        site["label"] = {"decision": "NON_VIOLATION", "type": "NONE"}
        site["pages"]["home"] = {"blocks": [{"kind": "links", "items": [{"text": "进入", "to": "inner"}]}]}
        change(site).append({"kind": "text", "text": "本店不收押金", "atom": BENIGN})

    _, gold = faulty(tmp_path, edit)
    assert gold.depth == depth
    assert gold.difficulty == "easy"
    assert gold.click_replay
    assert (gold.lang, bool(gold.host_family)) == ("zh-CN", True)


def test_a_line_that_needs_state_or_a_gate_on_the_way_is_d3(tmp_path: Path) -> None:
    assert faulty(tmp_path / "a", None)[1].depth == "D3"

    def edit(site: dict[str, Any]) -> None:
        undecidable(site)
        site["pages"]["inner"]["gate"] = ["consent"]

    content = tiny(tmp_path / "b", edit)
    for kind, depth in (("consent", "D3"), ("none", "D1")):
        assert build_site("tiny-site", KEY, "p", content=content, gates={"inner": kind})[1].depth == depth


def test_sites_of_one_host_family_share_its_id(tmp_path: Path) -> None:
    content = tiny(tmp_path)
    of_one = {build_site("tiny-site", KEY, label, host="h", content=content)[1].host_family for label in "pqr"}
    assert len(of_one) == 1
    assert build_site("tiny-site", KEY, "p", content=content)[1].host_family not in of_one


@pytest.mark.parametrize("name", ["order-rebate", "store-deposit", "parcel-fee", "prize-claim"])
def test_the_search_depends_on_no_name_and_no_fact(name: str) -> None:
    """Sites that differ in nothing but names and facts have the same way, whichever was built first."""
    gates = {page: "none" for page, spec in load_archetype(name).pages.items() if spec.gate is not None}
    ways = set()
    for label in ("n1", "n2", "n3", "n4"):
        site, gold = build_site(name, KEY, label, gates=gates)
        walk, way = Walk(site), []
        for step in gold.path:
            named = [(n.control.role, n.control.name) if n.control else () for n in walk.page.controls()]
            alike = [place for place, name in enumerate(named) if name == (step.role, step.name)]
            way.append((step.action.action, step.role, alike[step.nth]))
            walk.take(step)
        ways.add(tuple(way))
    assert len(ways) == 1
