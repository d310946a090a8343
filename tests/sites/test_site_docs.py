"""The pages on sites: their Python runs, their numbers are those of the content, their links lead somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from riskchain_gym.benchmark.pool_plan import load_pool_plan
from riskchain_gym.benchmark.splits import split_dir
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.sites.grade import EASY, MEDIUM
from riskchain_gym.sites.library import library
from riskchain_gym.sites.scaffold import new_family
from riskchain_gym.sites.spec import Presentation

ROOT = Path(__file__).parents[2]
PAGE, GUIDE = ROOT / "docs" / "sites.md", ROOT / "sites" / "README.md"
READMES = (ROOT / "README.md", ROOT / "README.zh-CN.md")
PAGES = (PAGE, GUIDE, *READMES, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))


def test_every_snippet_runs(tmp_path: Path) -> None:
    shutil.copytree(split_dir("mini"), tmp_path / "runs" / "sites" / "mini")
    new_family("front-desk", "desk", library(tmp_path / "own"))
    for page in (PAGE, GUIDE):
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        assert blocks, page
        done = subprocess.run(
            [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=60
        )
        assert done.returncode == 0, f"{page}: {done.stderr}"
        assert "VIOLATION" in done.stdout


@pytest.mark.parametrize("page", [PAGE, *READMES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_what_there_is_is_counted_right(page: Path) -> None:
    content = library()
    text = page.read_text(encoding="utf-8")
    wanted = {
        r"(\d+) (?:archetypes in|种原型)": len(content.archetype_names()),
        r"(\d+) (?:families|个家族)": len(content.families()),
        r"(\d+) (?:\*)?(?:presentation forms|种版式)": len(get_args(Presentation)),
        r"(\d+) (?:\*)?(?:themes|种主题)": len(content.themes()),
        r"(\d+) (?:kinds of gate|gates|种关卡)": len(content.gate_kinds()),
    }
    for pattern, count in wanted.items():
        assert {int(found) for found in re.findall(pattern, text)} <= {count}, pattern
    assert re.search(next(iter(wanted)), text)


def test_the_page_has_the_gates_and_the_numbers_of_the_plan() -> None:
    text = PAGE.read_text(encoding="utf-8")
    kinds = {gate.kind: gate.code for gate in library().gates("zh-CN").values()}
    assert dict(re.findall(r"^\| (\w+) \| (G\d+) \|", text, flags=re.MULTILINE)) == kinds
    plan = load_pool_plan(content_dir("sites"))
    for name, decisions in (("test", plan.selection.decisions), *plan.splits.items()):
        parts = " : ".join(str(count) for count in decisions.values())
        assert f"| `{name}` | {sum(decisions.values())} | {parts} |" in text, name
    assert f"Up to {EASY} is `easy`, up to {MEDIUM}" in text.replace("\n", " ")
    held_out = [*plan.held_out.families, *plan.held_out.gates]
    assert all(f"`{name}`" in text for name in held_out)


def test_every_link_to_a_file_or_a_heading_leads_somewhere() -> None:
    for page in PAGES:
        for target, heading in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            found = page.parent / target if target else page
            assert found.exists(), f"{page.name}: {target}"
            if heading:
                titles = re.findall(r"^#+ (.*)$", found.read_text(encoding="utf-8"), flags=re.MULTILINE)
                slugs = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
                assert heading in slugs, f"{page.name}: {target}#{heading}"
