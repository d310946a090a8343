"""Agents that ask a model: how they are named, what they are given, and what is part of what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.agents.models import Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.registry import find_spec, load_agent
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fuse import IN_A_ROW
from riskchain_gym.llm.reply import Reply
from riskchain_gym.llm.request import ChatRequest, Message
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError, InputFileError, UnknownNameError
from riskchain_gym.protocol.trajectory import Phase

OWN = """
class Agent:
    asks_model = True

    def __init__(self, model, tone="plain"):
        self.model, self.tone = model, tone
        if tone not in ("plain", "loud"):
            raise ValueError("tone: say plain or loud")

    @property
    def identity(self):
        return {"tone": self.tone}

    def reset(self, instructions):
        self.model.reset()

    def act(self, observation):
        return "{}"

    def close(self):
        self.model.close()
"""
REQUEST = ChatRequest(messages=(Message(role="user", text="hello", images=(b"one",)),))


class Scripted:
    """A model that gives the replies it was made with, in order."""

    def __init__(self, settings: ModelSettings, *replies: Reply) -> None:
        self.settings = settings
        self.replies = list(replies)

    @property
    def model(self) -> str:
        return self.settings.model

    def complete(self, request: ChatRequest) -> Reply:
        return self.replies.pop(0)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "own_model_agent.py").write_text(OWN)
    file = tmp_path / "own.toml"
    file.write_text(
        'name = "own"\nagent = "own_model_agent:Agent"\n[model]\nmodel = "m1"\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    return file


def stubbed(*replies: Reply) -> tuple[Models, list[Scripted]]:
    made: list[Scripted] = []

    def make(settings: ModelSettings) -> Scripted:
        made.append(Scripted(settings, *replies))
        return made[-1]

    return Models(make_client=make), made


@pytest.mark.parametrize("name", ["llm:org/model-7b", "rules+llm:a", "llm:a+b:c+explorer", "llm:x+llm:y"])
def test_a_model_can_be_named_in_the_name_of_an_agent(name: str) -> None:
    spec, _ = find_spec(name)
    assert "/" not in spec.name
    models, made = stubbed()
    loaded = load_agent(name, models=models, overrides=Overrides(base_url="http://127.0.0.1:9/v1"))
    assert loaded.asks_model
    assert {one.settings.model for one in made} == {
        "llm:org/model-7b": {"org/model-7b"},
        "rules+llm:a": {"a"},
        "llm:a+b:c+explorer": {"a+b:c"},
        "llm:x+llm:y": {"x", "y"},
    }[name]


@pytest.mark.parametrize("name", ["rules:x+explorer", "llm:+explorer", "llm:", "explorer:a"])
def test_only_parts_that_ask_a_model_are_given_one_by_name(name: str) -> None:
    with pytest.raises(UnknownNameError):
        load_agent(name)


def test_agents_with_the_same_settings_share_a_model(own: Path) -> None:
    models, made = stubbed()
    first, second = (load_agent(str(own), models=models) for _ in range(2))
    other = load_agent(str(own), models=models, overrides=Overrides(settings={"temperature": 1.0}))
    assert len(made) == 2
    assert first.sha256 == second.sha256 != other.sha256


def test_the_environment_names_what_the_file_leaves_out(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own.write_text('name = "own"\nagent = "own_model_agent:Agent"\n')
    models, made = stubbed()
    with pytest.raises(ConfigError, match="RISKCHAIN_LLM_BASE_URL"):
        load_agent(str(own), models=models)
    monkeypatch.setenv("RISKCHAIN_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RISKCHAIN_LLM_MODEL", "from-outside")
    assert load_agent(str(own), models=models).models[0].model == "from-outside"
    assert len(made) == 1


def test_errors_say_whose_they_are(own: Path) -> None:
    models, _ = stubbed()
    with pytest.raises(InputFileError, match="tone: say plain or loud"):
        load_agent(str(own), models=models, overrides=Overrides(options={"tone": "shrill"}))
    with pytest.raises(ConfigError, match="option"):
        load_agent(
            "llm:m", models=models, overrides=Overrides(base_url="http://127.0.0.1:9/v1", options={"imges": True})
        )
    with pytest.raises(ConfigError, match="named twice"):
        load_agent("llm:m", models=models, overrides=Overrides(base_url="http://127.0.0.1:9/v1", model="n"))
    with pytest.raises(ConfigError, match="asks no model"):
        load_agent("rules+explorer", overrides=Overrides(model="m"))


def test_every_call_is_recorded_until_the_next_episode(own: Path) -> None:
    models, _ = stubbed(Reply(text="fine", raw="{}"), Reply(failure=CallFailure.REFUSED, detail="it declines"))
    loaded = load_agent(str(own), models=models)
    agent = loaded.agent
    asked = agent.model  # type: ignore[attr-defined]
    assert isinstance(asked, AskedModel)
    asked.ask(REQUEST, phase=Phase.RESTORE)
    asked.ask(REQUEST, phase=Phase.BROWSE, step=3, repair=True)
    first, second = loaded.calls
    assert (first.failure, first.characters, first.images) == (None, 5, 1)
    assert (second.failure, second.step, second.repair) == (CallFailure.REFUSED, 3, True)
    agent.reset(None)  # type: ignore[arg-type]
    assert (asked.calls, len(loaded.calls)) == ((), 2), "an agent that forgets hides nothing of what was asked"
    loaded.begin_episode()
    assert loaded.calls == ()


@pytest.mark.parametrize("failure", [CallFailure.TIMEOUT, CallFailure.RATE_LIMITED, CallFailure.BAD_REQUEST])
def test_what_is_nobodys_answer_ends_the_episode_without_one(own: Path, failure: CallFailure) -> None:
    models, _ = stubbed(Reply(failure=failure, detail="why"))
    loaded = load_agent(str(own), models=models)
    agent = loaded.agent
    with pytest.raises(InfrastructureError, match="why") as error:
        agent.model.ask(REQUEST, phase=Phase.RESTORE)  # type: ignore[attr-defined]
    assert error.value.cause == "model_lost"
    assert [call.failure for call in loaded.calls] == [failure]


@pytest.mark.parametrize(
    ("failure", "earlier", "error"),
    [
        (CallFailure.AUTH, 0, ConfigError),
        (CallFailure.MODEL_NOT_FOUND, 0, ConfigError),
        (CallFailure.RATE_LIMITED, IN_A_ROW - 1, InfrastructureError),
        (CallFailure.OVER_COST, 0, InfrastructureError),
    ],
)
def test_a_call_that_ends_the_run_is_recorded_as_what_it_was(
    own: Path, failure: CallFailure, earlier: int, error: type[Exception]
) -> None:
    reply = Reply(failure=failure, detail="why", attempts=3, seconds=1.5, raw="quota", model="served")
    models, _ = stubbed(*[reply] * (earlier + 1))
    loaded = load_agent(str(own), models=models)
    agent = loaded.agent
    for _ in range(earlier + 1):
        with pytest.raises(error, match="why"):
            agent.model.ask(REQUEST, phase=Phase.RESTORE)  # type: ignore[attr-defined]
    call = loaded.calls[-1]
    assert (call.failure, call.detail, call.attempts, call.seconds) == (failure, "why", 3, 1.5)
    assert call.model == "served"
    assert call.reply_sha256


def test_a_model_that_takes_no_pictures_is_told_of_at_once(own: Path) -> None:
    models, _ = stubbed(Reply(failure=CallFailure.IMAGES_UNSUPPORTED, detail="no eyes"))
    agent = load_agent(str(own), models=models).agent
    with pytest.raises(ConfigError, match="images=false"):
        agent.model.ask(REQUEST, phase=Phase.BROWSE, step=0)  # type: ignore[attr-defined]


def test_agents_without_a_model_have_no_calls() -> None:
    loaded = load_agent("rules+explorer")
    assert not loaded.asks_model
    assert loaded.calls == ()
