"""Answering without looking: no constant beats the control row that says what it is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from arena import Arena, Played, mean_paid
from hackers import ConstantInvestigator, ConstantRestorer, always

from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.evaluation.controls import ControlRow, control_rows
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, Decision, ViolationType
from riskchain_gym.scoring.summary import Summary

RANKED = ("web_accuracy", "end_to_end_accuracy", "decision_macro_f1", "balanced_accuracy", "exact_match", "citation_f1")


@pytest.fixture(scope="module")
def controls(arena: Arena) -> dict[Decision, ControlRow]:
    """The rows that every table prints for constant answers."""
    rows = control_rows("mini", list(arena.gold), ("oracle", "landing_only"))
    return dict(zip(Decision, rows, strict=True))


@pytest.fixture(scope="module")
def best_guess(arena: Arena) -> ViolationType:
    """The type that most violations are of, which no agent is told."""
    types = Counter(gold.site.violation_type for gold in arena.gold.values())
    return ViolationType(max(CONCRETE_TYPES, key=lambda kind: types[ViolationType(kind)]))


@pytest.fixture(scope="module")
def worked(arena: Arena, honest: Sequence[Played]) -> Summary:
    return arena.summary(honest)


@pytest.mark.parametrize("decision", list(Decision))
def test_a_constant_answer_is_worth_its_control_row_and_no_more(
    arena: Arena, controls: dict[Decision, ControlRow], best_guess: ViolationType, worked: Summary, decision: Decision
) -> None:
    played = arena.play(always(decision, best_guess))
    found, control = arena.summary(played), controls[decision].summary
    assert {one.outcome["status"] for one in played} == {"reported"}
    for figure in ("web_accuracy", "decision_macro_f1", "balanced_accuracy", "exact_match", "type_macro_f1"):
        assert getattr(found, figure) == pytest.approx(getattr(control, figure)), figure
    assert found.balanced_accuracy == pytest.approx(1 / 3), "whatever the share of its decision is"
    assert found.end_to_end_accuracy is not None
    assert found.end_to_end_accuracy <= (control.web_accuracy or 0), "a gate opens nothing that was not right"
    for figure in RANKED:
        assert getattr(found, figure) < getattr(worked, figure), figure


@pytest.mark.parametrize("decision", list(Decision))
def test_one_entry_for_every_message_opens_one_gate_at_most(
    arena: Arena, best_guess: ViolationType, decision: Decision
) -> None:
    entries = [gold.message.entry for gold in arena.gold.values()]
    assert entries[0] is not None
    restorer = ConstantRestorer(entries[0])
    played = arena.play(ChainAgent(restorer, ConstantInvestigator(decision, best_guess)))
    gates = [one.outcome["gate.passed"] for one in played]
    assert sum(gates) == entries.count(entries[0]) == 1
    assert (arena.summary(played).end_to_end_accuracy or 0) <= 1 / len(entries)


def test_an_empty_restoration_is_worth_what_doing_nothing_is(arena: Arena, best_guess: ViolationType) -> None:
    control = arena.play(load_agent("noop").agent)
    played = arena.play(
        ChainAgent(ConstantRestorer(abstain=True), ConstantInvestigator(Decision.VIOLATION, best_guess))
    )
    assert arena.summary(control).end_to_end_accuracy == arena.summary(played).end_to_end_accuracy == 0
    assert {one.outcome["end_to_end_correct"] for one in played} == {0}


@pytest.mark.parametrize("reward", ["gated", "delta_gate", "delta_gate_shaped", "web"])
def test_no_reward_pays_a_constant_answer_more_than_the_work(
    reward: str, sample: Sequence[Played], best_guess: ViolationType
) -> None:
    arena = Arena(reward=reward, web_outcomes=0.5)
    control, chains = mean_paid(arena.repeat(sample)), [one.trajectory.chain_id for one in sample]
    for decision in Decision:
        assert mean_paid(arena.play(always(decision, best_guess), chains)) < control


def test_what_a_trainer_is_paid_is_what_the_table_says(sample: Sequence[Played], best_guess: ViolationType) -> None:
    plain = Arena()
    played = plain.play(always(Decision.VIOLATION, best_guess), [one.trajectory.chain_id for one in sample])
    assert mean_paid(played) == pytest.approx(plain.summary(played).end_to_end_accuracy)
