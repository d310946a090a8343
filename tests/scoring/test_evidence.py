"""Citations, evidence, validation and whole episodes, on a small site written by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_episodes import BOTH, CLAIM_TEXT, COUNTER_TEXT, GOLD, PAGES, cite, page, report, resealed, trajectory

from riskchain_gym.protocol.action import ActionResult, ActionStatus
from riskchain_gym.protocol.codebook import ViolationType
from riskchain_gym.protocol.failures import EpisodeStatus, FailureStage
from riskchain_gym.protocol.page import ObservedLine
from riskchain_gym.protocol.report import Citation
from riskchain_gym.protocol.trajectory import GENESIS, Phase, Trajectory
from riskchain_gym.scoring.citations import citation_problem, hits
from riskchain_gym.scoring.episode import score_episode
from riskchain_gym.scoring.evidence import score_evidence
from riskchain_gym.scoring.summary import summarize
from riskchain_gym.scoring.validator import validate


def test_citing_every_deciding_atom_is_perfect() -> None:
    result = score_evidence(report(*BOTH), PAGES, GOLD.site)
    assert (result.precision, result.recall, result.f1, result.seen) == (1, 1, 1, 1)
    assert result.sufficient
    assert not result.contradiction


def test_a_duplicate_is_over_citation_and_half_the_pair_is_not_sufficient() -> None:
    result = score_evidence(report(cite(1, CLAIM_TEXT), cite(1, CLAIM_TEXT)), PAGES, GOLD.site)
    assert (result.precision, result.recall, result.over_citation) == (0.5, 0.5, 0.5)
    assert not result.sufficient


def test_citing_what_speaks_against_the_report_is_a_contradiction() -> None:
    assert score_evidence(report(*BOTH, cite(1, COUNTER_TEXT)), PAGES, GOLD.site).contradiction


@pytest.mark.parametrize(
    ("citation", "hit"),
    [
        (cite(1, CLAIM_TEXT), True),
        (cite(1, "后返利，稳赚不赔"), True),
        (cite(1, "  先垫付后返利，稳赚不赔 "), True),
        (cite(1, "稳赚不赔"), False),
        (cite(2, CLAIM_TEXT), False),
        (cite(0, "首页"), False),
        (cite(1, f"{CLAIM_TEXT} {COUNTER_TEXT}"), False),
        (cite(1, COUNTER_TEXT, region={"x": 0, "y": 0, "width": 100, "height": 20}), False),
        (cite(1, region={"x": 0, "y": 0, "width": 100, "height": 18}), True),
        (cite(1, region={"x": 0, "y": 30, "width": 100, "height": 20}), False),
        (cite(1, region={"x": 0, "y": 0, "width": 100, "height": 60}), False),
        (cite(1, region={"x": 0, "y": 0, "width": 1280, "height": 5000}), False),
    ],
)
def test_what_hits_the_claim(citation: Citation, hit: bool) -> None:
    assert hits(citation, GOLD.site.atoms[0], PAGES) is hit


@pytest.mark.parametrize(
    ("citation", "problem"),
    [
        (cite(9, "首页"), "never observed"),
        (cite(0, "没有这句话"), "was not shown"),
        (cite(0, element_id="e7"), "was not on the page"),
        (cite(0, region={"x": 0, "y": 9000, "width": 5, "height": 5}), "outside the page"),
        (cite(0, "规则", element_id="e0"), None),
        (cite(1, CLAIM_TEXT), None),
    ],
)
def test_citations_resolve_or_say_why_not(citation: Citation, problem: str | None) -> None:
    found = citation_problem(citation, PAGES)
    assert (found is None) if problem is None else (found is not None and problem in found)


def test_a_right_report_with_an_open_gate_scores_one() -> None:
    outcome = score_episode(trajectory(report(*BOTH)), GOLD)
    assert (outcome.web_correct, outcome.end_to_end_correct, outcome.gate_loss) == (1, 1, 0)
    assert outcome.first_failure is FailureStage.SUCCESS
    assert outcome.validator.valid


def test_a_site_without_atoms_has_no_evidence_score() -> None:
    bare = GOLD.model_copy(update={"site": GOLD.site.model_copy(update={"atoms": ()})})
    outcome = score_episode(trajectory(report(*BOTH)), bare)
    assert outcome.evidence is None
    assert outcome.web_correct == 1
    assert not [name for name in outcome.flat() if name.startswith("evidence")]
    assert summarize([outcome]).citation_f1 is None


def test_a_closed_gate_costs_the_end_to_end_score_alone() -> None:
    outcome = score_episode(trajectory(report(*BOTH), entry="other.beta.test"), GOLD)
    assert (outcome.web_correct, outcome.end_to_end_correct, outcome.gate_loss) == (1, 0, 1)


def test_a_missing_report_is_a_failure_and_infrastructure_is_not_a_score() -> None:
    missing = score_episode(trajectory(None), GOLD)
    assert (missing.web_correct, missing.first_failure) == (0, FailureStage.MISSING_REPORT)
    lost = score_episode(trajectory(None, status=EpisodeStatus.INFRA_ERROR), GOLD)
    assert lost.web_correct is lost.end_to_end_correct is lost.gate_loss is lost.first_failure is None
    assert not {"web_correct", "end_to_end_correct", "gate_loss"} & lost.flat().keys()


def test_lost_episodes_widen_the_range_and_are_counted() -> None:
    good = score_episode(trajectory(report(*BOTH)), GOLD)
    lost = score_episode(trajectory(None, status=EpisodeStatus.INFRA_ERROR), GOLD)
    summary = summarize([good, lost.model_copy(update={"chain_id": "c2"})])
    assert (summary.worst_case, summary.best_case, summary.lost) == (0.5, 1.0, 1)


def test_crashing_the_browser_never_raises_a_figure() -> None:
    good = score_episode(trajectory(report(*BOTH)), GOLD)
    lost = score_episode(trajectory(None, status=EpisodeStatus.INFRA_ERROR), GOLD)
    alone = summarize([good])
    beside = summarize([good, *(lost.model_copy(update={"chain_id": f"lost{i}"}) for i in range(3))])
    for name in ("decision_macro_f1", "type_macro_f1", "exact_match", "web_accuracy", "citation_f1", "entry_top1"):
        assert getattr(beside, name) < getattr(alone, name), name
    assert (alone.cer, beside.cer) == (alone.cer, (alone.cer + 3) / 4), "all code points of a lost message are missing"  # type: ignore[operator]
    only = summarize([lost])
    assert (only.worst_case, only.best_case, only.end_to_end_accuracy) == (0, 1, None)


def test_a_case_that_ended_before_any_commit_restored_nothing() -> None:
    ended = Trajectory(chain_id="c1", variant="v000", protocol="t", status=EpisodeStatus.BOTTOM)
    outcome = score_episode(ended, GOLD)
    assert outcome.restoration is not None
    assert outcome.restoration.edit_distance == outcome.restoration.reference_length
    assert (outcome.web_correct, outcome.end_to_end_correct, outcome.first_failure) == (0, 0, "execution_failure")


def test_what_is_not_known_is_not_scored() -> None:
    running = trajectory(None, status=EpisodeStatus.RUNNING)
    with pytest.raises(ValueError, match="still running"):
        score_episode(running, GOLD)
    committed = score_episode(trajectory(None, status=EpisodeStatus.COMMITTED), GOLD)
    assert committed.gate is not None
    assert committed.web_correct is committed.end_to_end_correct is committed.label is None
    browse_only = score_episode(trajectory(report(*BOTH)).model_copy(update={"commit": None}), GOLD)
    assert (browse_only.web_correct, browse_only.end_to_end_correct, browse_only.gate_loss) == (1, None, None)


def test_a_wrong_type_is_attributed_to_the_type() -> None:
    wrong = report(*BOTH).model_copy(update={"primary_violation_type": ViolationType.GAMBLING_BETTING_PROMOTION})
    outcome = score_episode(trajectory(wrong), GOLD)
    assert outcome.first_failure is FailureStage.TYPE_WRONG
    assert outcome.web_correct == 1


def test_one_chain_twice_is_refused() -> None:
    good = score_episode(trajectory(report(*BOTH)), GOLD)
    with pytest.raises(ValueError, match="more than once"):
        summarize([good, good])


@given(st.integers(0, 4), st.sampled_from(["action", "feedback", "strikes", "page"]))
def test_tampering_with_a_step_breaks_the_chain(index: int, field: str) -> None:
    good = trajectory(report(*BOTH))
    assert validate(good).valid
    changed = {"action": "x", "feedback": "x", "strikes": 2, "page": GENESIS}[field]
    steps = list(good.steps)
    steps[index] = steps[index].model_copy(update={field: changed})
    assert not validate(good.model_copy(update={"steps": tuple(steps)})).valid


def test_the_validator_sees_changed_pages_budgets_and_citations() -> None:
    good = trajectory(report(*BOTH))
    key = next(iter(good.pages))
    changed = good.model_copy(update={"pages": {**good.pages, key: page("/", "anders")}})
    assert any("state hash" in problem for problem in validate(changed).problems)
    assert "budget" in validate(good, max_steps=1).problems[0]
    assert "was not shown" in validate(trajectory(report(cite(0, "没有这句话")))).problems[0]


def test_the_validator_sees_a_phase_that_went_on_after_its_last_strike() -> None:
    invalid = ActionResult(status=ActionStatus.INVALID)
    good = resealed(trajectory(report(*BOTH)), 1, result=invalid, strikes=1, action="?", page=None, browse_step=None)
    good = resealed(good, 2, browse_step=1)
    assert not any("strikes" in problem for problem in validate(good, strikes=3).problems)
    assert "steps.2: the phase went on after 1 strikes, 1 end it" in validate(good, strikes=1).problems


@pytest.mark.parametrize(
    ("index", "change", "problem"),
    [
        (1, {"action": "this is not an action"}, "no action of the browse phase"),
        (1, {"action": '{"action": "fill", "element_id": "e0"}'}, "takes 'fill'"),
        (1, {"action": '{"action": "click", "element_id": "e9"}'}, "no element 'e9'"),
        (0, {"action": "{}"}, "commit: it is not the one that was sent"),
        (2, {"strikes": 1}, "strikes do not follow"),
        (3, {"phase": Phase.RESTORE, "action": "{}"}, "after a later phase"),
    ],
)
def test_the_validator_reads_what_was_sent(index: int, change: dict[str, object], problem: str) -> None:
    found = validate(resealed(trajectory(report(*BOTH)), index, **change)).problems
    assert any(problem in line for line in found), found
    assert not any("hash chain" in line for line in found)


def test_geometry_is_outside_every_hash() -> None:
    with_boxes = page("/", "a")
    without = with_boxes.model_copy(update={"lines": (ObservedLine(text="a"),), "scroll_y": 700, "height": 3000})
    assert with_boxes.state_hash() == without.state_hash()
