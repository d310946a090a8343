"""Actions that are none: a strike in every restoration environment, the same in a vector as in a single one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_cases import EDIT, SELECT, make, vector

from riskchain_gym.envs.wrappers.editing import DROP, OPERATIONS
from riskchain_gym.protocol.errors import ConfigError

WIDTH = 96
ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)

ODD: dict[str, list[Any]] = {
    SELECT: [
        *(None, "x", "0", b"0", 0.0, 1.5, float("nan"), -1, 17, 2**63, 2**70, 10**5000, True, object(), ENDLESS),
        *([0], [[1], [1, 2]], {}, np.array(0), np.array([0]), np.int8(0), np.float32(0), np.bool_(True)),
        np.uint64(2**63),
    ],
    EDIT: [
        *(None, "x", 0, 1.5, 2**70, float("nan"), [], [[1], [1, 2]], [DROP] * 95, [None] * WIDTH, [2**70] * WIDTH),
        *(np.zeros(WIDTH), np.full(WIDTH, np.nan), np.zeros(WIDTH, np.bool_), np.full(WIDTH, "1"), ENDLESS),
        *([*[DROP] * 95, 2**63], np.full(WIDTH, 2**63, np.uint64), np.full(WIDTH, -1), np.full(WIDTH, OPERATIONS)),
        *(np.full((1, WIDTH), DROP), np.full(WIDTH, DROP, np.uint8), [DROP] * WIDTH, (DROP,) * WIDTH),
    ],
}


@pytest.mark.parametrize("env_id", [SELECT, EDIT])
def test_an_odd_action_comes_to_the_same_in_a_vector(env_id: str) -> None:
    envs, env = vector(env_id, 2, split="mini"), make(env_id, split="mini").unwrapped
    fine = 0
    for action in ODD[env_id]:
        for given in ([action, action], (action, action)):
            envs.reset(seed=[3, 3])
            env.reset(seed=3)
            _, rewards, ended, _, infos = envs.step(given)
            _, reward, terminated, _, info = env.step(action)
            said = (reward, terminated, info["strikes"], info["action_result"])
            for place in (0, 1):
                ours = rewards[place], ended[place], infos["strikes"][place], infos["action_result"][place]
                assert ours == said, repr(action)[:60]
        fine += int(terminated)
    assert 0 < fine < len(ODD[env_id]) / 2, "some of them are actions after all"


@pytest.mark.parametrize(
    ("env_id", "actions"),
    [
        (SELECT, np.zeros(2)),
        (SELECT, np.array([np.nan, 1.0])),
        (SELECT, np.array([None, 2**70])),
        (SELECT, np.zeros((2, 1), np.int64)),
        (SELECT, np.full(2, 2**63, np.uint64)),
        (SELECT, [[1], [1, 2]]),
        (EDIT, np.zeros((2, WIDTH))),
        (EDIT, np.full((2, WIDTH), np.nan)),
        (EDIT, np.zeros(2, np.int64)),
        (EDIT, np.zeros((2, WIDTH, 1), np.int64)),
        (EDIT, [None, None]),
        (EDIT, [[1], [1, 2]]),
        (EDIT, np.array([None, None])),
    ],
)
def test_arrays_of_no_actions_are_strikes_for_all(env_id: str, actions: Any) -> None:
    envs = vector(env_id, 2, split="mini")
    envs.reset(seed=1)
    _, rewards, ended, _, infos = envs.step(actions)
    assert (list(rewards), list(ended)) == ([0.0, 0.0], [False, False])
    assert (list(infos["strikes"]), list(infos["action_result"])) == ([1, 1], ["invalid", "invalid"])


@pytest.mark.parametrize("env_id", [SELECT, EDIT])
@pytest.mark.parametrize(
    "actions", [None, 0, "xy", 1.5, {}, [], [0], [0, 0, 0], np.int64(1), np.zeros(0), np.zeros((3, WIDTH), np.int64)]
)
def test_another_number_of_actions_is_a_sentence_and_no_strike(env_id: str, actions: Any) -> None:
    envs = vector(env_id, 2, split="mini")
    envs.reset(seed=1)
    with pytest.raises(ConfigError, match="one action for each of 2 environments"):
        envs.step(actions)
    _, _, _, _, infos = envs.step([None, None])
    assert list(infos["strikes"]) == [1, 1]


@pytest.mark.parametrize("env_id", [SELECT, EDIT])
def test_a_list_of_actions_is_an_array_of_them(env_id: str) -> None:
    envs = vector(env_id, 2, split="mini")
    action = 1 if env_id == SELECT else [DROP] * WIDTH
    played = []
    for given in (np.array([action, action]), [action, action], (action, np.array(action))):
        envs.reset(seed=1)
        played.append(envs.step(given))
    np.testing.assert_equal(played[0], played[1])
    np.testing.assert_equal(played[0], played[2])


@pytest.mark.parametrize("env_id", [SELECT, EDIT])
def test_what_a_reset_and_a_vector_are_given_is_checked(env_id: str) -> None:
    for count in ("2", 1.5, None, True, 0):
        with pytest.raises(ConfigError, match="num_envs"):
            vector(env_id, count)  # type: ignore[arg-type]
    for mode in ("nope", "NEXT", 3, []):
        with pytest.raises(ConfigError, match="autoreset_mode: give one of 'NextStep'"):
            vector(env_id, 2, autoreset_mode=mode)
    envs = vector(env_id, 2, split="mini")
    for seed in (np.int64(4), 1.5, "12", -1, [1, -1], [1, np.int64(2)], [1.5, None], np.arange(2), {1, 2}):
        with pytest.raises(ConfigError, match="seed: give"):
            envs.reset(seed=seed)
    for chains in ([5, 6], [None, 5], ["x", ["y"]]):
        with pytest.raises(ConfigError, match="give them as text"):
            envs.reset(options={"chains": chains})
    envs.reset(seed=[1, None])
    envs.reset(options={"chains": [None, envs.chain_ids_playing[0]]})
