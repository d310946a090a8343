"""Where a case first went wrong: the published order, the event behind it, and the gates that stayed closed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_episodes import ACTION_TEXT, BOTH, CLAIM_TEXT, GOLD, PAGES, cite, page, report, resealed, trajectory

from riskchain_gym.protocol.action import ActionResult, ActionStatus
from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.failures import EpisodeStatus, Failure, FailureKind, FailureStage
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.attribution import closed_gates
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.sight import Sight
from riskchain_gym.scoring.summary import summarize

RIGHT = report(*BOTH)
WRONG = report(cite(0, "首页"), decision=Decision.NON_VIOLATION)
WRONG_TYPE = RIGHT.model_copy(update={"primary_violation_type": ViolationType.GAMBLING_BETTING_PROMOTION})
LAST_BROWSE = 3


def failed(final: Report | None, *failures: Failure, status: EpisodeStatus | None = None) -> Trajectory:
    return trajectory(final, status=status).model_copy(update={"failures": failures})


def struck(final: Report | None) -> Trajectory:
    """Browsing ended with an invalid action, the last strike."""
    invalid = ActionResult(status=ActionStatus.INVALID)
    made = resealed(trajectory(final), LAST_BROWSE, result=invalid, strikes=1)
    return made.model_copy(update={"failures": (Failure(kind=FailureKind.STALE_TARGET, step=LAST_BROWSE),)})


def attributed(made: Trajectory, gold: GoldChain = GOLD) -> tuple[str | None, str | None]:
    outcome = score_episode(made, gold)
    return outcome.first_failure, outcome.cause.kind if outcome.cause else None


SPENT = Failure(kind=FailureKind.STEP_BUDGET, step=LAST_BROWSE)
ENDED = Failure(kind=FailureKind.MALFORMED_ACTION, step=1, terminal=True)
REFUSED = Failure(kind=FailureKind.UNRESOLVABLE_CITATION, step=LAST_BROWSE, terminal=True)
NO_EFFECT = Failure(kind=FailureKind.NO_EFFECT, step=1)
EARLY = Failure(kind=FailureKind.EARLY_STOP, step=LAST_BROWSE)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (failed(RIGHT), ("success", None)),
        (failed(RIGHT, SPENT), ("success", None)),
        (struck(RIGHT), ("success", None)),
        (failed(None, ENDED, status=EpisodeStatus.BOTTOM), ("execution_failure", "malformed_action")),
        (failed(WRONG, NO_EFFECT, SPENT), ("execution_failure", "step_budget")),
        (failed(WRONG_TYPE, SPENT), ("execution_failure", "step_budget")),
        (failed(None, SPENT, REFUSED), ("execution_failure", "unresolvable_citation")),
        (struck(WRONG), ("execution_failure", "stale_target")),
        (failed(None, NO_EFFECT, REFUSED), ("missing_report", "unresolvable_citation")),
        (failed(WRONG, NO_EFFECT), ("decision_wrong", None)),
        (failed(WRONG_TYPE, NO_EFFECT), ("type_wrong", None)),
    ],
)
def test_the_first_failure_and_what_it_is_put_down_to(made: Trajectory, expected: tuple[str, str | None]) -> None:
    assert attributed(made) == expected


def test_an_early_stop_is_the_cause_only_where_evidence_was_left_unseen() -> None:
    assert attributed(failed(WRONG, EARLY)) == ("decision_wrong", None)
    stopped = failed(WRONG, EARLY)
    landing = stopped.landing
    assert landing is not None
    stopped = stopped.model_copy(update={"pages": {landing: stopped.pages[landing]}})
    assert attributed(stopped) == ("decision_wrong", "early_stop")


def test_every_event_is_counted_and_the_share_of_successes_is_the_exact_match() -> None:
    made = [failed(RIGHT, NO_EFFECT, SPENT), failed(WRONG, NO_EFFECT, SPENT), failed(WRONG), failed(WRONG_TYPE)]
    outcomes = [score_episode(one, GOLD).model_copy(update={"chain_id": f"c{i}"}) for i, one in enumerate(made)]
    summary = summarize(outcomes)
    assert summary.first_failures == {"decision_wrong": 1, "execution_failure": 1, "success": 1, "type_wrong": 1}
    assert summary.causes["execution_failure"] == {"step_budget": 1}
    assert summary.causes["decision_wrong"] == {"none": 1}
    assert summary.failures == {"no_effect": 2, "step_budget": 2}
    assert summary.exact_match == summary.first_failures["success"] / summary.chains


MADE = (
    failed(RIGHT),
    failed(RIGHT, SPENT),
    struck(RIGHT),
    failed(RIGHT, status=EpisodeStatus.INFRA_ERROR),
    failed(None, ENDED, status=EpisodeStatus.BOTTOM),
    failed(None, ENDED, status=EpisodeStatus.INFRA_ERROR),
    failed(WRONG, SPENT),
    struck(WRONG_TYPE),
    failed(None, REFUSED),
    failed(WRONG, EARLY),
    failed(WRONG_TYPE),
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(MADE), min_size=1, max_size=12))
def test_the_share_of_successes_is_the_exact_match_whatever_went_wrong(made: list[Trajectory]) -> None:
    summary = summarize(
        [score_episode(one, GOLD).model_copy(update={"chain_id": f"c{i}"}) for i, one in enumerate(made)]
    )
    assert sum(summary.first_failures.values()) == summary.chains - summary.lost
    if summary.lost == summary.chains:
        assert summary.exact_match is None
    else:
        assert summary.exact_match == summary.first_failures.get("success", 0) / summary.chains


def test_a_report_of_a_lost_episode_is_no_prediction() -> None:
    lost = score_episode(failed(RIGHT, status=EpisodeStatus.INFRA_ERROR), GOLD)
    assert lost.label is not None
    assert (lost.label.predicted_decision, lost.label.exact, lost.first_failure) == (None, False, None)


GATED = GOLD.site.model_copy(
    update={"gates": ("code", "age"), "gate_pages": ("/mine", "/rules"), "gate_entries": ("/code", "")}
)


@pytest.mark.parametrize(
    ("views", "closed"),
    [
        ({0: PAGES[0], 1: page("/code", "请输入验证码")}, ["code"]),
        ({0: PAGES[0], 1: page("/code", "请输入验证码"), 2: page("/mine", ACTION_TEXT)}, []),
        ({0: PAGES[0], 1: page("/rules", "请先确认年龄")}, ["age"]),
        ({0: PAGES[0], 1: page("/rules", "请先确认年龄"), 2: page("/rules", CLAIM_TEXT)}, []),
        ({0: PAGES[0]}, []),
    ],
)
def test_gates_that_kept_evidence_from_whoever_came_to_them(views: dict[int, object], closed: list[str]) -> None:
    found = closed_gates(views, GATED, Sight(), step=7)  # type: ignore[arg-type]
    assert [f.detail for f in found] == closed
    assert all((f.kind, f.step, f.terminal) == (FailureKind.GATE_NOT_PASSED, 7, False) for f in found)


def test_a_closed_gate_is_the_cause_of_a_wrong_report() -> None:
    views = {0: PAGES[0], 1: page("/code", "请输入验证码")}
    hashes = {k: p.state_hash() for k, p in views.items()}
    made = resealed(trajectory(WRONG), 1, page=hashes[1])
    made = resealed(made, 2, page=hashes[1]).model_copy(update={"pages": {hashes[k]: p for k, p in views.items()}})
    outcome = score_episode(made, GOLD.model_copy(update={"site": GATED}))
    assert outcome.cause == Failure(kind=FailureKind.GATE_NOT_PASSED, step=LAST_BROWSE, detail="code")
    assert outcome.first_failure is FailureStage.DECISION_WRONG
    assert outcome.flat()["cause.detail"] == "code"


def test_a_wrong_entry_under_committed_routing_is_named_and_leaves_the_web_score_unknown() -> None:
    made = trajectory(None, entry="other.beta.test", status=EpisodeStatus.BOTTOM)
    made = made.model_copy(update={"routing": "committed", "steps": made.steps[:1], "landing": None, "pages": {}})
    outcome: Outcome = score_episode(made, GOLD)
    assert (outcome.web_correct, outcome.end_to_end_correct) == (None, 0)
    assert outcome.cause == Failure(kind=FailureKind.GATE_NOT_PASSED, step=0, terminal=True, detail="entry")
    summary = summarize([outcome])
    assert (summary.routing, summary.web_accuracy, summary.gate_loss) == ("committed", None, None)
    assert summary.end_to_end_accuracy == 0
    with pytest.raises(ValueError, match="committed, reference"):
        summarize([outcome, score_episode(trajectory(RIGHT), GOLD).model_copy(update={"chain_id": "c2"})])
