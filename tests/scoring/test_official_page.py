"""The example rows of the page on the published scorers score, and its snippet gives their hash."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from riskchain_gym.scoring.official import OfficialRowError, score_task1, score_task2
from riskchain_gym.scoring.official.schemas import OFFICIAL_SCHEMAS

PAGE = (Path(__file__).parents[2] / "docs" / "official.md").read_text(encoding="utf-8")


def example(name: str) -> dict[str, Any]:
    """Return an example row of the page."""
    found = re.search(rf"<!-- row: {name} -->\n```json\n(.*?)```", PAGE, flags=re.DOTALL)
    assert found is not None
    row: dict[str, Any] = json.loads(found[1])
    return row


def hashed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with the hash that the page's snippet gives it."""
    (snippet,) = re.findall(r"```python\n(import hashlib.*?)```", PAGE, flags=re.DOTALL)
    given = dict(row)
    exec(snippet, {"row": given})
    return given


def test_the_snippet_gives_the_hash_of_the_example() -> None:
    row = example("evaluator")
    assert hashed({**row, "record_sha256": "0" * 64}) == row


def test_the_example_rows_of_task1_score() -> None:
    scored = score_task1([example("evaluator")], [example("prediction")], replicates=2)
    assert scored["aggregate"]["full_reconstruction_success_rate_top1"] == 1.0
    assert scored["aggregate"]["target_message_count"] == 1
    assert list(scored["by_obfuscation_type"]) == example("evaluator")["obfuscation_types"]


def test_the_example_row_of_task2_scores() -> None:
    (model,) = score_task2([example("paired")], replicates=2)["models"].values()
    assert (model["point"]["web_decision_accuracy"], model["point"]["gated_decision_accuracy"]) == (1.0, 0.0)


def fields(heading: str) -> dict[str, bool]:
    """Return the fields of a table of the page that stand on a row's first level, and whether a row needs them."""
    table = re.split(r"\n##+ ", PAGE.partition(f"### {heading}")[2])[0]
    found: dict[str, bool] = {}
    for names, rest in re.findall(r"^\| (`.*?) \| (.*) \|$", table, flags=re.MULTILINE):
        optional = rest.startswith(("no |", "one of them |")) or "may be left out" in rest
        for name in re.findall(r"`(\w+)", names):
            found[name] = found.get(name, False) or not optional
    return found


@pytest.mark.parametrize(
    ("heading", "schema"),
    [
        ("Evaluator rows", "official-evaluator"),
        ("Prediction rows", "official-prediction"),
        ("Paired rows", "official-paired"),
    ],
)
def test_the_tables_name_the_fields_of_the_schemas_and_which_are_needed(heading: str, schema: str) -> None:
    said = OFFICIAL_SCHEMAS[schema].model_json_schema()
    assert fields(heading) == {name: name in said["required"] for name in said["properties"]}


@pytest.mark.parametrize("name", ["source_session", "obfuscation_types", "risk_type"])
def test_what_an_evaluator_row_may_lack_it_may_lack(name: str) -> None:
    row = {key: value for key, value in example("evaluator").items() if key != name}
    assert score_task1([hashed(row)], [example("prediction")], replicates=2)["aggregate"]["case_count"] == 1


@pytest.mark.parametrize("name", ["gold_reconstruction", "platform", "schema_version"])
def test_what_an_evaluator_row_needs_it_needs(name: str) -> None:
    row = {key: value for key, value in example("evaluator").items() if key != name}
    with pytest.raises(OfficialRowError, match=f"row 1: {name}"):
        score_task1([hashed(row)], [example("prediction")], replicates=2)
