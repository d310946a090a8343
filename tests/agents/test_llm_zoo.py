"""The failure zoo through the real client and a whole episode: each failure ends in its own named status, each time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import gymnasium as gym
import pytest

from riskchain_gym.agents.asking import MODEL_LOST
from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.models import Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.evaluation.episode import run_episode
from riskchain_gym.llm.client import ChatModel, ModelClient
from riskchain_gym.llm.failures import LOST as LOST_CALLS
from riskchain_gym.llm.failures import RETRIED, UNPAID, CallFailure
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_zoo import ZOO, Troubled
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest, Message
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.protocol.failures import EpisodeStatus, FailureKind
from riskchain_gym.protocol.trajectory import Phase, Trajectory

pytest.importorskip("openai")

LOST, REFUSED_TO_RUN = "lost", "the run ends"
REPORTED, MISSING = EpisodeStatus.REPORTED, EpisodeStatus.MISSING_REPORT
NO_ACTION = {FailureKind.MALFORMED_ACTION, FailureKind.INVALID_REPORT}
DECLINED = {FailureKind.REFUSAL}

EXPECTED: dict[str, tuple[str, set[FailureKind]]] = {
    "rate_limited": (LOST, set()),
    "server_error": (LOST, set()),
    "bad_gateway_html": (LOST, set()),
    "hang": (LOST, set()),
    "drip": (LOST, set()),
    "cut_stream": (LOST, set()),
    "broken_json_body": (LOST, set()),
    "auth": (REFUSED_TO_RUN, set()),
    "model_not_found": (REFUSED_TO_RUN, set()),
    "context_too_long": (MISSING, NO_ACTION),
    "refusal_en": (MISSING, DECLINED),
    "refusal_zh": (MISSING, DECLINED),
    "content_filter": (MISSING, DECLINED),
    "prompt_filter": (MISSING, DECLINED),
    "empty": (MISSING, NO_ACTION),
    "ten_megabytes": (MISSING, NO_ACTION),
    "truncated_json": (MISSING, NO_ACTION),
    "unfinished_json": (MISSING, NO_ACTION),
    "extra_prose": (MISSING, NO_ACTION),
    "fenced_json": (REPORTED, set()),
    "wrong_schema": (MISSING, NO_ACTION),
    "unknown_element": (REPORTED, {FailureKind.MISSING_TARGET}),
    "endless_loop": (REPORTED, {FailureKind.LOOP, FailureKind.STEP_BUDGET}),
    "injected_field": (MISSING, NO_ACTION),
    "injected_text": (MISSING, NO_ACTION),
    "injected_marks": (MISSING, NO_ACTION),
    "injected_reason": (REPORTED, set()),
}
"""What becomes of an episode when every call fails in this way, and what the environment names it on the way."""

BESIDE = {FailureKind.EARLY_STOP, FailureKind.NO_EFFECT, FailureKind.STALE_TARGET}
"""What may happen beside on the chain at hand, by what the scripted agent happens to do."""

STRIKES = 9
"""Three strikes in each phase."""


@dataclass
class Played:
    """What came of an episode."""

    calls: tuple[CallRecord, ...]
    trajectory: Trajectory | None = None
    error: Exception | None = None

    @property
    def ending(self) -> str:
        if isinstance(self.error, InfrastructureError):
            assert self.error.cause == MODEL_LOST
            return LOST
        if self.error is not None:
            return REFUSED_TO_RUN
        assert self.trajectory is not None
        return self.trajectory.status


class Stage:
    """One endpoint, one client for each patience, one environment: what is dear to make."""

    def __init__(self) -> None:
        self.script = Troubled([])
        self.endpoint = FakeEndpoint(lambda request: self.script(request), record=False)
        self.env = gym.make(
            "RiskChain-v0", split="mini", backend="text", reward="none", max_steps=8, disable_env_checker=True
        )
        self._clients: dict[tuple[float, str], ModelClient] = {}

    def play(self, script: Troubled, *, timeout: float, said: Overrides | None = None) -> Played:
        chain = load_public("mini")[0].chain_id
        self.script = script
        with self.models(timeout) as models:
            named = {"model": "small", "base_url": self.endpoint.base_url}
            overrides = (said or Overrides()).model_copy(update=named)
            loaded = load_agent("llm", models=models, overrides=overrides)
            try:
                episode = run_episode(self.env, loaded.agent, build_instructions(8), chain, ScreenshotEncoder())
            except (InfrastructureError, ConfigError) as error:
                return Played(loaded.calls, error=error)
            return Played(loaded.calls, episode.trajectory)

    def models(self, timeout: float) -> Models:
        def kept(asked: ModelSettings) -> ChatModel:
            key = timeout, asked.structure
            if key not in self._clients:
                fields = {"attempts": 2, "timeout": timeout, "max_reply_bytes": 100_000}
                self._clients[key] = ModelClient(asked.model_copy(update=fields), sleep=lambda _: None)
            return Kept(self._clients[key])

        return Models(make_client=kept)

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self.endpoint.close()
        self.env.close()  # type: ignore[no-untyped-call]


@dataclass
class Kept:
    """A client that is not closed with those who asked it."""

    client: ModelClient

    @property
    def model(self) -> str:
        return self.client.model

    def complete(self, request: ChatRequest) -> Reply:
        return self.client.complete(request)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def patience(name: str) -> float:
    """A server that is slow today fails no test; one that never answers is not waited for."""
    return 0.3 if ZOO[name].failure is CallFailure.TIMEOUT else 60.0


@pytest.mark.parametrize("name", EXPECTED)
def test_each_failure_ends_in_its_own_named_status(name: str, stage: Stage) -> None:
    played = stage.play(Troubled([name]), timeout=patience(name))
    ending, kinds = EXPECTED[name]
    assert played.ending == ending
    if ending == REFUSED_TO_RUN:
        assert "cannot be asked" in str(played.error)
        return
    assert {call.failure for call in played.calls} == {ZOO[name].failure}
    if ending == LOST:
        assert len(played.calls) == 1, "nobody asks on"
        assert str(ZOO[name].failure) in str(played.error)
        return
    assert played.trajectory is not None
    named = {failure.kind for failure in played.trajectory.failures}
    assert kinds <= named <= kinds | BESIDE
    if ending == MISSING:
        assert len(played.calls) == STRIKES
        assert played.trajectory.commit is not None
        assert played.trajectory.commit.abstain, "what was no restoration leads nowhere"
    else:
        assert played.trajectory.report is not None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_a_failure_the_script_plays_to_a_report(language: str, stage: Stage) -> None:
    # Of the prompt alone, with nothing on the wire that says what form the answer has.
    said = Overrides(settings={"structure": "prompt"}, options={"language": language, "examples": 2, "pinyin": True})
    played = stage.play(Troubled([]), timeout=60, said=said)
    assert played.ending == REPORTED
    assert {call.failure for call in played.calls} == {None}
    assert played.trajectory is not None
    assert {failure.kind for failure in played.trajectory.failures} <= BESIDE
    assert [call.phase for call in played.calls].count(Phase.BROWSE) > 2


def test_the_whole_zoo_is_in_the_table() -> None:
    assert ZOO.keys() - EXPECTED.keys() == {"no_images"}, "which takes pictures: below"


def test_what_passes_at_the_second_attempt_costs_nothing_but_the_attempt(stage: Stage) -> None:
    troubled = Troubled(["rate_limited", "server_error", "cut_stream", "empty"], every=3)
    played = stage.play(troubled, timeout=60)
    assert played.ending == REPORTED
    assert {call.failure for call in played.calls} == {None}
    assert {call.attempts for call in played.calls} == {1, 2}


def test_one_wrong_answer_a_phase_is_a_strike_and_no_more(stage: Stage) -> None:
    played = stage.play(Troubled(["extra_prose", "refusal_zh"], every=2), timeout=60)
    assert played.ending == REPORTED
    assert played.trajectory is not None
    named = {failure.kind for failure in played.trajectory.failures if not failure.terminal}
    assert {FailureKind.MALFORMED_ACTION, FailureKind.REFUSAL} <= named


def test_an_episode_that_is_lost_late_is_lost_as_a_whole(stage: Stage) -> None:
    played = stage.play(Troubled(["server_error"], after=3), timeout=60)
    assert played.ending == LOST
    assert [call.failure for call in played.calls] == [None, None, None, CallFailure.TRANSPORT]


def test_the_same_failures_give_the_same_trajectory(stage: Stage) -> None:
    hashes = set()
    for _ in range(2):
        trajectory = stage.play(Troubled(["refusal_en", "injected_text"], every=2), timeout=60).trajectory
        assert trajectory is not None
        hashes.add(trajectory.steps[-1].hash)
    assert len(hashes) == 1


def test_pictures_that_a_server_does_not_take_end_the_run_with_what_to_set(stage: Stage) -> None:
    request = ChatRequest(messages=(Message(role="user", text="?", images=(b"\x89PNG\r\n\x1a\n",)),))
    stage.script = Troubled(["no_images"])
    with stage.models(60.0) as models:
        asked = models.asked(models.settings({"base_url": stage.endpoint.base_url, "model": "small"}))
        with pytest.raises(ConfigError, match="images=false"):
            asked.ask(request, phase=Phase.REPORT)
    assert [call.failure for call in asked.calls] == [CallFailure.IMAGES_UNSUPPORTED]


def test_the_page_tells_of_every_failure_what_becomes_of_it() -> None:
    page = (Path(__file__).parents[2] / "docs" / "llm.md").read_text(encoding="utf-8")
    zoo = re.findall(r"^\| `(\w+)` \| [^|]+ \| (?:`(\w+)`|–) \|$", page, re.MULTILINE)
    assert dict(zoo) == {name: mishap.failure or "" for name, mishap in ZOO.items()}
    failures = re.findall(r"^\| `(\w+)` \| [^|]+ \| (yes|no) \| ([^|]+) \|$", page, re.MULTILINE)
    assert {name for name, *_ in failures} == set(CallFailure)
    assert {name for name, again, _ in failures if again == "yes"} == RETRIED
    assert {name for name, _, becomes in failures if becomes == "lost"} == LOST_CALLS
    ends = {CallFailure.AUTH, CallFailure.MODEL_NOT_FOUND, CallFailure.IMAGES_UNSUPPORTED, *UNPAID}
    assert {name for name, _, becomes in failures if becomes == "the run ends"} == ends
