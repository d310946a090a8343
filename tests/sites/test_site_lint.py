"""Wrong content is refused by file and field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from site_helpers import ACTION, BENIGN, CLAIM, KEY, LIMITATION, tiny, undecidable

from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.sites.archetypes import archetype_names, lint_archetype, load_archetype
from riskchain_gym.sites.build import build_site
from riskchain_gym.sites.certify import CertificateError
from riskchain_gym.sites.library import Library


def inner(site: dict[str, Any]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = site["pages"]["inner"]["blocks"]
    return blocks


def put(*path: Any) -> Any:
    """Return an edit that sets the last element of ``path`` at the place the others name."""
    *way, key, value = path

    def edit(data: Any) -> None:
        for part in way:
            data = data[part]
        data[key] = value

    return edit


def test_the_projects_own_archetypes_have_no_problems() -> None:
    found = {name: [str(problem) for problem in lint_archetype(name)] for name in archetype_names()}
    assert {name: problems for name, problems in found.items() if problems} == {}


def test_a_sound_site_passes(tmp_path: Path) -> None:
    assert lint_archetype("tiny-site", tiny(tmp_path)) == []


@pytest.mark.parametrize(
    ("edit", "field", "words"),
    [
        (put("pages", "inner", "blocks", 4, "do", "jion"), "pages.inner.blocks.4.do", "no action 'jion'"),
        (put("pages", "inner", "blocks", 1, "text", "付 [[ prise ]] 元"), "pages.inner.blocks.1.text", "'prise'"),
        (put("pages", "inner", "blocks", 2, "when", "joind"), "pages.inner.blocks.2.when", "state variable 'joind'"),
        (put("pages", "inner", "blocks", 2, "when", "joined and"), "pages.inner.blocks.2.when", "does not parse"),
        (put("pages", "inner", "blocks", 2, "text", "{{ visits }}"), "pages.inner.blocks.2.text", "visits.NAME"),
        (put("pages", "inner", "blocks", 2, "text", "{{ visits.inn }}"), "pages.inner.blocks.2.text", "page 'inn'"),
        (
            put("pages", "inner", "blocks", 2, "text", "{% if a %}b{% endif %}"),
            "pages.inner.blocks.2.text",
            "statement",
        ),
        (put("pages", "inner", "blocks", 0, "text", "两\n行"), "pages.inner.blocks.0.text", "one line"),
        (put("pages", "inner", "blocks", 0, "tone", "loud"), "pages.inner.blocks.0.tone", "Input should be"),
        (put("pages", "inner", "blocks", 0, "kind", "headline"), "pages.inner.blocks.0", "headline"),
        (put("pages", "inner", "gate", ["moat"]), "pages.inner.gate.0", "no gate 'moat'"),
        (put("pages", "lost", {"title": "x", "blocks": []}), "pages.lost", "nothing leads to this page"),
        (put("actions", "join", "checks", 0, "rule", "(("), "actions.join.checks.0.rule", "unterminated"),
        (put("actions", "join", "go", "nowhere"), "actions.join.go", "no page 'nowhere'"),
        (put("actions", "join", "set", "age", 3), "actions.join.set", "state variable 'age'"),
        (put("actions", "join", "checks", 0, "field", "nick"), "actions.join.checks.0.field", "form field 'nick'"),
        (put("facts", {"colour": {"bank": "colours"}}), "facts.colour.bank", "no phrase bank 'colours'"),
        (put("facts", {"x": {"number": [9, 3]}}), "facts.x.number", "lower end"),
        (put("facts", {"x": {"expr": "later + 1"}, "later": {"number": [1, 2]}}), "facts.x.expr", "'later'"),
        (put("facts", {"x": {"bank": "names", "choice": ["a"]}}), "facts.x", "exactly one"),
        (put("extends", "nobody"), "extends", "no family 'nobody'"),
        (put("name", "other"), "name", "folder's name"),
        (put("colour", "red"), "colour", "Extra inputs"),
        (put("fillers", [4, 2]), "fillers", "fewest"),
        (put("label", {"decision": "VIOLATION", "type": "NONE"}), "label", "concrete type"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, edit: Any, field: str, words: str) -> None:
    content = tiny(tmp_path, edit)
    problems = lint_archetype("tiny-site", content)
    assert [p.field for p in problems[:1]] == [field], [str(p) for p in problems]
    assert words in str(problems[0])
    assert problems[0].path == tmp_path / "archetypes" / "tiny-site" / "site.yaml"
    with pytest.raises(InputFileError, match=r"site\.yaml"):
        load_archetype("tiny-site", content)


def test_a_field_of_the_family_blames_the_family(tmp_path: Path) -> None:
    content = tiny(tmp_path, family=put("pages", "home", "blocks", 0, "subtitle", "[[ nobody ]]"))
    (problem,) = lint_archetype("tiny-site", content)
    assert problem.path == tmp_path / "families" / "tiny.yaml"
    assert problem.field == "pages.home.blocks.0.subtitle"


@pytest.mark.parametrize(
    ("marks", "label", "words"),
    [
        ({1: None}, ("VIOLATION", "FRAUD_DECEPTIVE_INDUCEMENT"), "claim is missing"),
        ({3: None}, ("VIOLATION", "FRAUD_DECEPTIVE_INDUCEMENT"), "action is missing"),
        ({}, ("VIOLATION", "PHISHING_CREDENTIAL_THEFT"), "PHISHING_CREDENTIAL_THEFT needs a claim"),
        ({0: BENIGN}, ("NON_VIOLATION", "NONE"), "both a claim and an action"),
        ({3: None}, ("NON_VIOLATION", "NONE"), "at least one benign"),
        ({3: None, 1: BENIGN}, ("INSUFFICIENT_EVIDENCE", "UNKNOWN"), "at least one limitation"),
    ],
)
def test_the_label_must_follow_from_the_atoms(tmp_path: Path, marks: Any, label: Any, words: str) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["label"] = dict(zip(("decision", "type"), label, strict=True))
        for i, mark in marks.items():
            inner(site)[i]["atom"] = mark

    problems = lint_archetype("tiny-site", tiny(tmp_path, edit))
    assert problems[0].field == "label"
    assert words in str(problems[0])


def test_a_lone_half_makes_a_hard_negative(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["label"] = {"decision": "NON_VIOLATION", "type": "NONE"}
        inner(site)[3]["atom"] = BENIGN

    assert lint_archetype("tiny-site", tiny(tmp_path, edit)) == []


def blocked(change: Any) -> Any:
    """Return an edit that makes the small site undecidable and then changes the page of its limitation."""

    def edit(site: dict[str, Any]) -> None:
        undecidable(site)
        change(site)

    return edit


def fold(site: dict[str, Any]) -> None:
    panel = inner(site)[4]["items"][0]
    panel["blocks"].append({"kind": "text", "text": "正文缺失", "atom": LIMITATION})
    inner(site)[4]["when"] = "joined"


def row(site: dict[str, Any]) -> None:
    item = {"label": "说明", "value": "没有说明", "when": "joined", "atom": LIMITATION}
    inner(site).append({"kind": "details", "rows": [{"label": "时间", "value": "未定"}, item]})


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        (put("pages", "inner", "blocks", 1, "when", "not joined"), "pages.inner.blocks.1.when", "always be shown"),
        (fold, "pages.inner.blocks.4.when", "always be shown"),
        (row, "pages.inner.blocks.6.rows.1.when", "always be shown"),
        (put("pages", "inner", "detours", [{"when": "joined", "go": "home"}]), "pages.inner.detours", "only its gate"),
    ],
)
def test_a_limitation_that_can_be_removed_is_refused(tmp_path: Path, change: Any, field: str, words: str) -> None:
    problems = lint_archetype("tiny-site", tiny(tmp_path, blocked(change)))
    assert [p.field for p in problems] == [field], [str(p) for p in problems]
    assert words in str(problems[0])


def test_a_limitation_may_stand_behind_a_fold_or_a_gate(tmp_path: Path) -> None:
    def change(site: dict[str, Any]) -> None:
        fold(site)
        del inner(site)[4]["when"]
        site["pages"]["inner"]["gate"] = ["login"]

    content = tiny(tmp_path, blocked(change))
    assert lint_archetype("tiny-site", content) == []
    site, gold = build_site("tiny-site", KEY, "one", content=content, gates={"inner": "login"})
    assert gold.gates == ("login",)
    assert len(gold.deciding_atoms()) >= 1
    assert site.pages


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"kind": "text", "text": "{{ nickname }} 请付款", "atom": CLAIM}, "facts only"),
        ({"kind": "text", "text": "付款", "atom": {**CLAIM, "type": None}}, "needs the violation type"),
        ({"kind": "text", "text": "很好", "atom": {**BENIGN, "type": "GAMBLING_BETTING_PROMOTION"}}, "carries no"),
        ({"kind": "text", "text": "请转入 [[ price ]] 元", "atom": ACTION}, "more than once"),
    ],
)
def test_an_atoms_line_must_be_citable(tmp_path: Path, block: dict[str, Any], words: str) -> None:
    problems = lint_archetype("tiny-site", tiny(tmp_path, lambda site: inner(site).append(block)))
    assert any(words in str(p) and p.field.startswith("pages.inner.blocks") for p in problems), problems


def test_an_atom_that_nothing_shows_is_refused(tmp_path: Path) -> None:
    content = tiny(tmp_path, put("pages", "inner", "blocks", 3, "when", "joined and not joined"))
    assert lint_archetype("tiny-site", content) == []
    with pytest.raises(CertificateError, match=r"请转入 . 元.*cannot be seen"):
        build_site("tiny-site", KEY, "one", content=content)


def test_broken_yaml_names_the_line(tmp_path: Path) -> None:
    content = tiny(tmp_path)
    file = tmp_path / "archetypes" / "tiny-site" / "site.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "\npages: [\n", encoding="utf-8")
    (problem,) = lint_archetype("tiny-site", content)
    assert problem.field.startswith("line ")


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    content = tiny(tmp_path)
    file = tmp_path / "archetypes" / "tiny-site" / "site.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "\nsummary: Another.\n", encoding="utf-8")
    (problem,) = lint_archetype("tiny-site", content)
    assert "'summary' stands twice" in str(problem)


def test_banks_may_not_share_a_name(tmp_path: Path) -> None:
    tiny(tmp_path)
    (tmp_path / "banks" / "zz.yaml").write_text("names: [丁社]\n", encoding="utf-8")
    with pytest.raises(InputFileError, match=r"zz.yaml: names: another bank file"):
        Library(tmp_path).banks()


def test_a_private_folder_chooses_among_the_themes_that_pages_are_drawn_with(tmp_path: Path) -> None:
    tiny(tmp_path)
    for file in sorted((tmp_path / "themes").glob("*.css"))[2:]:
        file.unlink()
    assert Library(tmp_path).themes() == ("blueprint", "bold")
    (tmp_path / "themes" / "mine.css").write_text(":root { --ink: #111 }", encoding="utf-8")
    with pytest.raises(InputFileError, match=r"mine.css: .*not one of the project's themes"):
        Library(tmp_path).themes()


def test_an_unknown_archetype_suggests_near_names(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean tiny-site"):
        load_archetype("tiny-sit", tiny(tmp_path))
