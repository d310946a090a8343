"""The Gymnasium contract, without a browser and without an extra."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import commit_text, stop_text
from chain_player import make, play
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from riskchain_gym.envs.registration import IDS
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError

pytestmark = pytest.mark.contract

CHAIN, RESTORE, BROWSE = IDS


# -- make, spec, check_env --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["text", "fake"])
@pytest.mark.parametrize("env_id", IDS)
def test_check_env_has_nothing_to_say(split: str, env_id: str, backend: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(split, env_id, backend=backend).unwrapped)


@pytest.mark.parametrize("env_id", IDS)
def test_check_env_on_the_split_that_ships(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make("mini", env_id).unwrapped)


@pytest.mark.parametrize("env_id", IDS)
def test_registration_is_strings_only(env_id: str) -> None:
    spec = gym.spec(env_id)
    assert isinstance(spec.entry_point, str)
    assert isinstance(spec.vector_entry_point, str)
    assert spec.max_episode_steps is None
    assert EnvSpec.from_json(spec.to_json()) == spec


def test_importing_the_package_is_light() -> None:
    code = (
        "import sys, riskchain_gym\n"
        "heavy = ['playwright', 'browsergym', 'PIL', 'ray', 'torch', 'jinja2', 'pypinyin', 'rapidfuzz', 'pydantic']\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("env_id", IDS)
def test_specs_survive_json(split: str, env_id: str) -> None:
    env = make(split, env_id, order="sequential", shard=(1, 2), variants=("v000", "v001"), max_steps=5)
    spec = env.spec
    assert EnvSpec.from_json(spec.to_json()) == spec
    again = gym.make(EnvSpec.from_json(spec.to_json()))
    assert again.unwrapped.config == env.unwrapped.config


def test_arguments_must_be_json(split: str) -> None:
    with pytest.raises(ConfigError, match="plain JSON"):
        make(split, max_steps=np.int64(4))


def test_two_environments_do_not_share_metadata(split: str) -> None:
    first, second = make(split), make(split)
    first.metadata["autoreset_mode"] = AutoresetMode.NEXT_STEP
    assert "autoreset_mode" not in second.metadata


def test_pickling_and_copying_are_refused_in_words(split: str) -> None:
    env = make(split).unwrapped
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="make another one"):
            attempt(env)


# -- reset, step, close -----------------------------------------------------------------------------------------------


def test_steps_need_a_running_episode(split: str) -> None:
    env = make(split).unwrapped
    with pytest.raises(ResetNeeded):
        env.step("{}")
    play(env)
    with pytest.raises(ResetNeeded):
        env.step("{}")
    env.reset()
    env.close()
    with pytest.raises(ResetNeeded):
        env.step("{}")
    with pytest.raises(ResetNeeded):
        env.sample_action()


def test_close_is_idempotent_and_reset_is_always_legal(split: str) -> None:
    env = make(split)
    env.close()
    env.close()
    env.reset()
    env.step(commit_text("x.pw.test"))
    env.reset()
    env.close()
    assert play(env)[1][-1] in (0.0, 1.0)


def test_the_seed_chooses_chains_and_nothing_else(split: str) -> None:
    def chains(seed: int) -> list[str]:
        env = make(split)
        env.reset(seed=seed)
        seen = [env.unwrapped.trajectory.chain_id]
        for _ in range(8):
            env.reset()
            seen.append(env.unwrapped.trajectory.chain_id)
        return seen

    assert chains(5) == chains(5)
    assert len({tuple(chains(seed)) for seed in range(4)}) > 1
    first, second = (play(make(split), seed=seed, options={"chain": "chaina"}) for seed in (1, 2))
    assert first == second


def test_sequential_shows_each_chain_once_then_starts_again(split: str) -> None:
    env = make(split, order="sequential")

    def chain(**kwargs: Any) -> str:
        env.reset(**kwargs)
        return str(env.unwrapped.trajectory.chain_id)

    assert [chain() for _ in range(5)] == ["chaina", "chainb", "chainc", "chaind", "chaina"]
    assert [chain(seed=3), chain()] == ["chaina", "chainb"], "a seeded reset begins again"


def test_shards_part_the_chains(split: str) -> None:
    ids = [make(split, order="sequential", shard=[i, 3]).unwrapped.chain_ids for i in range(3)]
    assert ids == [("chaina", "chaind"), ("chainb",), ("chainc",)]
    with pytest.raises(ConfigError, match="No case is left"):
        make(split, order="sequential", shard=[5, 6])


def test_variants_and_recipes_choose_the_disguise(split: str) -> None:
    env = make(split, variants="all", order="sequential", chains=["chainb"])
    seen = []
    for _ in range(3):
        env.reset()
        seen.append(env.unwrapped.trajectory.variant)
    assert seen == ["v000", "v001", "v002"]
    env = make(split, variants="all", recipes=["layout"], chains=["chainb"])
    env.reset()
    assert env.unwrapped.trajectory.variant == "v002"


def test_options_name_a_chain(split: str) -> None:
    env = make(split, chains=["chaina"])
    env.reset(options={"chain": "chaind"})
    assert env.unwrapped.trajectory.chain_id == "chaind"
    with pytest.raises(UnknownNameError, match="Did you mean"):
        env.reset(options={"chain": "chainz"})
    with pytest.raises(ConfigError, match="Did you mean 'chain'"):
        env.reset(options={"chains": "chaind"})
    with pytest.raises(ResetNeeded):
        env.unwrapped.step("{}")


def test_options_name_a_variant_of_a_chain(split: str) -> None:
    env = make(split, chains=["chaina"])
    env.reset(options={"chain": "chainb", "variant": "v002"})
    assert (env.unwrapped.trajectory.chain_id, env.unwrapped.trajectory.variant) == ("chainb", "v002")
    with pytest.raises(UnknownNameError, match=r"Chain 'chainb' has no variant 'v009'.*Known: v000"):
        env.reset(options={"chain": "chainb", "variant": "v009"})
    with pytest.raises(ConfigError, match="'variant' is one of a chain"):
        env.reset(options={"variant": "v002"})
    with pytest.raises(ConfigError, match="give it as text"):
        env.reset(options={"chain": "chainb", "variant": 2})
    with pytest.raises(ConfigError, match="'variant' is one of a message"):
        gym.make(BROWSE, split=split, backend="fake").reset(options={"chain": "chainb", "variant": "v000"})


def test_a_restoration_without_gold_pays_nothing_and_needs_none(split: str, tmp_path: Path) -> None:
    bare = Path(shutil.copytree(split, tmp_path / "bare"))
    (bare / "gold.jsonl").unlink()
    env = gym.make(RESTORE, split=str(bare), reward="none")
    env.reset(options={"chain": "chainb", "variant": "v002"})
    _, reward, ended, _, info = env.step(env.unwrapped.sample_action())  # type: ignore[attr-defined]
    assert (reward, ended, info["status"]) == (0.0, True, "committed")


def test_curriculum_mixes_the_routings(split: str) -> None:
    env = make(split, routing="curriculum", p_reference=0.5)
    env.reset(seed=1)
    drawn = []
    for _ in range(30):
        env.reset()
        drawn.append(env.unwrapped.trajectory.routing)
    assert set(drawn) == {"reference", "committed"}
    for p, routing in ((1.0, "reference"), (0.0, "committed")):
        env = make(split, routing="curriculum", p_reference=p)
        env.reset()
        assert env.unwrapped.trajectory.routing == routing


def test_committed_routing_without_gold_asks_an_injected_gate(split: str) -> None:
    env = make(split, routing="committed", reward="none")
    with pytest.raises(ConfigError, match="inject_gate"):
        env.unwrapped.reset()
    asked = []

    def gate(chain_id: str, commit: Any) -> bool:
        asked.append(chain_id)
        return bool(commit.entry_candidates[0].value == "right.pw.test")

    env.unwrapped.inject_gate(gate)
    env.reset(options={"chain": "chainc"})
    *_, terminated, _, info = env.step(commit_text("wrong.pw.test"))
    assert (terminated, info["status"], asked) == (True, "bottom", ["chainc"])
    env.reset()
    *_, terminated, _, info = env.step(commit_text("right.pw.test"))
    assert (terminated, info["phase"]) == (False, "browse")


# -- rendering --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", IDS)
def test_ansi_in_every_phase(split: str, env_id: str) -> None:
    env = make(split, env_id, render_mode="ansi")
    env.reset()
    ended = False
    while not ended:
        assert isinstance(env.render(), str)
        *_, ended, _, _ = env.step(env.unwrapped.sample_action())
    assert env.render()
    with pytest.raises(ResetNeeded):
        make(split, env_id, render_mode="ansi").unwrapped.render()


def test_pictures_have_one_shape_in_every_phase(split: str) -> None:
    pytest.importorskip("PIL")
    env = make(split, backend="fake", render_mode="rgb_array")
    env.reset()
    frames = [env.render()]
    for action in (commit_text("x.pw.test"), stop_text(), "bad"):
        env.step(action)
        frames.append(env.render())
    assert {(frame.shape, frame.dtype) for frame in frames} == {((900, 1280, 3), np.dtype(np.uint8))}
    assert len({frame.tobytes() for frame in frames}) == 4
    assert "rgb_array" in env.metadata["render_modes"]
    assert make(split).metadata["render_modes"] == ["ansi"]


def test_pictures_need_pillow(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from riskchain_gym.envs import rendering
    from riskchain_gym.protocol.errors import MissingExtraError

    monkeypatch.setattr(rendering, "_has_pillow", lambda: False)
    with pytest.raises(MissingExtraError, match=r"pip install 'riskchain-gym\[browser\]'"):
        make(split, RESTORE, render_mode="rgb_array")
    assert make(split, RESTORE).metadata["render_modes"] == ["ansi"]


# -- the action space -----------------------------------------------------------------------------------------------


def test_the_action_space_is_text(split: str) -> None:
    env = make(split)
    env.action_space.seed(1)
    env.reset()
    action = env.action_space.sample()
    assert isinstance(action, str)
    assert env.step(json.dumps({"action": "reload"}))[4]["action_result"] == "invalid"
