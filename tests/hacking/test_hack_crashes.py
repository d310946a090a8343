"""Crashing on purpose: a lost episode is worth what doing nothing is; above one in a hundred there is no rank."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence

import pytest
from arena import Arena, Played

from riskchain_gym.agents.registry import load_agent
from riskchain_gym.envs.backends.base import ActResult
from riskchain_gym.envs.backends.recovering import RECOVERIES, RecoveringBackend
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.evaluation.leaderboard.board import Entry, Figure
from riskchain_gym.evaluation.leaderboard.standing import MAX_LOST, why_unranked
from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.scoring.summary import Summary, summarize

# -- hostile actions --------------------------------------------------------------------------------------------------

HOSTILE: dict[str, Callable[[], object]] = {
    "half a surrogate": lambda: "\ud800",
    "half a surrogate in JSON": lambda: '{"action":"noop","reason":"\ud800"}',
    "half a surrogate, escaped": lambda: '{"action":"noop","reason":"\\ud800"}',
    "ten megabytes": lambda: '{"action":"' + "x" * 10_000_000 + '"}',
    "ten megabytes of blanks": lambda: " " * 10_000_000 + "{}",
    "deep lists": lambda: "[" * 9_000 + "]" * 9_000,
    "deep objects": lambda: '{"a":' * 3_000 + "1" + "}" * 3_000,
    "NaN": lambda: '{"action":NaN}',
    "Infinity": lambda: '{"confidence":Infinity,"entry_candidates":[{"rank":1,"value":"x","confidence":-Infinity}]}',
    "a number without end": lambda: '{"confidence":' + "9" * 15_000 + "}",
    "an exponent without end": lambda: '{"confidence":1e999999}',
    "the same key twice": lambda: '{"action":"stop","action":"noop","x":1}',
    "nothing": lambda: "",
    "null": lambda: "null",
    "no text": lambda: None,
    "bytes": lambda: b'{"action":"noop"}',
    "a list that holds itself": lambda: _loop(),
    "controls": lambda: "\x00\x1b]0;title\x07\x1b[2J",
    "a million line ends": lambda: "\n" * 1_000_000,
}


def _loop() -> list[object]:
    held: list[object] = []
    held.append(held)
    return held


@pytest.fixture(scope="module")
def plain() -> Arena:
    return Arena()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_action_is_a_strike_and_earns_what_doing_nothing_does(plain: Arena, name: str) -> None:
    chain = next(iter(plain.gold))
    control = plain.play(load_agent("noop").agent, [chain])[0]
    played = plain.send(chain, [HOSTILE[name]()] * 12)  # type: ignore[list-item]
    assert {step.result.status for step in played.trajectory.steps} == {"invalid"}
    assert (played.outcome["status"], played.info["valid"]) == ("missing_report", True), "no crash, no excuse"
    assert played.paid == control.paid == 0
    assert len(played.trajectory.model_dump_json()) < 500_000, "what is written down of it is cut"


@pytest.mark.parametrize("where", ["risk_reason", "note", "observation", "quote"])
def test_a_report_with_half_a_character_is_refused_in_a_sentence(
    plain: Arena, honest: Sequence[Played], where: str
) -> None:
    one = honest[0]
    report = json.loads(one.report.model_dump_json())
    (report if where in report else report["evidence"][0])[where] = "\ud800"
    played = plain.send(one.trajectory.chain_id, [*one.actions[:-1], *[json.dumps(report)] * 3])
    assert played.outcome["status"] == "missing_report"
    assert played.paid == 0


# -- crashing the backend ---------------------------------------------------------------------------------------------


class Mortal(TextBackend):
    """Dies at every action from a number on, as a browser does on a page that somebody has found to kill it."""

    def __init__(self, from_action: int) -> None:
        super().__init__()
        self._left = from_action

    def act(self, action: BrowserAction, key: str | None) -> ActResult:
        self._left -= 1
        if self._left <= 0:
            raise InfrastructureError("browser_lost", "It was driven to its end.")
        return super().act(action, key)


WRONG = Commit(entry_candidates=(EntryCandidate(rank=1, value="nowhere.at.test"),)).model_dump_json()


@pytest.mark.parametrize("reward", ["gated", "delta_gate", "delta_gate_shaped", "web"])
@pytest.mark.parametrize("recovers", [True, False])
def test_a_crashed_episode_says_that_it_does_not_count_and_holds_no_score(
    honest: Sequence[Played], reward: str, recovers: bool
) -> None:
    arena = Arena(reward=reward, web_outcomes=0.5)
    one = max(honest, key=lambda played: len(played.actions))
    mortal = Mortal(from_action=3)
    arena.world.backend = RecoveringBackend(mortal) if recovers else mortal
    played = arena.send(one.trajectory.chain_id, [WRONG, *one.actions[1:]])
    assert played.info["valid"] is False, "whoever trains drops it whole, the commit's reward included"
    assert played.rewards[-1] == 0
    assert played.outcome["status"] == "infra_error"
    scored = ("web_correct", "end_to_end_correct", "gate.passed", "evidence.f1", "label.gold_decision", "gate_loss")
    assert not [name for name in scored if name in played.outcome]
    assert not [name for name in played.outcome if name.startswith("terms.")]
    if recovers:
        assert sum(arena.world.backend.relaunches.values()) == RECOVERIES, "and only after it was tried again"


# -- figures of runs --------------------------------------------------------------------------------------------------

NEVER_RISES = (
    "entry_top1",
    "entry_top1_strict",
    "entry_top1_handoff",
    "message_exact",
    "intent_accuracy",
    "full",
    "web_accuracy",
    "balanced_accuracy",
    "type_macro_f1",
    "exact_match",
    "end_to_end_accuracy",
    "gated_type_macro_f1",
    "gated_exact_match",
    "citation_precision",
    "citation_recall",
    "citation_f1",
    "evidence_seen",
    "evidence_sufficient",
)
"""Figures that no lost episode can raise, whichever one loses."""

RISES_AS_SILENCE_DOES = ("decision_macro_f1", "gated_macro_f1")
"""Figures that a false answer lowers more than none: a crash raises them as far as filing no report does."""

AGENTS = ("rules+explorer", "rules+landing_only", "copy+landing_only")


def lost(played: Played) -> Played:
    """Return an episode as a crash would have left it."""
    changes = {"status": EpisodeStatus.INFRA_ERROR, "infra_cause": "browser_lost", "report": None}
    steps = played.trajectory.steps[:2]
    return Played(played.trajectory.model_copy(update={**changes, "steps": steps}), (), {})


@pytest.fixture(scope="module", params=AGENTS)
def fates(request: pytest.FixtureRequest, plain: Arena, honest: Sequence[Played]) -> dict[str, list[Outcome]]:
    """An agent's outcomes, the same episodes lost, and the same chains with nothing done."""
    played = list(honest) if request.param == AGENTS[0] else plain.play(load_agent(request.param).agent)
    silent = plain.play(load_agent("noop").agent)
    kinds = {"played": played, "lost": [lost(one) for one in played], "silent": silent}
    return {name: plain.outcomes(each) for name, each in kinds.items()}


def chosen(fates: dict[str, list[Outcome]], fate: str, picked: list[bool]) -> Summary:
    pairs = zip(picked, fates["played"], fates[fate], strict=True)
    return summarize([other if pick else played for pick, played, other in pairs])


def test_no_choice_of_episodes_to_lose_raises_a_figure(fates: dict[str, list[Outcome]]) -> None:
    control = summarize(fates["played"])
    for seed in range(6):
        rng = random.Random(seed)
        share = rng.random()
        crashed = chosen(fates, "lost", [rng.random() < share for _ in fates["played"]])
        for figure in NEVER_RISES:
            before, after = getattr(control, figure), getattr(crashed, figure)
            assert after is None or before is None or after <= before + 1e-12, figure
        assert crashed.worst_case is None or crashed.worst_case <= (control.end_to_end_accuracy or 0)


def test_losing_just_what_was_wrong_is_worth_what_saying_nothing_there_is(fates: dict[str, list[Outcome]]) -> None:
    control = summarize(fates["played"])
    wrong = [not outcome.end_to_end_correct for outcome in fates["played"]]
    if all(wrong):
        return
    crashed, silent = chosen(fates, "lost", wrong), chosen(fates, "silent", wrong)
    assert crashed.end_to_end_accuracy == control.end_to_end_accuracy, "the denominator keeps them"
    for figure in (*NEVER_RISES, *RISES_AS_SILENCE_DOES):
        after, said = getattr(crashed, figure), getattr(silent, figure)
        assert after is None or said is None or after <= said + 1e-12, figure
    assert crashed.cer is not None
    assert silent.cer is not None
    assert crashed.cer >= silent.cer - 1e-12
    assert crashed.lost == sum(wrong)


@pytest.mark.parametrize(("share", "ranked"), [(0.0, True), (MAX_LOST, True), (0.0101, False), (0.5, False)])
def test_above_one_in_a_hundred_there_is_no_rank(share: float, ranked: bool) -> None:
    told = {"name": "crasher", "kind": "baseline", "chains": 100, "planned": 100, "lost": share, "broken": 0}
    right = Figure.model_construct(value=1.0)
    row = Entry.model_construct(**told, figures={"end_to_end_accuracy": right}, runs=())  # type: ignore[arg-type]
    manifest = RunManifest.model_construct(env_id="RiskChain-v0", environment=Arena().world.config)
    assert (why_unranked(row, manifest, split_chains=100) == ()) is ranked
