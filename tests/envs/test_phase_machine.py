"""Phases, page actions, reports, the record and element ids, played through the machine with the fake backend."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chain_builder import action_text, commit_text, entry_of, make_chain, report_text, stop_text
from machine_player import GOOD, RIGHT, WRONG, feed, kinds, last_result, machine

from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.cases import Case
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.envs.machine import Episode, Machine
from riskchain_gym.envs.observation import observe
from riskchain_gym.envs.rewards import make_reward
from riskchain_gym.protocol.action import ActionErrorKind, ActionStatus
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.failures import EpisodeStatus, FailureKind
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.scoring.validator import validate

# -- the way through --------------------------------------------------------------------------------------------------


def test_a_whole_chain() -> None:
    m = machine()
    assert m.phase is Phase.RESTORE
    feed(m, RIGHT)
    assert m.phase is Phase.BROWSE
    feed(m, action_text("click", "e1"), stop_text())
    assert m.phase is Phase.REPORT
    feed(m, GOOD)
    assert m.over
    assert m.recorder.status is EpisodeStatus.REPORTED
    assert m.outcome is not None
    assert m.outcome.end_to_end_correct == 1
    assert validate(m.recorder.trajectory(), max_steps=30).valid


def test_wrong_entries_are_never_corrected_but_the_right_site_opens() -> None:
    m = feed(machine(), WRONG, stop_text(), GOOD)
    assert m.outcome is not None
    assert (m.outcome.web_correct, m.outcome.end_to_end_correct, m.outcome.gate_loss) == (1, 0, 1)


def test_committed_routing_ends_at_a_wrong_entry() -> None:
    m = feed(machine(routing="committed"), WRONG)
    assert m.over
    assert m.recorder.status is EpisodeStatus.BOTTOM
    assert m.recorder.trajectory().landing is None
    m = feed(machine(routing="committed"), RIGHT)
    assert m.phase is Phase.BROWSE


def test_restore_only_ends_at_commit() -> None:
    m = feed(machine("restore"), WRONG)
    assert m.over
    assert m.recorder.status is EpisodeStatus.COMMITTED
    assert m.outcome is not None
    assert m.outcome.validator.valid


def test_browse_only_opens_the_site_at_once() -> None:
    m = machine("browse", reward="web")
    assert m.phase is Phase.BROWSE
    feed(m, stop_text(), GOOD)
    assert m.outcome is not None
    assert (m.outcome.web_correct, m.outcome.gate) == (1, None)


def test_the_commit_is_frozen() -> None:
    m = feed(machine(), WRONG, RIGHT)
    commit = m.recorder.commit
    assert commit is not None
    assert commit.entry_candidates[0].value == "wrong.pw.test"
    assert kinds(m) == [FailureKind.MALFORMED_ACTION]


def test_no_second_commit_replaces_the_first_even_after_a_bug() -> None:
    class Broken(FakeBackend):
        def open(self, site: Any) -> Any:
            raise ZeroDivisionError

    public, gold = make_chain(0)
    config = EnvConfig()
    m = Machine(
        "chain", config, Episode(Case(public, "v000"), "reference", make_reward(config, "chain", None), gold), Broken()
    )
    with pytest.raises(ZeroDivisionError):
        m.act(WRONG)
    for again in (RIGHT, WRONG):
        with pytest.raises(RuntimeError, match="frozen"):
            m.act(again)
    commit = m.recorder.commit
    assert commit is not None
    assert commit.entry_candidates[0].value == "wrong.pw.test"
    assert len(m.recorder.trajectory().steps) == 1


# -- actions on a page ------------------------------------------------------------------------------------------------


def test_element_ids_follow_first_appearance_and_are_never_reused() -> None:
    m = feed(machine(), RIGHT)
    assert [e.element_id for e in m.recorder.pages[0].elements] == ["e1", "e2", "e3", "e4", "e5"]
    feed(m, action_text("click", "e1"))
    assert [e.element_id for e in m.recorder.pages[1].elements] == ["e6", "e7", "e8", "e9", "e10", "e11"]
    feed(m, action_text("click", "e11"))
    assert [e.element_id for e in m.recorder.pages[2].elements] == ["e1", "e2", "e3", "e4", "e5"]


def test_unknown_and_stale_targets() -> None:
    m = feed(machine(), RIGHT, action_text("click", "e99"))
    assert kinds(m) == [FailureKind.MISSING_TARGET]
    assert "Elements here: e1, e2" in m.feedback
    feed(m, action_text("click", "e1"), action_text("click", "e2"))
    assert kinds(m)[-1] is FailureKind.STALE_TARGET
    assert "seen on /" in m.feedback
    assert m.steps_left == 29


def test_an_element_takes_only_what_it_can() -> None:
    m = feed(machine(), RIGHT, action_text("fill", "e1"))
    assert last_result(m) is ActionStatus.INVALID
    assert "it takes click" in m.feedback


def test_options_must_exist() -> None:
    m = feed(machine(), RIGHT, action_text("click", "e1"), action_text("select", "e8", option="个体"))
    assert last_result(m) is ActionStatus.INVALID
    assert "'企业'" in m.feedback
    feed(m, action_text("select", "e8", option="企业"))
    assert last_result(m) is ActionStatus.EXECUTED


def test_a_form_is_filled_and_sent() -> None:
    m = feed(machine(), RIGHT, action_text("click", "e1"), action_text("submit", "e6"))
    assert kinds(m) == [FailureKind.NO_EFFECT]
    feed(m, action_text("fill", "e7"), action_text("select", "e8"), action_text("check", "e9"))
    assert m.recorder.pages[3].elements[1].has_value
    feed(m, action_text("submit", "e6"))
    assert m.recorder.pages[6].path == "/done"
    assert kinds(m) == [FailureKind.NO_EFFECT]


def test_whether_anything_changed_is_told() -> None:
    m = feed(machine(), RIGHT, action_text("click", "e3"))
    assert last_result(m) is ActionStatus.EXECUTED
    feed(m, action_text("reload"))
    assert last_result(m) is ActionStatus.NO_STATE_CHANGE
    assert kinds(m) == [], "a reload and a scroll need not change anything"
    feed(m, action_text("scroll_down"))
    assert last_result(m) is ActionStatus.NO_STATE_CHANGE
    assert m.recorder.trajectory().steps[-1].scroll_y == 700


def test_keys_are_pressed_on_elements() -> None:
    m = feed(machine(), RIGHT, action_text("press", "e1", key="Enter"))
    assert m.recorder.pages[1].path == "/offer"
    assert "press Enter on e1" in m.feedback
    feed(m, action_text("press", "e7", key="Escape"))
    assert last_result(m) is ActionStatus.NO_STATE_CHANGE
    feed(m, action_text("fill", "e7"), action_text("select", "e8"), action_text("check", "e9"))
    feed(m, action_text("press", "e7", key="Enter"))
    assert m.recorder.trajectory().steps[-1].browse_step == 6
    assert m.recorder.pages[6].path == "/done"
    assert validate(m.recorder.trajectory()).valid
    feed(m, action_text("press", "e11", key="Space"))
    assert last_result(m) is ActionStatus.INVALID
    assert "click or check" in m.feedback


def test_where_a_key_would_type_or_open_something_it_is_an_error() -> None:
    m = feed(machine(), RIGHT, action_text("press", "e4", key="Escape"))
    assert m.recorder.last is not None
    assert m.recorder.last.result.error is ActionErrorKind.ELEMENT_DISABLED
    feed(m, action_text("click", "e1"), action_text("press", "e8", key="Enter"))
    assert m.recorder.last.result.error is ActionErrorKind.EXECUTION_ERROR


def test_page_errors_are_results_and_no_strikes() -> None:
    m = feed(machine(), RIGHT, "bad", action_text("click", "e4"))
    assert m.recorder.last is not None
    assert m.recorder.last.result.error is ActionErrorKind.ELEMENT_DISABLED
    assert m.recorder.last.strikes == 0
    feed(m, action_text("click", "e5"))
    assert kinds(m)[-1] is FailureKind.BLOCKED_NAVIGATION
    feed(m, action_text("back"))
    assert m.recorder.last.result.error is ActionErrorKind.NO_HISTORY


def test_doing_the_same_three_times_is_a_loop() -> None:
    m = feed(machine(), RIGHT, *[action_text("click", "e4")] * 3)
    assert kinds(m) == [FailureKind.LOOP]
    m = feed(machine(), RIGHT, *[action_text("scroll_down")] * 5)
    assert kinds(m) == []


def test_stopping_at_the_landing_view_is_early() -> None:
    m = feed(machine(), RIGHT, stop_text())
    assert kinds(m) == [FailureKind.EARLY_STOP]


def test_message_ids_must_be_those_shown() -> None:
    m = feed(machine(), commit_text(entry_of(0), message_id="m01"))
    assert last_result(m) is ActionStatus.INVALID
    assert "Did you mean 'm001'?" in m.feedback


# -- reports ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("report", "hint"),
    [
        (report_text(Decision.VIOLATION, "从未出现的话"), "was not shown at step 0"),
        (report_text(Decision.VIOLATION, "欢迎来到首页", step=4), "step 4 was never observed"),
        (report_text(Decision.VIOLATION, "", element_id="e9"), "element 'e9' was not on the page"),
    ],
)
def test_citations_must_resolve(report: str, hint: str) -> None:
    m = feed(machine(), RIGHT, stop_text(), report)
    assert m.phase is Phase.REPORT
    assert kinds(m)[-1] is FailureKind.UNRESOLVABLE_CITATION
    assert hint in m.feedback
    feed(m, GOOD)
    assert m.recorder.status is EpisodeStatus.REPORTED


def test_a_report_that_breaks_the_codebook_is_a_strike() -> None:
    broken = json.loads(GOOD) | {"primary_violation_type": "NONE"}
    m = feed(machine(), RIGHT, stop_text(), json.dumps(broken))
    assert kinds(m)[-1] is FailureKind.INVALID_REPORT
    assert "nine concrete types" in m.feedback


# -- the record -------------------------------------------------------------------------------------------------------


def test_the_same_actions_give_the_same_hash_and_others_do_not() -> None:
    actions = [RIGHT, action_text("click", "e1"), stop_text(), GOOD]
    first, second = (feed(machine(), *actions).recorder.trajectory().trajectory_hash() for _ in range(2))
    assert first == second
    other = feed(machine(), RIGHT, action_text("click", "e2"), stop_text(), GOOD)
    assert other.recorder.trajectory().trajectory_hash() != first


def test_long_actions_are_cut_in_the_record() -> None:
    m = feed(machine(), "x" * 30_000)
    assert m.recorder.last is not None
    assert len(m.recorder.last.action) == 20_000


def test_an_empty_page_is_written_down() -> None:
    class Blank(FakeBackend):
        def _about(self) -> Any:
            return [], []

        def _page(self) -> Any:
            page = super()._page()
            return page if page.elements else type(page)(page.path, "", 200, (), ())

    public, gold = make_chain(0)
    config = EnvConfig(reward="web")
    m = Machine(
        "browse", config, Episode(Case(public, "v000"), "reference", make_reward(config, "browse", None), gold), Blank()
    )
    feed(m, action_text("click", "e2"))
    assert kinds(m) == [FailureKind.EMPTY_OBSERVATION]
    assert observe(m)["text"] == ""
