"""Task 1: published expectations by value, and rows that must be refused."""

from __future__ import annotations

from typing import Any

import pytest
from official_rows import ENTRY, close, evaluator, hashed, prediction

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.official import OfficialRowError, score_task1
from riskchain_gym.scoring.text import mixed_tokens

GOLD = [evaluator("synthetic-0--v000", "hello"), evaluator("synthetic-1--v000", "hello")]
SAID = [
    prediction("synthetic-0--v000", "hello"),
    prediction("synthetic-1--v000", "hello", entries=("incorrect.example.test",)),
]


@pytest.mark.parametrize("replicates", [30, 50, 2000])
def test_the_published_fixture_gives_the_published_figures(replicates: int) -> None:
    """T002 and T060."""
    scored = score_task1(GOLD, SAID, replicates=replicates, seed=7)

    close(
        scored["aggregate"],
        {
            "case_count": 2,
            "character_error_rate": 0,
            "mixed_token_error_rate": 0,
            "message_exact_rate": 1,
            "intent_accuracy": 1,
            "platform_accuracy": 1,
            "entry_top1_exact_rate": 0.5,
            "entry_topk_recall": 0.5,
            "full_reconstruction_success_rate": 0.5,
            "full_reconstruction_success_rate_top1": 0.5,
            "abstain_rate": 0,
            "predicted_live_entry_count": 0,
        },
    )
    assert scored["missing_prediction_count"] == 0
    bootstrap = scored["aggregate_bootstrap"]
    assert bootstrap["ci95"]["entry_top1_exact_rate"] == [0.0, 1.0]
    assert (bootstrap["seed"], bootstrap["replicates"], bootstrap["site_count"]) == (7, replicates, 2)


def test_a_right_entry_of_rank_two_counts_for_recall_only() -> None:
    """T014."""
    said = prediction("s--v000", "hello", entries=("wrong.example.test", ENTRY))
    scored = score_task1([evaluator("s--v000", "hello")], [said], replicates=1)

    close(
        scored["aggregate"],
        {
            "entry_topk_recall": 1.0,
            "local_resolution_success_rate_at_k": 1.0,
            "entry_top1_exact_rate": 0.0,
            "full_reconstruction_success_rate_top1": 0.0,
            "full_reconstruction_success_rate": 1.0,
        },
    )
    only = score_task1([evaluator("s--v000", "hello")], [said], replicates=1, top_k=1)
    assert only["aggregate"]["entry_topk_recall"] == 0.0


def test_a_missing_prediction_is_refused_unless_it_is_allowed() -> None:
    """T015 and T016."""
    with pytest.raises(OfficialRowError, match="1 of 2 samples have none, 'synthetic-1--v000'"):
        score_task1(GOLD, SAID[:1], replicates=1)

    scored = score_task1(GOLD, SAID[:1], replicates=1, allow_missing=True)
    close(
        scored["aggregate"],
        {
            "case_count": 2,
            "entry_top1_exact_rate": 0.5,
            "abstain_rate": 0.5,
            "platform_accuracy": 0.5,
            "intent_accuracy": 0.5,
            "character_error_rate": 0.5,
        },
    )
    assert scored["missing_prediction_count"] == 1


def test_six_variants_of_a_session_are_one_cluster() -> None:
    """T021."""
    names = [f"{session}--v{variant:03d}" for session in ("a", "b") for variant in range(6)]
    gold = [evaluator(name, "hello") for name in names]
    said = [prediction(name, "hello" if name < "b" else "help") for name in names]
    scored = score_task1(gold, said, replicates=50, seed=17)

    assert scored["aggregate_bootstrap"]["site_count"] == 2
    assert scored == score_task1(gold[::-1], said[::-1], replicates=50, seed=17) | {"cases": scored["cases"]}
    assert scored["aggregate_bootstrap"]["ci95"]["message_exact_rate"] == [0.0, 1.0]
    assert list(scored["by_variant"]) == [f"v00{n}" for n in range(6)]
    assert scored["by_variant"]["v003"]["message_exact_rate"] == 0.5


def test_error_rates_are_pooled_over_transformed_messages_and_not_clipped() -> None:
    gold = [evaluator("a--v000", "ab", "never", flags=(True, False)), evaluator("b--v000", "看a1 b")]
    said = [prediction("a--v000", "xxxxxx", "changed"), prediction("b--v000", "看a1  b")]
    scored = score_task1(gold, said, replicates=1)["aggregate"]

    assert scored["character_error_rate"] == 6 / 7
    assert scored["mixed_token_error_rate"] == 1 / 4
    assert (scored["message_exact_rate"], scored["target_message_count"]) == (0.5, 2)
    alone = score_task1(gold[:1], said[:1], replicates=1)["aggregate"]
    assert alone["character_error_rate"] == 3.0


def test_one_wrong_message_of_two_costs_the_case_and_half_the_messages() -> None:
    scored = score_task1([evaluator("a", "ab", "cd")], [prediction("a", "ab", "")], replicates=1)

    assert scored["aggregate"]["message_exact_rate"] == 0.0
    assert scored["aggregate"]["message_exact_rate_per_message"] == 0.5
    assert list(scored["by_variant"]) == ["none"]


def test_a_row_without_flags_is_scored_on_all_its_messages() -> None:
    row = evaluator("a--v000", "ab", "cd")
    flagless = hashed({name: value for name, value in row.items() if name != "source_session"})
    for gold in (flagless, hashed({**row, "source_session": {"messages": [{"message_id": "m000"}]}})):
        scored = score_task1([gold], [prediction("a--v000", "ab")], replicates=1)
        assert scored["aggregate"]["target_message_count"] == 2
        assert scored["notes"] == {"rows_without_transform_flag": 1, "rows_without_scored_message": 0}


def test_strata() -> None:
    gold = [
        evaluator("a--v000", "x", platform="qq", types=("PHON.SAME_TONE_HOMOPHONE", "LAYOUT.LINE_BREAK")),
        evaluator("b--v000", "x", platform="weibo", types=("LAYOUT.LINE_BREAK",)),
    ]
    scored = score_task1(gold, [prediction("a--v000", "x"), prediction("b--v000", "y")], replicates=1)

    assert {name: figures["platform_accuracy"] for name, figures in scored["by_platform"].items()} == {
        "qq": 1.0,
        "weibo": 0.0,
    }
    exact = {name: figures["message_exact_rate"] for name, figures in scored["by_obfuscation_type"].items()}
    assert exact == {"LAYOUT.LINE_BREAK": 0.5, "PHON.SAME_TONE_HOMOPHONE": 1.0}


def test_live_hosts_among_the_first_candidates_are_counted() -> None:
    entries = ("a.example.com", "[MASKED_SITE_1]", "b.invalid", "https://evil.top/x", "localhost", "also.evil.com")
    scored = score_task1([evaluator("a", "x")], [prediction("a", "x", entries=entries)], replicates=1)

    assert scored["aggregate"]["predicted_live_entry_count"] == 1


def test_rates_with_nothing_to_divide_by_are_unknown() -> None:
    gold = [evaluator("a", "x", flags=(False,)), evaluator("b", "y")]
    said = [prediction("a", "x"), prediction("b", "y")]
    scored = score_task1(gold[:1], said[:1], replicates=5)
    for name in ("character_error_rate", "message_exact_rate", "message_exact_rate_per_message"):
        assert scored["aggregate"][name] is scored["aggregate_bootstrap"]["ci95"][name] is None
    assert scored["aggregate"]["full_reconstruction_success_rate"] == 1.0
    assert scored["notes"]["rows_without_scored_message"] == 1

    both = score_task1(gold, said, replicates=50)
    assert both["aggregate"]["character_error_rate"] == 0.0
    assert both["aggregate_bootstrap"]["ci95"]["character_error_rate"] is None
    assert (both["aggregate"]["message_exact_rate"], both["notes"]["rows_without_scored_message"]) == (1.0, 1)
    assert both["aggregate_bootstrap"]["ci95"]["message_exact_rate"] == [1.0, 1.0]


def test_mixed_tokens() -> None:
    assert mixed_tokens("看 ab1，c　é") == ["看", "ab1", "，", "c", "é"]


CHANGED = {**GOLD[0], "intent": "UNKNOWN"}


@pytest.mark.parametrize(
    ("gold", "said", "parts"),
    [
        ([], SAID, ["evaluator rows", "there is none"]),
        (GOLD, [], ["predictions rows", "there is none"]),
        (GOLD, [*SAID, SAID[0]], ["predictions rows: row 3: sample_id", "'synthetic-0--v000' comes twice"]),  # T018
        ([*GOLD, GOLD[1]], SAID, ["evaluator rows: row 3: sample_id", "comes twice"]),
        (GOLD[:1], SAID, ["predictions rows: row 2: sample_id", "'synthetic-1--v000' has no evaluator row"]),
        (GOLD, [SAID[0], {**SAID[1], "model_id": "b"}], ["row 2: model_id", "'b'", "'model-a' in row 1"]),
        ([CHANGED, GOLD[1]], SAID, ["evaluator rows: row 1: record_sha256", "was changed"]),
        ([GOLD[0], {**GOLD[1], "score": float("nan")}], SAID, ["evaluator rows: row 2", "no JSON object"]),
        ([hashed({**GOLD[0], "intent": "BUY"})], SAID, ["row 1: intent", "got 'BUY'"]),
        ([hashed({**GOLD[0], "obfuscation_types": "A"})], SAID, ["row 1: obfuscation_types", "'A'"]),
        (GOLD, [{**SAID[0], "abstain": "false"}], ["row 1: abstain", "'false'"]),
        (GOLD, [{**SAID[0], "platform": None}], ["row 1: platform", "got None"]),
        (GOLD, [prediction("synthetic-0--v000", ranks=(True,))], ["row 1: entry_candidates.0.rank", "True"]),
        (GOLD, [prediction("synthetic-0--v000", entries=("a", "b"), ranks=(1, 1))], ["ranks must be unique"]),
        (GOLD, [["a"]], ["row 1", "must be an object, got list"]),
        ([None], SAID, ["evaluator rows: row 1", "must be an object, got NoneType"]),
    ],
)
def test_rows_that_cannot_be_scored_are_named(gold: list[Any], said: list[Any], parts: list[str]) -> None:
    with pytest.raises(OfficialRowError) as error:
        score_task1(gold, said, replicates=1)
    for part in parts:
        assert part in str(error.value)


def test_what_is_missing_is_named_and_not_what_may_be_left_out() -> None:
    row = hashed({**evaluator("a", "x"), "source_session": {"messages": [{"message_id": "m000"}]}})
    for name in ("gold_reconstruction", "intent", "record_sha256"):
        with pytest.raises(OfficialRowError, match=f"row 1: {name}: Field required"):
            score_task1([{key: value for key, value in row.items() if key != name}], SAID, replicates=1)


def test_a_flag_on_some_messages_only_is_refused() -> None:
    row = evaluator("a", "x", "y")
    del row["source_session"]["messages"][1]["transform"]
    with pytest.raises(OfficialRowError, match=r"row 1: source_session: messages\.1\.transform: is missing"):
        score_task1([hashed(row)], [prediction("a", "x")], replicates=1)


@pytest.mark.parametrize("value", ["true", 1, None])
def test_a_flag_that_is_no_truth_value_is_refused(value: Any) -> None:
    row = evaluator("a", "x")
    row["source_session"]["messages"][0]["transform"] = value
    with pytest.raises(OfficialRowError, match=r"row 1: source_session\.messages\.0\.transform"):
        score_task1([hashed(row)], [prediction("a", "x")], replicates=1)


@pytest.mark.parametrize("settings", [{"replicates": 0}, {"top_k": 0}, {"top_k": 11}, {"top_k": True}, {"seed": None}])
def test_settings_that_cannot_be_honoured_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(settings))):
        score_task1(GOLD, SAID, **settings)
