"""The catalogue page is the one that the package generates, and it hides nothing of the published registry."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.messages.catalogue import catalogue, describe_technique
from riskchain_gym.messages.published_types import FORM_TYPES, OTHER_COVER, covered_by, published_types
from riskchain_gym.messages.techniques.base import SEVERITIES
from riskchain_gym.messages.techniques.registry import techniques
from riskchain_gym.messages.visible import show_invisible
from riskchain_gym.protocol.errors import ConfigError

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
_UNESCAPED_BAR = re.compile(r"(?<!\\)\|")
_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")


def test_the_page_that_ships_is_the_generated_one() -> None:
    assert PAGE.read_text(encoding="utf-8") == catalogue(), "run `riskchain messages catalogue --out docs/recipes.md`"


def test_every_technique_has_a_row_with_an_example() -> None:
    rows = {line.split("`")[1]: line for line in catalogue().split("\n") if line.startswith("| `")}
    for technique in techniques():
        cells = rows[technique.name].split(" | ")
        assert cells[1] == technique.summary.replace("|", "\\|")
        assert len(cells[-1]) > 20


def test_no_example_is_taken_for_markdown() -> None:
    tables = [line for line in catalogue().split("\n") if line.startswith("| ") and "---" not in line]
    columns = {len(_UNESCAPED_BAR.split(line)) - 2 for line in tables}
    assert columns == {3, 4, 5}
    for line in tables:
        outside = _CODE_SPAN.sub("", line)
        assert "`" not in outside, line
        assert not set("[]<>⏎␣⟨") & set(outside), line


def test_one_technique_is_described_with_the_same_text_at_three_severities() -> None:
    for technique in techniques()[::7]:
        lines = describe_technique(technique.name).splitlines()
        facts = dict(re.split(r"  +", line, maxsplit=1) for line in lines[1:])
        assert lines[0] == f"{technique.name}: {technique.summary}"
        assert facts["reversibility"] == technique.reversibility
        assert all(name in facts["types"] for name in technique.types)
        assert facts["training"].startswith("never" if technique.held_out else "yes")
        shown = [facts[f"severity {severity}"] for severity in SEVERITIES]
        assert facts["plain"] not in shown
    with pytest.raises(ConfigError, match="did you mean full_pinyin"):
        describe_technique("ful_pinyin")


@given(st.text())
@settings(deadline=None)
def test_what_shows_nothing_is_shown_by_code_point(text: str) -> None:
    shown = show_invisible(text)
    back = re.sub("⟨([0-9A-F]{4,6})⟩", lambda found: chr(int(found[1], 16)), shown)
    assert "⟨" in text or back == text
    assert all(c in " \n" or unicodedata.category(c)[0] not in "CZ" for c in shown)


def test_zero_width_bidi_and_fillers_are_shown_and_pictures_are_kept() -> None:
    assert show_invisible("a\u200bb\u202ec\ufe0ed\u3000\u3164\u2800\u00ad") == (
        "a⟨200B⟩b⟨202E⟩c⟨FE0E⟩d⟨3000⟩⟨3164⟩⟨2800⟩⟨00AD⟩"
    )
    assert show_invisible("看 0\ufe0f\u20e3 é α\nb") == "看 0\ufe0f\u20e3 é α\nb"
    assert show_invisible("0\u200b\u20e3") == "0⟨200B⟩\u20e3"
    assert show_invisible("a\nb", kept="") == "a⟨000A⟩b"


def test_at_least_30_of_the_60_published_types_are_covered_and_the_rest_say_why_not() -> None:
    types = {kind.id: kind for kind in published_types()}
    assert len(types) == 60
    assert sum(bool(covered_by(name)) for name in types) >= 30
    for name, kind in types.items():
        assert bool(covered_by(name)) != bool(kind.open), name


def test_nothing_claims_a_type_that_the_registry_lacks() -> None:
    claimed = {name for technique in techniques() for name in technique.types}
    claimed |= {name for names in FORM_TYPES.values() for name in names} | set(OTHER_COVER)
    assert claimed <= {kind.id for kind in published_types()}
