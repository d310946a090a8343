"""What lint says of pages that load and are still wrong, and of files that cannot be read at all."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from site_helpers import SITE, tiny

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.archetypes import lint_archetype, lint_content, load_archetype
from riskchain_gym.sites.placeholders import placeholder


def on_inner(**changes: Any) -> Any:
    """Return an edit of the small site's blocks, ``b2={…}`` updating the third."""

    def edit(site: dict[str, Any]) -> None:
        for name, change in changes.items():
            site["pages"]["inner"]["blocks"][int(name[1:])].update(change)

    return edit


def on_home(**changes: Any) -> Any:
    return lambda base: base["pages"]["home"].update(changes)


@pytest.mark.parametrize(
    "text",
    ["{{ 1 // (steps - 7) }}", "{{ 6 % visits.inner }}", "{{ price0 / 2 }}{{ 2 / price0 }}", "{{ 0 ** (2 - steps) }}"],
)
def test_a_division_that_could_be_by_zero_later_is_refused(tmp_path: Path, text: str) -> None:
    def edit(site: dict[str, Any]) -> None:
        site["state"] = {"price0": 3}
        on_inner(b2={"text": text})(site)

    (problem,) = lint_archetype("tiny-site", tiny(tmp_path, edit))
    assert problem.field == "pages.inner.blocks.2.text"
    assert "zero" in problem.problem or "power" in problem.problem


def test_conditions_and_values_are_looked_at_too(tmp_path: Path) -> None:
    def edit(site: dict[str, Any]) -> None:
        on_inner(b2={"when": "steps // (steps - 7)"})(site)
        site["actions"]["join"]["set"]["joined"] = "{{ 1 // (steps - 7) }}"

    fields = [problem.field for problem in lint_archetype("tiny-site", tiny(tmp_path, edit))]
    assert fields == ["pages.inner.blocks.2.when", "actions.join.set.joined"]


@pytest.mark.parametrize("text", ["{{ steps // 2 }} / 3", "{{ 9 % (steps or 1) }}", "{{ steps ** 2 }}", "{{ 1 / -2 }}"])
def test_other_divisions_may_stand(tmp_path: Path, text: str) -> None:
    assert lint_archetype("tiny-site", tiny(tmp_path, on_inner(b2={"text": text}))) == []


@pytest.mark.parametrize(
    ("edit", "field", "words"),
    [
        (on_inner(b0={"text": ""}), "pages.inner.blocks.0.text", "empty"),
        (on_inner(b0={"kind": "bullets", "text": None, "items": ["a", " "]}), "pages.inner.blocks.0.items.1", "empty"),
        (
            on_inner(b4={"fields": [{"name": n, "label": n} for n in ("nickname", "secret", "agree", "agree")]}),
            "pages.inner.blocks.4.fields.3.name",
            "another field",
        ),
        (on_inner(b0={"text": placeholder("tiny-site", "x", "zh-CN")}), "pages.inner.blocks.0.text", "placeholder"),
        (on_inner(b0={"text": placeholder("tiny-site", "x", "en")}), "pages.inner.blocks.0.text", "placeholder"),
    ],
)
def test_a_page_that_is_not_finished_is_refused(tmp_path: Path, edit: Any, field: str, words: str) -> None:
    def change(site: dict[str, Any]) -> None:
        edit(site)
        first = site["pages"]["inner"]["blocks"][0]
        site["pages"]["inner"]["blocks"][0] = {key: value for key, value in first.items() if value is not None}

    (problem,) = lint_archetype("tiny-site", tiny(tmp_path, change))
    assert problem.field == field
    assert words in problem.problem


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"status": 503}, "pages.home.status"),
        ({"detours": [{"when": "not joined", "go": "inner"}]}, "pages.home.detours.0.when"),
    ],
)
def test_a_visitor_who_arrives_sees_the_landing_page(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    (problem,) = lint_archetype("tiny-site", tiny(tmp_path, family=on_home(**change)))
    assert (problem.path.name, problem.field) == ("tiny.yaml", field)


def test_the_landing_page_may_send_on_later(tmp_path: Path) -> None:
    content = tiny(tmp_path, family=on_home(detours=[{"when": "joined", "go": "inner"}]))
    assert lint_archetype("tiny-site", content) == []


def test_a_step_that_leaves_one_number_is_refused(tmp_path: Path) -> None:
    content = tiny(tmp_path, family=lambda base: base["facts"]["price"].update(step=500))
    (problem,) = lint_archetype("tiny-site", content)
    assert problem.field == "facts.price.step"


def nested(depth: int) -> dict[str, Any]:
    block: dict[str, Any] = {"kind": "text", "text": "底"}
    for i in range(depth):
        block = {"kind": "tabs", "name": f"t{i}", "items": [{"title": f"第{i}", "blocks": [block]}]}
    return block


@pytest.mark.parametrize("depth", [12, 150])
def test_panels_too_deep_inside_one_another_are_refused(tmp_path: Path, depth: int) -> None:
    content, site = tiny(tmp_path), copy.deepcopy(SITE)
    site["pages"]["inner"]["blocks"].append(nested(depth))
    (tmp_path / "archetypes" / "tiny-site" / "site.yaml").write_text(json.dumps(site), encoding="utf-8")
    (problem,) = lint_content(content)
    assert problem.field == "pages.inner.blocks.7"
    assert "levels deep" in problem.problem


def test_eight_panels_inside_one_another_may_stand(tmp_path: Path) -> None:
    content = tiny(tmp_path, lambda site: site["pages"]["inner"]["blocks"].append(nested(8)))
    assert lint_content(content) == []


def test_a_family_that_cannot_be_read_is_told_and_ends_nothing(tmp_path: Path) -> None:
    content = tiny(tmp_path)
    (tmp_path / "families" / "tiny.yaml").write_text("pages: [\n", encoding="utf-8")
    assert {problem.path.name for problem in lint_content(content)} == {"tiny.yaml"}


@pytest.mark.parametrize("kind", ["pipe", "loop", "folder"])
def test_what_is_no_regular_file_is_refused_and_not_passed_over(tmp_path: Path, kind: str) -> None:
    content = tiny(tmp_path)
    file = tmp_path / "archetypes" / "tiny-site" / "site.yaml"
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "loop":
        file.symlink_to(file)
    else:
        file.mkdir()
    assert content.archetype_names() == ("tiny-site",)
    (problem,) = lint_content(content)
    assert problem.path == file
    assert ("leads nowhere" if kind == "loop" else "no regular file") in problem.problem
    with pytest.raises(InputFileError):
        load_archetype("tiny-site", content)
