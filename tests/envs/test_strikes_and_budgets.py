"""Strikes and budgets: when they move on to the next phase, and when they end the case."""

from __future__ import annotations

import pytest
from chain_builder import action_text, stop_text
from machine_player import GOOD, RIGHT, Clock, feed, kinds, last_result, machine

from riskchain_gym.envs.observation import observe
from riskchain_gym.protocol.action import ActionStatus
from riskchain_gym.protocol.commit import EMPTY_COMMIT
from riskchain_gym.protocol.failures import EpisodeStatus, FailureKind
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.scoring.validator import validate

# -- strikes ----------------------------------------------------------------------------------------------------------


def test_three_strikes_in_restore_commit_nothing_and_browsing_starts() -> None:
    m = feed(machine(), "a", "b", "c")
    assert m.recorder.commit == EMPTY_COMMIT
    assert m.phase is Phase.BROWSE
    assert m.gate == 0
    assert m.feedback == "Strike 3 of 3. An empty restoration is committed.", "it quotes no restoration"
    assert [s.strikes for s in m.recorder.trajectory().steps] == [1, 2, 3]
    assert not any(f.terminal for f in m.recorder.trajectory().failures), "the agent went on from all of them"


def test_three_strikes_in_browse_open_the_report() -> None:
    m = feed(machine(), RIGHT, "a", "b", "c")
    assert m.phase is Phase.REPORT
    feed(m, GOOD)
    assert m.recorder.status is EpisodeStatus.REPORTED


def test_three_strikes_in_report_are_a_missing_report() -> None:
    m = feed(machine(), RIGHT, stop_text(), "a", "b", "c")
    assert m.over
    assert m.recorder.status is EpisodeStatus.MISSING_REPORT
    assert kinds(m)[-3:] == [FailureKind.INVALID_REPORT] * 3
    assert [f.terminal for f in m.recorder.trajectory().failures][-3:] == [False, False, True]


def test_a_valid_action_clears_the_strikes() -> None:
    m = feed(machine(), RIGHT, "a", "b", action_text("reload"), "a", "b")
    assert m.phase is Phase.BROWSE
    assert m.steps_left == 29, "an invalid action costs no step"


def test_a_new_phase_starts_without_strikes() -> None:
    m = feed(machine(), "a", "b")
    assert m.strikes == 2
    feed(m, "c")
    assert (m.phase, m.strikes) == (Phase.BROWSE, 0)
    feed(m, "d", "e")
    assert (m.phase, m.strikes) == (Phase.BROWSE, 2)
    feed(m, "f")
    assert (m.phase, m.strikes) == (Phase.REPORT, 0)
    feed(m, "g", "h", "i")
    assert (m.over, m.strikes) == (True, 3)


@pytest.mark.parametrize("before", [[], [RIGHT]])
def test_strict_strikes_end_the_episode(before: list[object]) -> None:
    m = feed(machine(strikes=1, on_strikes="bottom"), *before, "bad")
    assert m.over
    assert m.recorder.status is EpisodeStatus.BOTTOM
    assert m.outcome is not None
    assert m.outcome.end_to_end_correct == 0


def test_a_strict_report_strike_is_a_missing_report() -> None:
    m = feed(machine(strikes=1, on_strikes="bottom"), RIGHT, stop_text(), "bad")
    assert m.recorder.status is EpisodeStatus.MISSING_REPORT


@pytest.mark.parametrize(
    "action", [None, 3, b"{}", {"action": "reload"}, "\ud800", "[" * 5000, '{"action":"reload"} x']
)
def test_nothing_an_agent_sends_breaks_the_machine(action: object) -> None:
    m = feed(machine(), RIGHT, action)
    assert last_result(m) is ActionStatus.INVALID
    assert m.recorder.trajectory().model_dump_json()


# -- budgets ----------------------------------------------------------------------------------------------------------


def test_the_last_step_opens_the_report() -> None:
    m = feed(machine(max_steps=2), RIGHT, action_text("reload"), action_text("reload"))
    assert m.phase is Phase.REPORT
    assert m.steps_left == 0
    assert kinds(m)[-1] is FailureKind.STEP_BUDGET
    assert "budget" in m.feedback
    assert validate(m.recorder.trajectory(), max_steps=2).valid


def test_a_strict_budget_ends_the_episode() -> None:
    m = feed(machine(max_steps=1, on_budget="bottom"), RIGHT, action_text("reload"))
    assert m.recorder.status is EpisodeStatus.BOTTOM


def test_stopping_on_the_last_step_is_no_failure() -> None:
    m = feed(machine(max_steps=2), RIGHT, action_text("click", "e1"), stop_text(), GOOD)
    assert kinds(m) == []


@pytest.mark.parametrize("late", [action_text("reload"), "invalid"])
def test_the_time_budget_opens_the_report(late: str) -> None:
    clock = Clock()
    m = feed(machine(clock=clock, max_seconds=10), RIGHT)
    assert m.seconds_left == 10
    clock.now = 9.0
    feed(m, action_text("reload"))
    assert m.phase is Phase.BROWSE
    assert m.seconds_left == 1
    clock.now = 10.5
    feed(m, late)
    assert m.phase is Phase.REPORT
    assert kinds(m)[-1] is FailureKind.TIME_BUDGET


@pytest.mark.parametrize("on_budget", ["report", "bottom"])
def test_stopping_late_exhausts_the_time_budget(on_budget: str) -> None:
    clock = Clock()
    m = feed(machine(clock=clock, max_seconds=10, on_budget=on_budget), RIGHT, action_text("click", "e1"))
    clock.now = 10.5
    feed(m, stop_text())
    assert kinds(m) == [FailureKind.TIME_BUDGET]
    assert "time budget is spent" in m.feedback
    assert m.over == (on_budget == "bottom")
    if on_budget == "report":
        assert (m.phase, m.seconds_left) == (Phase.REPORT, 0)
        feed(m, GOOD)
        assert m.recorder.status is EpisodeStatus.REPORTED
    else:
        assert m.recorder.status is EpisodeStatus.BOTTOM
    assert validate(m.recorder.trajectory(), max_steps=30).valid


@pytest.mark.parametrize("late", [GOOD, "no report at all"])
def test_a_strict_time_budget_covers_the_report(late: str) -> None:
    clock = Clock()
    m = feed(machine(clock=clock, max_seconds=10, on_budget="bottom"), RIGHT, stop_text())
    clock.now = 6.0
    assert (m.phase, m.seconds_left) == (Phase.REPORT, 4)
    assert observe(m)["seconds_left"] == 4
    clock.now = 10.0
    feed(m, late)
    assert m.over
    assert m.recorder.status is EpisodeStatus.BOTTOM
    assert m.recorder.report is None
    assert kinds(m)[-1] is FailureKind.TIME_BUDGET
    assert m.outcome is not None
    assert (m.outcome.end_to_end_correct, m.outcome.validator.valid) == (0, True)


def test_a_report_in_time_is_filed_under_a_strict_budget() -> None:
    clock = Clock()
    m = feed(machine(clock=clock, max_seconds=10, on_budget="bottom"), RIGHT, stop_text())
    clock.now = 9.9
    feed(m, GOOD)
    assert m.recorder.status is EpisodeStatus.REPORTED


def test_the_clock_starts_with_the_landing_view_and_stays_out_of_the_hash() -> None:
    hashes = set()
    for begun in (0.0, 400.0):
        clock = Clock()
        m = machine(clock=clock, max_seconds=10)
        clock.now = begun
        feed(m, RIGHT, stop_text(), GOOD)
        hashes.add(m.recorder.trajectory().trajectory_hash())
    assert len(hashes) == 1
