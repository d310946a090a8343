"""Content that is hostile or plainly wrong is refused with its file; nothing hangs or fails with a bare exception."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from site_helpers import CLAIM, KEY, tiny

from riskchain_gym.protocol.errors import InfrastructureError, InputFileError
from riskchain_gym.sites.archetypes import lint_archetype, load_archetype
from riskchain_gym.sites.build import build_site
from riskchain_gym.sites.certify import CertificateError
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.yamlfile import read_yaml

GATE: dict[str, Any] = {
    "kind": "g",
    "code": "G1",
    "state": {"ok": False},
    "entry": "notice",
    "guard": "not ok",
    "pages": {"notice": {"title": "t", "blocks": [{"kind": "button", "text": "go", "do": "accept"}]}},
    "actions": {"accept": {"set": {"ok": True}, "go": "target"}},
}
FILLER: dict[str, Any] = {"name": "f", "nav": "n", "blocks": [{"kind": "text", "text": "t"}]}


def with_fragment(tmp_path: Path, folder: str, data: dict[str, Any]) -> Library:
    tiny(tmp_path)
    (tmp_path / folder / "own.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return Library(tmp_path)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"entry": "nowhere"}, "entry"),
        ({"guard": "not nothing"}, "guard"),
        ({"guard": "not ("}, "guard"),
        ({"guard": "1/0"}, "guard"),
        ({"actions": {"accept": {"set": {"ok": True}, "go": "tagret"}}}, "actions.accept.go"),
        ({"actions": {}}, "pages.notice.blocks.0.do"),
        ({"state": {"ok": False, "if": 1}}, "state.if"),
        ({"pages": {**GATE["pages"], "place": {"title": "t", "blocks": []}}}, "pages.place"),
        ({"facts": {"x": {"bank": "nobody"}}}, "facts.x.bank"),
    ],
)
def test_a_wrong_gate_is_refused(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    (problem,) = lint_archetype("tiny-site", with_fragment(tmp_path, "gates", {**GATE, **change}))
    assert (problem.path.name, problem.field) == ("own.yaml", field)


@pytest.mark.parametrize(
    ("block", "field"),
    [
        ({"kind": "links", "items": [{"text": "x", "to": "nowhere"}]}, "blocks.0.items.0.to"),
        ({"kind": "button", "text": "x", "do": "accept"}, "blocks.0"),
        ({"kind": "text", "text": "{{ joined }}"}, "blocks.0.text"),
        ({"kind": "text", "text": "[[ price ]]"}, "blocks.0.text"),
        ({"kind": "text", "text": "t", "atom": CLAIM}, "blocks.0.atom"),
    ],
)
def test_a_wrong_filler_page_is_refused(tmp_path: Path, block: dict[str, Any], field: str) -> None:
    (problem,) = lint_archetype("tiny-site", with_fragment(tmp_path, "fillers", {**FILLER, "blocks": [block]}))
    assert (problem.path.name, problem.field) == ("own.yaml", field)


def test_names_of_shared_pieces_may_not_meet_the_sites(tmp_path: Path) -> None:
    panels = {"kind": "tabs", "name": "joined", "items": [{"title": "t", "blocks": []}]}
    content = with_fragment(tmp_path, "fillers", {**FILLER, "blocks": [panels]})
    assert "rename one" in str(lint_archetype("tiny-site", content)[0])
    spec = content.archetype("tiny-site").model_copy(update={"fillers": (99, 99)})
    with pytest.raises(InputFileError, match="second state variable 'joined'"):
        compile_site(spec, KEY, "x", "s0", content=content)


def edited(tmp_path: Path, *path: Any) -> Library:
    *way, key, value = path

    def edit(site: dict[str, Any]) -> None:
        data: Any = site
        for part in way:
            data = data[part]
        data[key] = value

    return tiny(tmp_path, edit)


TEXT = ("pages", "inner", "blocks", 0, "text")


@pytest.mark.parametrize(
    "path",
    [
        (*TEXT, "{{ 1/0 }}"),
        (*TEXT, "{{ nickname.foo.bar }}"),
        (*TEXT, "{{ 'a' * 10000000000 }}"),
        (*TEXT, "{{ 9 ** 9999 }}"),
        (*TEXT, "[[% for i in [1, 2] %]]x[[% endfor %]]"),
        (*TEXT, "[[# hidden #]]x"),
        ("pages", "inner", "blocks", 2, "when", "joined }} {{ 1"),
        ("pages", "inner", "blocks", 2, "when", "1/0"),
        ("pages", "inner", "blocks", 4, "fields", 0, "fixture", "{{ 1/0 }}"),
        ("actions", "join", "set", "nickname", "{{ 1/0 }}"),
        ("facts", {"x": {"number": [0, 10**20]}}),
        ("facts", {"x": {"date": [0, 10**7]}}),
        ("facts", {"x": {"choice": []}}),
        ("facts", {"say": {"choice": ["x"]}}),
        ("state", {"steps": 1}),
        ("state", {"if": 1}),
        ("pages", "filler_about", {"title": "t", "nav": "n", "blocks": []}),
        ("pages", "²", {"title": "t", "blocks": []}),
    ],
)
def test_what_would_fail_later_is_blamed_by_field(tmp_path: Path, path: tuple[Any, ...]) -> None:
    content = edited(tmp_path, *path)
    problems = lint_archetype("tiny-site", content)
    field = ".".join(map(str, path[:-1]))
    assert problems
    assert problems[0].field.startswith(field), problems
    with pytest.raises(InputFileError):
        load_archetype("tiny-site", content)


def test_a_huge_result_in_a_fact_is_refused(tmp_path: Path) -> None:
    (problem,) = lint_archetype("tiny-site", edited(tmp_path, *TEXT, "[[ 'a' * 10000000000 ]]"))
    assert "too large" in str(problem)


def test_what_a_condition_hides_on_arrival_may_fail_there(tmp_path: Path) -> None:
    content = edited(tmp_path, "pages", "inner", "blocks", 2, "text", "{{ 'a' * (2 if joined else 99999) }}")
    assert lint_archetype("tiny-site", content) == []


@pytest.mark.parametrize(
    "text",
    [
        "extends: tiny\nstate: {x: 2026-13-45}\n",
        "extends: !!int abc\n",
        "extends: !!float abc\n",
        "extends: !!bool abc\n",
        "extends: !!timestamp abc\n",
        "extends: " + "9" * 5000,
        "a: &a [x]\nb: [*a, *a]\nextends: tiny\n",
        "extends: tiny\npages: &a [*a]\n",
    ],
)
def test_wrong_yaml_is_refused_with_its_file(tmp_path: Path, text: str) -> None:
    content = tiny(tmp_path)
    file = tmp_path / "archetypes" / "tiny-site" / "site.yaml"
    file.write_text(text, encoding="utf-8")
    (problem,) = lint_archetype("tiny-site", content)
    assert problem.path == file


def test_a_mapping_of_very_many_keys_is_read_in_time_that_grows_with_it(tmp_path: Path) -> None:
    file = tmp_path / "many.yaml"
    file.write_text("".join(f"k{i}: 1\n" for i in range(40_000)) + "k7: 2\n", encoding="utf-8")
    began = time.process_time()
    with pytest.raises(InputFileError, match="'k7' stands twice"):
        read_yaml(file)
    assert time.process_time() - began < 6, "each key was compared with each other one"


@pytest.mark.parametrize("text", ["[a, b]: 1\n", "{a: 1}: 1\n", "? [a]\n: 1\n"])
def test_a_key_that_is_no_text_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputFileError):
        read_yaml(tmp_path / "odd.yaml")


def test_a_site_without_a_certificate_names_its_file(tmp_path: Path) -> None:
    content = edited(tmp_path, "pages", "inner", "blocks", 3, "when", "joined and not joined")
    with pytest.raises(CertificateError, match=r"tiny-site/site\.yaml: .*cannot be seen"):
        build_site("tiny-site", KEY, "x", content=content)


def test_a_broken_site_is_no_fault_of_its_visitor(tmp_path: Path) -> None:
    site, _ = build_site("tiny-site", KEY, "x", content=tiny(tmp_path))
    home = site.pages["/"].model_copy(update={"title": "{{ nothing }}"})
    session = SiteSession(site.model_copy(update={"pages": {**site.pages, "/": home}}))
    for ask in (session.get, session.open, session.peek, partial(session.fixture, key="nobody")):
        with pytest.raises(InfrastructureError, match=r"site_error: /: .*nothing"):
            ask("/")
    assert session.failure is not None
    with pytest.raises(KeyError):
        session.fixture("/nowhere", "nobody")
