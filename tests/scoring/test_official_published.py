"""The published aggregates, back from case rows that are consistent with the published integers (T034, T096, T098)."""

from __future__ import annotations

from typing import Any

import pytest
from official_rows import ENTRY, evaluator, paired, prediction
from published_figures import RESTORED, WEB, Restored, Web

from riskchain_gym.scoring.official import TASK1_SEED, TASK2_SEED, score_task1, score_task2

TYPES = (
    "ADULT_CONTENT_OR_SEXUAL_SERVICE",
    "CONTROLLED_SUBSTANCE_PROMOTION",
    "FRAUD_DECEPTIVE_INDUCEMENT",
    "GAMBLING_BETTING_PROMOTION",
    "INVESTMENT_FINANCIAL_FRAUD",
    "OTHER_PROHIBITED_ACTIVITY",
)
GOLD = [("VIOLATION", TYPES[n % 6]) for n in range(394)]
GOLD += [("NON_VIOLATION", "NONE")] * 181 + [("INSUFFICIENT_EVIDENCE", "UNKNOWN")] * 25


def websites(model: Web) -> list[dict[str, Any]]:
    """Return 600 rows: first the right decisions with a wrong type, then the exact reports, then no report."""
    wrong_type, exact = model.web - model.exact, model.exact
    gates = [n < model.gated - model.gated_exact for n in range(wrong_type)]
    gates += [n < model.gated_exact for n in range(exact)]
    gates += [n < model.gate - model.gated for n in range(600 - model.web)]
    assert sum(gates) == model.gate
    rows = []
    for ordinal, (gold, gate) in enumerate(zip(GOLD, gates, strict=True), 1):
        web = gold if ordinal <= model.web else ("__BOTTOM__", "__BOTTOM__")
        if ordinal <= wrong_type:
            web = ("VIOLATION", "PHISHING_CREDENTIAL_THEFT")
        rows.append(paired(ordinal, gold, web, gate, model.model))
    return rows


@pytest.fixture(scope="module")
def scored() -> dict[str, Any]:
    return score_task2([row for model in reversed(WEB) for row in websites(model)], replicates=3)


def test_ten_models_of_600_websites_are_taken_with_six_types(scored: dict[str, Any]) -> None:
    """T031 and T034: shape, seeds in order of the names, keys, the identity of the gate loss."""
    assert list(scored["models"]) == [model.model for model in WEB]
    assert scored["type_labels"] == list(TYPES)
    assert [model["seed"] for model in scored["models"].values()] == list(range(20260727, 20260737))
    assert TASK2_SEED == 20260727
    for model in scored["models"].values():
        assert model["website_count"] == 600
        assert model["ci95"].keys() == model["point"].keys()
        point = model["point"]
        assert point["gate_loss"] == point["web_decision_accuracy"] - point["gated_decision_accuracy"]


@pytest.mark.parametrize("model", WEB, ids=lambda model: model.model)
def test_published_web_and_gated_points_come_back_exactly(scored: dict[str, Any], model: Web) -> None:
    point = scored["models"][model.model]["point"]

    published = {name: value for name, value in model._asdict().items() if name in point}
    assert len(published) == 6
    assert {name: point[name] for name in published} == published


def test_always_answering_violation_beats_every_published_model(scored: dict[str, Any]) -> None:
    rows = scored["controls"]["rows"]

    assert scored["controls"]["violation_type"] == TYPES[0]
    always = rows["always VIOLATION"]["point"]["web_decision_accuracy"]
    assert always == 394 / 600
    assert all(always > model.web_decision_accuracy for model in WEB)
    assert rows["oracle"]["point"]["web_hierarchical_exact_match"] == 1.0


def samples(model: Restored) -> list[dict[str, Any]]:
    """Return 3,600 predictions: full ones, then exact texts without the entry, then the entry without the text."""
    rows = []
    for n, (sample_id, text) in enumerate(SAMPLES):
        beyond = n - model.exact
        first = n < model.full or 0 <= beyond < model.top1 - model.full
        later = 0 <= beyond < model.topk - model.full
        entries = (ENTRY,) if first else ("x.y.test", ENTRY) if later else ("x.y.test",)
        rows.append(
            prediction(
                sample_id,
                text if n < model.exact else "",
                entries=entries,
                intent="OPEN_SITE" if n < model.intent else "UNKNOWN",
                abstain=n < model.abstained,
            )
        )
    return rows


SAMPLES = [(f"s{session:04d}--v{variant:03d}", "请看") for session in range(600) for variant in range(6)]
EVALUATOR = [evaluator(sample_id, text) for sample_id, text in SAMPLES]


@pytest.mark.parametrize("model", RESTORED, ids=lambda model: model.model)
def test_published_restoration_points_come_back_exactly(model: Restored) -> None:
    scored = score_task1(EVALUATOR, samples(model), replicates=2)

    point = scored["aggregate"]
    published = {name: value for name, value in model._asdict().items() if name in point}
    assert len(published) == 6
    assert {name: point[name] for name in published} == published
    assert point["full_reconstruction_success_rate"] == point["full_reconstruction_success_rate_top1"]
    assert point["message_exact_rate_per_message"] == point["message_exact_rate"]
    assert point["local_resolution_success_rate_at_k"] == point["entry_topk_recall"]
    assert (point["case_count"], point["target_message_count"], point["platform_accuracy"]) == (3600, 3600, 1.0)
    bootstrap = scored["aggregate_bootstrap"]
    assert (bootstrap["seed"], bootstrap["site_count"]) == (TASK1_SEED, 600) == (20260726, 600)
    assert bootstrap["ci95"].keys() == point.keys() - {
        "case_count",
        "target_message_count",
        "predicted_live_entry_count",
    }
