"""Task 2 and gated: published expectations by value, and rows that must be refused."""

from __future__ import annotations

from typing import Any

import pytest
from official_rows import close, paired

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.official import OfficialRowError, score_task2

FIXTURE = [
    *(paired(n, ("VIOLATION", f"synthetic-type-{n}"), gate=n > 0) for n in range(6)),
    paired(6, ("NON_VIOLATION", "NONE")),
    paired(7, ("INSUFFICIENT_EVIDENCE", "NONE")),
]
FIXTURE[1] |= {"web_pred_decision": "__BOTTOM__", "web_pred_type": "__BOTTOM__"}
FIXTURE_POINT = {
    "entry_gate_pass": 0.875,
    "web_decision_accuracy": 0.875,
    "web_decision_macro_f1": 0.9696969696969697,
    "web_violation_type_macro_f1": 0.8333333333333334,
    "web_hierarchical_exact_match": 0.875,
    "gated_decision_accuracy": 0.75,
    "gated_decision_macro_f1": 0.9333333333333332,
    "gated_violation_type_macro_f1": 0.6666666666666666,
    "gated_hierarchical_exact_match": 0.75,
    "gate_loss": 0.125,
}
THIRD, SIXTH = 1 / 3, 1 / 6
FIXTURE_ENDS = {
    30: {
        "entry_gate_pass": [0.75, 1.0],
        "web_decision_accuracy": [0.625, 1.0],
        "web_decision_macro_f1": [0.5555555555555555, 1.0],
        "web_violation_type_macro_f1": [THIRD, 2 * THIRD],
        "web_hierarchical_exact_match": [0.625, 1.0],
        "gated_decision_accuracy": [0.5, 1.0],
        "gated_decision_macro_f1": [0.5, 1.0],
        "gated_violation_type_macro_f1": [SIXTH, 2 * THIRD],
        "gated_hierarchical_exact_match": [0.5, 1.0],
        "gate_loss": [0.0, 0.25],
    },
    50: {
        "entry_gate_pass": [0.625, 1.0],
        "web_decision_accuracy": [0.625, 1.0],
        "web_decision_macro_f1": [0.3111111111111111, 1.0],
        "web_violation_type_macro_f1": [THIRD, 5 * SIXTH],
        "web_hierarchical_exact_match": [0.625, 1.0],
        "gated_decision_accuracy": [0.5, 1.0],
        "gated_decision_macro_f1": [0.3111111111111111, 1.0],
        "gated_violation_type_macro_f1": [SIXTH, 2 * THIRD],
        "gated_hierarchical_exact_match": [0.5, 1.0],
        "gate_loss": [0.0, 0.375],
    },
    2000: {
        "entry_gate_pass": [0.625, 1.0],
        "web_decision_accuracy": [0.625, 1.0],
        "web_decision_macro_f1": [0.2857142857142857, 1.0],
        "web_violation_type_macro_f1": [THIRD, 5 * SIXTH],
        "web_hierarchical_exact_match": [0.625, 1.0],
        "gated_decision_accuracy": [0.375, 1.0],
        "gated_decision_macro_f1": [0.2222222222222222, 1.0],
        "gated_violation_type_macro_f1": [SIXTH, 2 * THIRD],
        "gated_hierarchical_exact_match": [0.375, 1.0],
        "gate_loss": [0.0, 0.375],
    },
}


def one(rows: list[dict[str, Any]], **settings: int) -> dict[str, Any]:
    (model,) = score_task2(rows, **settings)["models"].values()
    assert isinstance(model, dict)
    return model


@pytest.mark.parametrize("replicates", FIXTURE_ENDS)
def test_the_published_fixture_gives_the_published_points_and_intervals(replicates: int) -> None:
    """T003 and T061."""
    scored = score_task2(FIXTURE, replicates=replicates, seed=7)

    (model,) = scored["models"].values()
    assert (model["seed"], model["website_count"], len(scored["type_labels"])) == (7, 8, 6)
    assert model["point"].keys() == model["ci95"].keys() == FIXTURE_POINT.keys()
    close(model["point"], FIXTURE_POINT)
    close(model["ci95"], FIXTURE_ENDS[replicates])
    assert scored["notes"] == {"normalised_rows": 1}


def test_two_right_rows_and_one_closed_gate() -> None:
    """T064."""
    model = one([paired(1), paired(2, gate=False)], replicates=20, seed=7)

    close(
        model["point"],
        {
            "entry_gate_pass": 0.5,
            "web_decision_accuracy": 1.0,
            "web_decision_macro_f1": THIRD,
            "web_violation_type_macro_f1": 1.0,
            "web_hierarchical_exact_match": 1.0,
            "gated_decision_accuracy": 0.5,
            "gated_decision_macro_f1": 0.2222222222222222,
            "gated_violation_type_macro_f1": 0.6666666666666666,
            "gated_hierarchical_exact_match": 0.5,
            "gate_loss": 0.5,
        },
    )
    close(
        model["ci95"],
        {
            "entry_gate_pass": [0.0, 1.0],
            "web_decision_accuracy": [1.0, 1.0],
            "web_decision_macro_f1": [THIRD, THIRD],
            "web_violation_type_macro_f1": [1.0, 1.0],
            "web_hierarchical_exact_match": [1.0, 1.0],
            "gated_decision_accuracy": [0.0, 1.0],
            "gated_decision_macro_f1": [0.0, THIRD],
            "gated_violation_type_macro_f1": [0.0, 1.0],
            "gated_hierarchical_exact_match": [0.0, 1.0],
            "gate_loss": [0.0, 1.0],
        },
    )


def test_decision_macro_f1_has_three_fixed_labels() -> None:
    """T028."""
    assert one([paired(1)], replicates=1)["point"]["web_decision_macro_f1"] == THIRD


def test_type_f1_ignores_what_is_no_gold_violation() -> None:
    """T029 and T065."""
    model = one([paired(1), paired(2, ("NON_VIOLATION", "NONE"), ("VIOLATION", "A"))], replicates=1)

    close(
        model["point"],
        {
            "web_decision_accuracy": 0.5,
            "web_decision_macro_f1": 0.2222222222222222,
            "web_violation_type_macro_f1": 1.0,
            "web_hierarchical_exact_match": 0.5,
        },
    )
    assert model["beyond_published"]["point"]["web_balanced_accuracy"] == 0.5


def test_the_same_rows_in_another_order_give_the_same_figures() -> None:
    assert score_task2(FIXTURE, replicates=30) == score_task2(FIXTURE[::-1], replicates=30)


def test_controls_are_computed_from_the_gold() -> None:
    controls = score_task2(FIXTURE, replicates=30, seed=7)["controls"]

    accuracy = {name: row["point"]["web_decision_accuracy"] for name, row in controls["rows"].items()}
    assert accuracy == {
        "always VIOLATION": 0.75,
        "always NON_VIOLATION": 0.125,
        "always INSUFFICIENT_EVIDENCE": 0.125,
        "oracle": 1.0,
    }
    assert controls["rows"]["oracle"]["ci95"]["web_decision_accuracy"] == [1.0, 1.0]
    assert "Landing-only" in controls["note"]
    assert controls["violation_type"] == "synthetic-type-0"


def test_without_gold_violations_there_is_no_type_figure() -> None:
    scored = score_task2([paired(1, ("NON_VIOLATION", "NONE"))], replicates=2)

    (model,) = scored["models"].values()
    assert scored["type_labels"] == []
    assert model["point"]["web_violation_type_macro_f1"] is None
    assert model["ci95"]["gated_violation_type_macro_f1"] is None
    assert scored["controls"]["rows"]["always VIOLATION"]["point"]["web_decision_accuracy"] == 0.0
    assert scored["controls"]["violation_type"] is None


def test_gated_columns_that_agree_are_taken() -> None:
    rows = [
        paired(1, gated_pred_decision="VIOLATION", gated_pred_type="A"),
        paired(2, gate=False, gated_pred_decision="__BOTTOM__", gated_pred_type="__BOTTOM__"),
        paired(
            3, ("INSUFFICIENT_EVIDENCE", "NONE"), gated_pred_decision="INSUFFICIENT_EVIDENCE", gated_pred_type="NONE"
        ),
    ]
    assert one(rows, replicates=1)["point"]["gated_decision_accuracy"] == 2 / 3


WITHOUT = {name: value for name, value in paired(2).items() if name != "gold_type"}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], ["paired rows", "there is none"]),
        ([paired(1), paired(1)], ["row 2: ordinal", "duplicate website ordinal 1 of Model A", "row 1"]),
        (
            [paired(1), paired(1, ("VIOLATION", "B"), model="Model B")],
            ["row 2: gold_type", "alignment mismatch at website 1", "'B' of Model B", "'A' of Model A"],
        ),
        (
            [paired(1), paired(1, model="Model B", task2_case_ref="CASE9")],
            ["row 2: task2_case_ref", "alignment mismatch", "'CASE9'"],
        ),
        ([paired(1), paired(2), paired(1, model="Model B")], ["row 2: ordinal", "website 2 has no row of Model B"]),
        ([paired(1), WITHOUT], ["row 2: gold_type", "Field required"]),
        ([paired(1, gold_decision=None)], ["row 1: gold_decision", "got None"]),
        ([paired(float("nan"))], ["row 1: ordinal", "got nan"]),  # type: ignore[arg-type]
        ([paired(True)], ["row 1: ordinal", "got True"]),
        ([paired(1, gate="true")], ["row 1: gate_pass", "got 'true'"]),
        ([paired(1, gate=1)], ["row 1: gate_pass", "got 1"]),
        ([paired(1, gate=float("nan"))], ["row 1: gate_pass", "got nan"]),
        ([paired(1, ("VIOLATION", "NONE"))], ["row 1: gold_type", "concrete type", "'NONE'"]),
        ([paired(1, ("NON_VIOLATION", "A"))], ["row 1: gold_type", "must be NONE", "'A'"]),
        ([paired(1, web_pred_decision="violation")], ["row 1: web_pred_decision", "got 'violation'"]),
        ([paired(1, web_pred_type="")], ["row 1: web_pred_type", "got ''"]),
        (
            [paired(1, gate=False, gated_pred_decision="VIOLATION", gated_pred_type="A")],
            ["row 1: gated_pred_decision", "gate_pass false", "got VIOLATION/A"],
        ),
        ([paired(1, gated_pred_type="B")], ["row 1: gated_pred_type", "got VIOLATION/B"]),
        ([paired(1, model="A"), {**paired(2, model="A"), "display_model": "B"}], ["row 2", "mixed up"]),
        ([{**paired(1), "model": None, "display_model": None}], ["row 1: model", "is missing"]),
        (["a row"], ["row 1", "must be an object, got str"]),
    ],
)
def test_rows_that_cannot_be_scored_are_named(rows: list[Any], said: list[str]) -> None:
    with pytest.raises(OfficialRowError) as error:
        score_task2(rows, replicates=1)
    for part in said:
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"replicates": 0}, "1 to 100000, got 0"),
        ({"replicates": 2.5}, "integer"),
        ({"seed": "7"}, "seed"),
        ({"seed": True}, "seed"),
    ],
)
def test_settings_that_cannot_be_honoured_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        score_task2(FIXTURE, **settings)
