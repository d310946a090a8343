"""Reading the answer: nothing that an agent can look at changes with the gold, before the last step has been paid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from arena import Arena, Played
from other_gold import gold_within, write_with_other_gold

from riskchain_gym.agents.instructions import build_instructions
from riskchain_gym.agents.registry import load_agent
from riskchain_gym.evaluation.engine.local import LocalAgent, LocalEnvironments
from riskchain_gym.evaluation.engine.play import play
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.protocol.commit import Commit, EntryCandidate

WRONG = Commit(entry_candidates=(EntryCandidate(rank=1, value="nowhere.at.test"),)).model_dump_json()

PLAYED_AS = {
    "RiskChain-v0": ("gated", "delta_gate", "delta_gate_shaped", "web"),
    "RiskChainRestore-v0": ("gated", "delta_gate"),
    "RiskChainBrowse-v0": ("web",),
}
CASES = [(env_id, reward) for env_id, rewards in PLAYED_AS.items() for reward in rewards]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> str:
    """``mini`` as it is, but for the gold: each chain has that of another one."""
    return write_with_other_gold("mini", tmp_path_factory.mktemp("other") / "mini")


def bytes_of(value: Any) -> bytes:
    """Return an observation or info as bytes, whatever stands in it."""

    def plain(each: Any) -> Any:
        return [str(each.dtype), each.tolist()] if isinstance(each, np.ndarray | np.generic) else str(each)

    return json.dumps(value, sort_keys=True, ensure_ascii=True, default=plain).encode()


def told(env: gym.Env[Any, Any], chain: str, actions: Iterable[str]) -> Iterator[tuple[bytes, bytes, float, bool]]:
    """Yield observation, info, reward and whether it was the last step, from the reset on."""
    observation, info = env.reset(seed=7, options={"chain": chain})
    yield bytes_of(observation), bytes_of(info), 0.0, False
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        yield bytes_of(observation), bytes_of(info), float(reward), terminated or truncated
        if terminated or truncated:
            return


def actions_for(env_id: str, one: Played) -> Sequence[str]:
    return one.actions[1:] if env_id == "RiskChainBrowse-v0" else one.actions


@pytest.mark.parametrize(("env_id", "reward"), CASES)
def test_another_gold_changes_no_byte_before_the_last_step(
    sample: Sequence[Played], other: str, env_id: str, reward: str
) -> None:
    settings = {"backend": "text", "reward": reward, "disable_env_checker": True}
    settings |= {} if reward in ("gated", "web") else {"web_outcomes": 0.5}
    with_gold, with_other = (gym.make(f"riskchain_gym:{env_id}", split=s, **settings) for s in ("mini", other))
    paid = set()
    for one in sample[::2]:
        sent = actions_for(env_id, one)
        both = (told(env, one.trajectory.chain_id, sent) for env in (with_gold, with_other))
        pairs = zip(*both, strict=True)
        for (saw, knew, reward_here, last), (saw_too, knew_too, reward_there, last_too) in pairs:
            assert saw == saw_too
            assert last == last_too
            assert last or knew == knew_too
            paid.add(reward_here - reward_there)
    assert paid - {0.0}, "what is paid does change, else the gold was never read"


@pytest.mark.parametrize("env_id", PLAYED_AS)
def test_spaces_spec_and_schema_say_nothing_of_the_gold(other: str, env_id: str) -> None:
    def public(split: str) -> str:
        env = gym.make(f"riskchain_gym:{env_id}", split=split, backend="text")
        assert env.spec is not None
        world: Any = env.unwrapped
        spec = env.spec.to_json().replace(json.dumps(split), '"SPLIT"')
        said = (spec, env.observation_space, env.action_space, env.metadata, world.action_schema())
        return repr((said, list(world.chain_ids)))

    assert public("mini") == public(other)


@pytest.mark.parametrize("reward", ["gated", "delta_gate", "delta_gate_shaped", "web"])
def test_what_follows_a_commit_does_not_tell_whether_it_was_right(honest: Sequence[Played], reward: str) -> None:
    """The reward may tell a trainer; the agent, who is shown observations, browses the same site either way."""
    arena = Arena(reward=reward, web_outcomes=0.5)
    one = max(honest, key=lambda played: len(played.actions))
    chain = one.trajectory.chain_id
    right, wrong = (list(told(arena.env, chain, [first, *one.actions[1:]])) for first in (one.actions[0], WRONG))
    for at, (known, unknown) in enumerate(zip(right, wrong, strict=True)):
        last = at == len(right) - 1
        assert known[0] == unknown[0]
        assert last or known[1] == unknown[1]
    assert [step[2] for step in right] != [step[2] for step in wrong] or reward == "web"


def test_an_environment_that_pays_nothing_can_be_searched_for_gold_in_vain() -> None:
    assert gold_within(Arena(reward="gated").env), "the control: where there is gold, the search finds it"
    assert not gold_within(RunSettings(backend="text", observe=()).make_env())


def test_nothing_that_an_agent_of_a_run_holds_is_gold(honest: Sequence[Played]) -> None:
    settings = RunSettings(backend="text", observe=())
    environments, agent = LocalEnvironments(settings), LocalAgent(load_agent("rules+explorer"))
    chain = honest[0].trajectory.chain_id
    episode = play(environments, agent, build_instructions(max_steps=30), chain)
    assert episode.trajectory.report is not None
    assert not gold_within(agent)
    assert not gold_within(environments)
    oracle = LocalAgent(load_agent("oracle"))
    oracle.begin(Arena().gold[chain])
    assert gold_within(oracle), "the control: an oracle is given it, and printed apart"


def test_only_an_oracle_is_given_gold() -> None:
    from riskchain_gym.protocol.errors import ConfigError

    with pytest.raises(ConfigError, match="is no oracle"):
        load_agent("rules+explorer").prepare(next(iter(Arena().gold.values())))


def test_a_run_folder_holds_no_gold_before_it_is_scored(tmp_path: Path, honest: Sequence[Played]) -> None:
    from riskchain_gym.evaluation.run import run_agents

    chain = max(honest, key=lambda one: len(one.actions)).trajectory.chain_id
    settings = RunSettings(backend="text", observe=(), workers=1, chains=(chain,))
    (run,) = run_agents(["noop"], tmp_path / "runs", settings)
    gold = Arena().gold[chain]
    written = b"".join(path.read_bytes() for path in run.path.rglob("*") if path.is_file()).decode()
    assert gold.message.entry is not None
    assert gold.message.entry not in written
    assert gold.site.archetype not in written
    assert all(atom.atom_id not in written for atom in gold.site.atoms if len(atom.atom_id) > 6)
