"""Figures of weighted samples: a weight is a repetition, and what cannot be known is left out."""

from __future__ import annotations

import numpy as np
import pytest

from riskchain_gym.scoring import decision_figures as module
from riskchain_gym.scoring.decision_figures import DecisionColumns, case_weights, decision_figures

V, N, U = "VIOLATION", "NON_VIOLATION", "INSUFFICIENT_EVIDENCE"
GOLD = [(V, "A"), (V, "B"), (N, "NONE"), (U, "UNKNOWN")]
SAID = [(V, "A"), (V, "A"), (None, None), (U, "UNKNOWN")]
GATE = [True, False, True, True]


def test_a_weight_is_a_repetition() -> None:
    weights = np.array([[2, 0, 1, 3], [1, 1, 1, 1]], dtype=np.int32)
    figures = decision_figures(DecisionColumns.of(GOLD, SAID, GATE), weights)

    for row, of_row in enumerate(weights):
        places = np.repeat(np.arange(4), of_row)
        columns = DecisionColumns.of(*([part[i] for i in places] for part in (GOLD, SAID, GATE)))
        for name, value in decision_figures(columns).items():
            if "type" not in name or row:  # the supported types are fixed, whatever a sample holds
                assert figures[name][row] == value
    assert figures["web_violation_type_macro_f1"].tolist() == [0.5, 1 / 3]


def test_figures_have_the_shape_of_the_samples() -> None:
    columns = DecisionColumns.of(GOLD, SAID, GATE)
    assert {value.shape for value in decision_figures(columns).values()} == {()}
    assert {value.shape for value in decision_figures(columns, np.ones((3, 5, 4), np.int32)).values()} == {(3, 5)}


def test_many_samples_give_what_few_give(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = DecisionColumns.of(GOLD, SAID, GATE)
    weights = np.random.default_rng(0).integers(1, 5, (50, 4), dtype=np.int32)
    whole = decision_figures(columns, weights)
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 28)
    for name, values in decision_figures(columns, weights).items():
        assert (values == whole[name]).all()


def test_balanced_accuracy_is_over_the_decisions_that_occur() -> None:
    figures = decision_figures(DecisionColumns.of(GOLD[:3], SAID[:3], GATE[:3]))
    assert figures["web_balanced_accuracy"] == 0.5
    assert figures["gated_balanced_accuracy"] == 0.25


def test_without_a_gate_or_a_gold_violation_there_is_no_such_figure() -> None:
    assert all(name.startswith("web_") for name in decision_figures(DecisionColumns.of(GOLD, SAID)))
    assert not any("type" in name for name in decision_figures(DecisionColumns.of(GOLD[2:], SAID[2:], GATE[2:])))


def test_case_weights_repeat_the_multiplicity_of_the_cluster() -> None:
    drawn = np.array([[0, 2], [1, 1]], dtype=np.int32)
    assert case_weights(drawn, np.array([0, 1, 1])).tolist() == [[0, 2, 2], [1, 1, 1]]


@pytest.mark.parametrize(
    ("gold", "said", "gate", "named"),
    [
        ([], [], [], "at least one"),
        (GOLD, SAID[:3], GATE, "one report"),
        (GOLD, SAID, GATE[:3], "one gate"),
        ([("MAYBE", "A")], SAID[:1], GATE[:1], "'MAYBE'"),
        (GOLD[:1], [("violation", "A")], None, "'violation'"),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    gold: list[tuple[str, str]], said: list[tuple[str | None, str | None]], gate: list[bool] | None, named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        DecisionColumns.of(gold, said, gate)


@pytest.mark.parametrize(("weights", "named"), [([[1, 1]], "one weight a case"), ([[0, 0, 0, 0]], "positive weight")])
def test_weights_that_do_not_fit_are_refused(weights: list[list[int]], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        decision_figures(DecisionColumns.of(GOLD, SAID), np.array(weights, dtype=np.int32))
