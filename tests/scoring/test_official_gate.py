"""Entry policies, the strict gate and the handoff (published expectations T036-T049, T077-T095)."""

from __future__ import annotations

from typing import Any

import pytest
from entry_policies import PUBLISHED
from official_rows import evaluator, prediction

from riskchain_gym.messages.official import PredictionRow
from riskchain_gym.scoring.official import (
    BOTTOM,
    HandoffStatus,
    apply_gate,
    handoff_status,
    score_task1,
    strict_gate,
)

ENTRY = "alpha.beta.test"


@pytest.mark.parametrize(
    ("value", "historical", "handoff", "strict"),
    PUBLISHED,
)
def test_entry_policies(value: str, historical: bool, handoff: bool, strict: bool) -> None:
    said = prediction("s--v000", "x", entries=(value,))
    scored = score_task1([evaluator("s--v000", "x", entry=ENTRY)], [said], replicates=1)

    differ = len({historical, handoff, strict}) > 1
    assert scored["entry_policies"] == {
        "historical_scorer": historical,
        "handoff_hash": handoff,
        "strict_helper": strict,
        "differing_sample_ids": ["s--v000"] if differ else [],
        "unknown_to_strict_helper": [],
    }
    assert scored["aggregate"]["entry_top1_exact_rate"] == historical
    assert strict_gate(ENTRY, [{"rank": 1, "value": value}]) is strict
    status = handoff_status(PredictionRow.model_validate(said), expected=ENTRY, model_id="model-a")
    assert (status is HandoffStatus.AUTHORIZED) is handoff


@pytest.mark.parametrize(
    ("changes", "policies"),
    [
        ({"abstain": True}, (1.0, 0.0, 1.0)),
        ({"entries": ("x.y.test", ENTRY), "ranks": (2, 1)}, (1.0, 0.0, 1.0)),
        ({"entries": (ENTRY,), "ranks": (3,)}, (1.0, 1.0, 0.0)),
        ({"entries": ()}, (0.0, 0.0, 0.0)),
    ],
)
def test_entry_policies_choose_and_abstain_differently(changes: dict[str, Any], policies: tuple[float, ...]) -> None:
    said = prediction("s--v000", "x", **{"entries": (ENTRY,), **changes})
    found = score_task1([evaluator("s--v000", "x", entry=ENTRY)], [said], replicates=1)["entry_policies"]

    assert tuple(found[name] for name in ("historical_scorer", "handoff_hash", "strict_helper")) == policies


def test_an_entry_that_the_strict_policy_does_not_know_is_left_out_of_it() -> None:
    said = [prediction("s--v000", "x", entries=("[MASKED_SITE_1]",))]
    found = score_task1([evaluator("s--v000", "x", entry="[MASKED_SITE_1]")], said, replicates=1)["entry_policies"]

    assert found["strict_helper"] is None
    assert found["historical_scorer"] == found["handoff_hash"] == 1.0
    assert found["unknown_to_strict_helper"] == ["s--v000"]
    assert found["differing_sample_ids"] == []


RIGHT = {"rank": 1, "value": ENTRY}


@pytest.mark.parametrize(
    "candidates",
    [
        [{"rank": 1, "value": "ALPHA.BETA.TEST"}],  # T036
        [{"rank": 1, "value": "https://alpha.beta.test"}],  # T037
        [{"rank": 1, "value": "alpha.beta.test/"}],  # T038
        [{"rank": 1, "value": " alpha.beta.test"}],  # T039
        [{"rank": 1, "value": "alpha.beta.test:443"}],  # T040
        [{"rank": 1, "value": "wrong.beta.test"}, {"rank": 2, "value": ENTRY}],  # T041
        None,  # T042
        [],  # T043
        [{"rank": True, "value": ENTRY}],  # T044
        [{"rank": 2, "value": ENTRY}],  # T045
        [RIGHT, {"rank": 1, "value": "x.y.test"}],  # T046
        [RIGHT, {"rank": 2, "value": "x.y.test"}, {"rank": 2, "value": "z.y.test"}],
        [RIGHT, {"value": "x.y.test"}],
        [RIGHT, {"rank": "2", "value": "x.y.test"}],
        [{"rank": 1.0, "value": ENTRY}],
        [{"rank": 1, "value": None}],
        [RIGHT, ENTRY],
        ENTRY,
        {"rank": 1, "value": ENTRY},
    ],
)
def test_the_strict_gate_stays_closed(candidates: object) -> None:
    assert strict_gate(ENTRY, candidates) is False


def test_the_strict_gate_opens_to_the_one_candidate_of_rank_one() -> None:
    assert strict_gate(ENTRY, [{"rank": 2, "value": "x.y.test"}, RIGHT]) is True


@pytest.mark.parametrize("expected", ["not a three-label .test name", "ALPHA.BETA.TEST", "beta.test", None])
def test_the_strict_gate_needs_a_canonical_entry(expected: Any) -> None:
    """T047."""
    with pytest.raises(ValueError, match="three-label"):
        strict_gate(expected, [RIGHT])


def test_what_a_gate_leaves() -> None:
    """T048 and T049."""
    assert apply_gate(False, "VIOLATION", "A") == (BOTTOM, BOTTOM) == ("__BOTTOM__", "__BOTTOM__")
    assert apply_gate(True, "VIOLATION", "A") == ("VIOLATION", "A")


@pytest.mark.parametrize("gate", ["true", 1, None])
def test_a_gate_is_a_truth_value(gate: Any) -> None:
    with pytest.raises(ValueError, match="true or false"):
        apply_gate(gate, "VIOLATION", "A")


@pytest.mark.parametrize(
    ("changes", "failure", "status"),
    [
        (None, None, "TASK1_NOT_RUN"),  # T089
        (None, "system", "TASK1_SYSTEM_FAILURE"),  # T090
        ({"entries": ()}, "model", "TASK1_MODEL_FAILURE"),  # T091
        ({"model_id": "model-b"}, None, "TASK1_MODEL_ID_MISMATCH"),  # T092
        ({"abstain": True}, None, "TASK1_MODEL_ABSTAIN"),  # T093
        ({"entries": ()}, None, "TASK1_NO_TOP1_ENTRY"),
        ({"entries": (" / ",)}, None, "TASK1_NO_TOP1_ENTRY"),
        ({"entries": ("alpha.beta.test.",)}, None, "TASK1_WRONG_TOP1_ENTRY"),  # T095
        ({"entries": ("x.y.test", ENTRY), "ranks": (2, 1)}, None, "TASK1_WRONG_TOP1_ENTRY"),
        ({"entries": (" ALPHA.beta.test/",)}, None, "AUTHORIZED"),
    ],
)
def test_handoff_statuses(changes: dict[str, Any] | None, failure: Any, status: str) -> None:
    said = prediction("s--v000", "x", **{"entries": (ENTRY,), **changes}) if changes is not None else None
    row = PredictionRow.model_validate(said) if said else None

    assert handoff_status(row, expected=ENTRY, model_id="model-a", failure=failure) == status
