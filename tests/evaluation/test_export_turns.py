"""What is exported as a question is what was, or would have been, asked: character by character."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_cases import CHAINS, MODEL, Script
from run_cases import poisoned, trajectories

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.evaluation.exports.observations import observations
from riskchain_gym.evaluation.exports.turns import Questioner, Turn, options_of
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_replies import Say
from riskchain_gym.llm.fence import blocks_in
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.trajectory import Trajectory

VARIANTS = {chain.chain_id: chain.variants for chain in load_public("mini")}


def message_of(trajectory: Trajectory) -> Message:
    return VARIANTS[trajectory.chain_id][trajectory.variant]


def turns_of(run: RunFolder, trajectory: Trajectory, **changes: Any) -> list[Turn]:
    questioner = Questioner(options_of(run.manifest), **changes)
    return list(questioner.turns(trajectory, run.manifest, message_of(trajectory)))


@pytest.mark.parametrize(("backend", "observe"), [("text", ()), ("fake", ("screenshot",))])
@pytest.mark.parametrize("scaffold", [True, False])
def test_observations_are_those_that_the_environment_gave(
    backend: str, observe: tuple[str, ...], scaffold: bool, some_chains: tuple[str, ...], tmp_path: Path
) -> None:
    if observe:
        pytest.importorskip("PIL")
    kwargs = {"split": "mini", "backend": backend, "observe": list(observe), "reward": "none", "max_steps": 12}
    rules = tmp_path / "rules.toml"
    rules.write_text(f"scaffold = {str(scaffold).lower()}\n")
    env = gym.make("riskchain_gym:RiskChain-v0", disable_env_checker=True, config=str(rules), **kwargs)
    agent = load_agent("rules+explorer").agent
    agent.reset(build_instructions())
    observation, _ = env.reset(options={"chain": some_chains[0]})
    given: list[dict[str, Any]] = []
    ended = False
    while not ended:
        given.append(observation)
        # Now and then an action that is none, so that strikes and their sentences are among what is shown.
        action = "not an action" if len(given) in (1, 5, 6) else agent.act(observation)
        observation, _, terminated, truncated, _ = env.step(action)
        ended = terminated or truncated
    world: Any = env.unwrapped
    trajectory: Trajectory = world.trajectory
    config: EnvConfig = world.config
    env.close()

    again = [each.observation for each in observations(trajectory, config, message_of(trajectory))]

    assert len(again) == len(given) > 8
    for made, shown in zip(again, given, strict=True):
        assert made.keys() == shown.keys()
        assert {k: v for k, v in made.items() if k not in observe} == {
            k: v for k, v in shown.items() if k not in observe
        }


def stumbling() -> Script:
    """The scripted agent, which at times answers what is no JSON, no form, or no element of the page."""
    nowhere = {"reason": "", "action": "click", "element_id": "e999", "option": None, "key": None, "stop_status": None}
    return Script(
        {
            1: lambda: Say("I would rather not say."),
            3: lambda: Say('{"action": "click"'),
            4: lambda: Say('{"action": "dance"}'),
            6: lambda: Say(json.dumps(nowhere)),
        }
    )


@pytest.mark.parametrize(
    "options", [{}, {"language": "zh", "pinyin": True, "history": 1, "examples": 1, "tell_budget": False}]
)
def test_questions_are_those_that_the_model_was_sent(tmp_path: Path, options: dict[str, Any]) -> None:
    pytest.importorskip("openai")
    with FakeEndpoint(stumbling()) as endpoint:
        overrides = Overrides(model=MODEL, base_url=endpoint.base_url, settings={"attempts": 1}, options=options)
        asking = Asking({"llm": overrides})
        run = run_agent("llm", tmp_path / "run", RunSettings("mini", "text", (), 1, CHAINS[:1], asking))
        sent = [request.texts for request in endpoint.requests]
    (trajectory,) = trajectories(RunFolder.open(run.path))

    turns = turns_of(RunFolder.open(run.path), trajectory)

    assert [(turn.system, turn.question) for turn in turns] == sent
    assert [turn.valid for turn in turns].count(False) == 4


def test_answers_are_in_the_form_that_is_asked_for_or_as_they_were_sent(frozen: dict[str, RunFolder]) -> None:
    from riskchain_gym.agents.llm.forms import FORMS

    run = frozen["rules+explorer"]
    for trajectory in trajectories(run):
        for turn in turns_of(run, trajectory):
            FORMS[turn.phase].model_validate_json(turn.answer)
        assert [turn.answer for turn in turns_of(run, trajectory, answers="sent")] == [
            step.action for step in trajectory.steps
        ]


def test_a_report_cites_the_words_that_its_question_shows(frozen: dict[str, RunFolder]) -> None:
    """Questions mask the operator's name, which stands in the title: an answer that has the name could not be given."""
    run = frozen["oracle"]
    for trajectory in trajectories(run):
        landing = trajectory.browse_steps()[0]
        name = next(line.text for line in landing.lines if line.text and line.text in landing.title)
        *steps, last = trajectory.steps
        action = json.loads(last.action)
        action["evidence"][0] |= {"step": 0, "quote": name, "element_id": None}
        cited = last.model_copy(update={"action": json.dumps(action, ensure_ascii=False)})

        report = turns_of(run, trajectory.model_copy(update={"steps": (*steps, cited)}))[-1]

        lines = [line for page in blocks_in(report.question)["seen"]["pages"] for line in page["lines"]]
        assert name not in lines
        assert all(each["quote"] in "\n".join(lines) for each in json.loads(report.answer)["evidence"])


@given(
    text=st.text(
        st.one_of(
            st.characters(exclude_categories=["Cs"], exclude_characters="\n"),
            st.sampled_from('\u3000\u200b\u202e\ufeff\x00\r\u2028<>[]\\"$'),
        ),
        min_size=1,
        max_size=60,
    )
)
@settings(max_examples=8, deadline=None)
def test_words_of_pages_are_kept_code_point_by_code_point(frozen: dict[str, RunFolder], text: str) -> None:
    run = frozen["rules+explorer"]
    spoilt = poisoned(trajectories(run)[0], text)

    turn = next(turn for turn in turns_of(run, spoilt) if turn.phase == "browse")

    shown = json.loads(json.dumps({"content": turn.question}, ensure_ascii=False).encode())["content"]
    assert blocks_in(shown)["page"]["lines"][0] == text
