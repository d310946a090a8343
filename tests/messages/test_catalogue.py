"""The catalogue page is the one that the package generates, and it hides nothing of the published registry."""

from __future__ import annotations

from pathlib import Path

from riskchain_gym.messages.catalogue import catalogue
from riskchain_gym.messages.published_types import FORM_TYPES, OTHER_COVER, covered_by, published_types
from riskchain_gym.messages.techniques.registry import techniques

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"


def test_the_page_that_ships_is_the_generated_one() -> None:
    assert PAGE.read_text(encoding="utf-8") == catalogue(), "run `riskchain messages catalogue --out docs/recipes.md`"


def test_every_technique_has_a_row_with_an_example() -> None:
    rows = {line.split("`")[1]: line for line in catalogue().split("\n") if line.startswith("| `")}
    for technique in techniques():
        cells = rows[technique.name].split(" | ")
        assert cells[1] == technique.summary
        assert len(cells[-1]) > 20


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
