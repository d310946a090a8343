"""A certificate is a way through the site that holds when it is walked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from site_helpers import KEY, tiny

from riskchain_gym.protocol.action import ActionKind
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.gold import PathStep
from riskchain_gym.sites.archetypes import archetype_names
from riskchain_gym.sites.build import build_site
from riskchain_gym.sites.certify import MAX_ACTIONS, CertificateError, find_path, replay, shows


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


def test_a_wrong_step_is_told(tmp_path: Path) -> None:
    site, gold = build_site("tiny-site", KEY, "p", content=tiny(tmp_path))
    wrong = gold.path[0].model_copy(update={"name": "没有"})
    with pytest.raises(CertificateError, match="has no link '没有'"):
        list(replay(site, (wrong,)))
