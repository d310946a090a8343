"""What an episode of the restoration array environments shows, pays and strikes."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from array_cases import EDIT, SELECT, SPELLED, make, vector

from riskchain_gym.envs.wrappers.ceilings import candidate_ceiling, edit_ceiling, labelled
from riskchain_gym.envs.wrappers.edit_targets import edit_target
from riskchain_gym.envs.wrappers.editing import DROP, ENTRY_CHARACTERS, KEEP, MAP, edited, load_encoder, open_window
from riskchain_gym.envs.wrappers.restore_edit import ENCODER
from riskchain_gym.messages.splits import sessions_with
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

RESTORE_IDS = (SELECT, EDIT)


def right_action(env_id: str, env: Any, chain_id: str) -> Any:
    """Return the action that commits the entry of a chain of ``messages/dev``, or ``None``."""
    case, message, gold = next(each for each in labelled("messages/dev", 60) if each[0].chain_id == chain_id)
    if env_id == EDIT:
        target = edit_target(open_window(message, load_encoder(ENCODER, 96)[0], 96), gold, case.variant)
        return target.actions if target.exact else None
    entries = env.unwrapped.proposals.entries
    return entries.index(gold.entry) if gold.entry in entries else None


@pytest.mark.parametrize("env_id", RESTORE_IDS)
@pytest.mark.parametrize(
    ("reward", "paid"), [("gated", (0.25, 0.0)), ("delta_gate", (0.0, -0.25)), ("none", (0.0, 0.0))]
)
def test_the_right_action_is_paid_as_the_text_environment_pays(
    env_id: str, reward: str, paid: tuple[float, float]
) -> None:
    chosen = [case.chain_id for case, _, gold in islice(labelled("messages/dev"), 30)]
    kwargs = {"order": "sequential", "chains": chosen, "reward": reward, "web_outcomes": 0.25}
    env = make(
        env_id, **kwargs, **({"proposer": "riskchain_gym.agents.restore.proposals:propose"} if env_id == SELECT else {})
    )
    for chain_id in chosen:
        env.reset()
        assert env.unwrapped.trajectory.chain_id == chain_id
        if (action := right_action(env_id, env, chain_id)) is not None:
            break
    _, reward_paid, terminated, truncated, info = env.step(action)
    assert (reward_paid, terminated, truncated) == (paid[0], True, False)
    assert info["outcome"]["gate.passed"] is True
    env.reset(options={"chain": chain_id})
    wrong = np.full(96, DROP) if env_id == EDIT else 0
    assert env.step(wrong)[1] == paid[1]


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_three_strikes_freeze_an_empty_restoration(env_id: str) -> None:
    env = make(env_id)
    first, _ = env.reset(seed=1)
    masked = len(first["action_mask"]) - 1 if env_id == SELECT else np.full(96, 99)
    for strike in (1, 2):
        observation, reward, terminated, _, info = env.step(masked)
        assert (reward, terminated, info["strikes"], info["action_result"]) == (0.0, False, strike, "invalid")
        shown = observation["context"][-1] if env_id == SELECT else observation["strikes"][0]
        assert shown == pytest.approx(strike / 3)
    _, reward, terminated, _, info = env.step(masked)
    assert (reward, terminated, info["outcome"]["gate.passed"]) == (0.0, True, False)
    assert info["outcome"]["failures"] == "malformed_action,malformed_action,malformed_action"


@pytest.mark.parametrize("env_id", RESTORE_IDS)
@pytest.mark.parametrize("action", ["text", None, 1.5, [0, 1], -1, 10**30])
def test_no_action_is_an_exception(env_id: str, action: Any) -> None:
    env = make(env_id)
    env.reset(seed=1)
    assert env.unwrapped.step(action)[4]["action_result"] == "invalid"


def test_the_published_protocol_ends_with_the_first_strike() -> None:
    envs = vector(SELECT, 2, config="published", outcomes="full")
    envs.reset(seed=1)
    _, rewards, ended, _, infos = envs.step(np.array([16, 0]))
    assert list(ended) == [True, True]
    assert list(infos["status"]) == ["bottom", "committed"]
    single = make(SELECT, config="published")
    single.reset(seed=1)
    _, reward, terminated, _, info = single.step(16)
    assert (reward, terminated, info["status"], info["strikes"]) == (rewards[0], True, "bottom", infos["strikes"][0])


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_optional_terms_are_paid_by_vectors_too(env_id: str, tmp_path: Path) -> None:
    config = tmp_path / "cer.toml"
    config.write_text("[terms]\ncer = -0.5\n", encoding="utf-8")
    envs, env = vector(env_id, 1, config=str(config)), make(env_id, config=str(config))
    envs.reset(seed=2), env.reset(seed=2)
    action = 0 if env_id == SELECT else np.full(96, DROP)
    _, rewards, *_ = envs.step(np.array([action]))
    paid = env.step(action)[1]
    assert paid < 0
    assert list(rewards) == [paid]


@pytest.mark.parametrize("env_id", RESTORE_IDS)
def test_the_stream_is_played_from_a_pool_that_the_seed_draws(env_id: str) -> None:
    def played(seed: int, count: int = 12) -> list[str]:
        env = make(env_id, split="messages/train", pool=3)
        chains = []
        for episode in range(count):
            env.reset(seed=seed if episode == 0 else None)
            chains.append(env.unwrapped.trajectory.chain_id)
        return chains

    chains = played(8)
    assert chains == played(8)
    assert len(set(chains)) <= 3
    assert set(chains) != set(played(9))
    envs = vector(env_id, 1, split="messages/train", pool=3, autoreset_mode="SameStep")
    envs.reset(seed=8)
    seen = [envs.chain_ids_playing[0]]
    action = np.zeros(1, np.int64) if env_id == SELECT else np.full((1, 96), DROP)
    for _ in range(11):
        envs.step(action)
        seen.append(envs.chain_ids_playing[0])
    assert seen == chains, "a vector of one plays what a single environment plays"


def test_a_sequential_vector_deals_every_session_out_once() -> None:
    envs = vector(SELECT, 4, split="mini", order="sequential", autoreset_mode="SameStep", pool=2)
    envs.reset()
    seen = list(envs.chain_ids_playing)
    for _ in range(5):
        envs.step(np.zeros(4, np.int64))
        seen += envs.chain_ids_playing
    assert len(set(seen)) == 24, "what is forgotten is made again"
    envs.reset(options={"chains": seen[3::-1]})
    assert list(envs.chain_ids_playing) == seen[3::-1]


# -- select -----------------------------------------------------------------------------------------------------------


def test_rows_that_are_not_there_are_zeros_and_masked() -> None:
    env = make(SELECT)
    observation, _ = env.reset(seed=3)
    count = len(env.unwrapped.proposals.entries)
    assert list(observation["action_mask"]) == [1] * count + [0] * (17 - count)
    assert not observation["options"][count:].any()
    assert observation["options"][0][env.unwrapped.feature_names.index("abstain")] == 1.0
    assert all(observation["action_mask"][env.unwrapped.sample_action()] for _ in range(20))


@pytest.mark.parametrize(
    ("proposer", "hint"),
    [
        ("no_such_module:propose", "cannot be loaded"),
        ("array_cases:nothing", "cannot be loaded"),
        ("array_cases", "module:function"),
        ("array_cases:SELECT", "no function"),
        ("json:dumps", "raised TypeError"),
        ("array_cases:actions_for", "raised TypeError"),
        ("array_cases:make", "raised TypeError"),
        ("operator:add", "raised TypeError"),
        ("operator:is_", "is no proposer, it returned bool"),
    ],
)
def test_a_proposer_that_is_none_is_named(proposer: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        make(SELECT, proposer=proposer)


def test_ceilings_say_what_can_be_reached() -> None:
    few, many = candidate_ceiling("mini", proposer=SPELLED), candidate_ceiling("mini")
    assert few.sessions == many.sessions == 24
    assert few.reached < many.reached
    assert edit_ceiling("messages/dev", most=60).share > 0.9
    assert edit_ceiling("messages/dev", most=60, window=12).share < 0.5


# -- edit -------------------------------------------------------------------------------------------------------------


def window_of(*contents: str, width: int = 96) -> Any:
    chats = tuple(ChatMessage(message_id=f"m{i}", content=content) for i, content in enumerate(contents))
    message = Message(platform=Platform.QQ, surface=Surface.COMMENT, messages=chats)
    return open_window(message, load_encoder(ENCODER, width)[0], width)


def spell(window: Any, edits: dict[int, int]) -> Any:
    actions = np.full(len(window.codes), DROP)
    for place, action in edits.items():
        actions[place] = action
    return edited(window.codes[None], actions[None])[0]


def mapped(char: str) -> int:
    return MAP + ENTRY_CHARACTERS.index(char)


def test_an_edit_keeps_drops_and_maps() -> None:
    window = window_of("上 A点b.test 看")
    assert spell(window, {}) is None
    assert spell(window, {2: mapped("a"), 3: mapped("."), 4: KEEP}) == "a.b.test"
    assert spell(window, dict.fromkeys(range(2, 10), KEEP)) == "A点b.test", "what ends so is left as it is"
    assert spell(window, {90: mapped("a")}) is None, "padding is nothing"


def test_the_window_lies_over_the_address() -> None:
    window = window_of("这句话说了很多别的事情" * 20 + " ab1c.de.test " + "后面也有很多别的话要说" * 20)
    assert "ab1c.de.test" in window.text[window.start : window.start + window.length]
    assert window.length == 96


def test_the_text_of_an_edit_is_the_message_with_the_stretch_replaced(tmp_path: Path) -> None:
    from riskchain_gym.envs.wrappers.editing import commit_of

    window = window_of("前 ab", "点c 后")
    text = window.text
    actions = np.full(96, DROP)
    for place, char in (
        (text.index("a"), "a"),
        (text.index("b"), "b"),
        (text.index("点"), "."),
        (text.index("c"), "c"),
    ):
        actions[place] = mapped(char)
    commit = commit_of(window, actions)
    assert [message.text for message in commit.reconstructed_messages] == ["前 ab.c.test", " 后"]
    assert [candidate.value for candidate in commit.entry_candidates] == ["ab.c.test"]
    assert [message.text for message in commit_of(window, np.full(96, DROP)).reconstructed_messages] == [
        "前 ab",
        "点c 后",
    ]


def test_half_a_character_cannot_break_an_edit() -> None:
    env = make(EDIT)
    window = window_of("\ud83d a.b.test")
    env.reset()
    from riskchain_gym.envs.wrappers.editing import commit_of

    assert (
        json.loads(commit_of(window, np.full(96, KEEP)).model_dump_json())["entry_candidates"][0]["value"][0]
        == "\ufffd"
    )


def test_a_session_without_entry_is_dropped_whole() -> None:
    case, message, gold = next(iter(labelled("messages/no_entry", 1)))
    target = edit_target(open_window(message, load_encoder(ENCODER, 96)[0], 96), gold, case.variant)
    assert target.exact
    assert (target.actions == DROP).all()


def test_characters_that_come_from_one_place_take_the_places_behind_it() -> None:
    session = next(s for s in sessions_with("train", key_from_seed(2026), "base_n@2") if s.gold.entry)
    window = open_window(session.variants["v000"], load_encoder(ENCODER, 96)[0], 96)
    target = edit_target(window, session.gold, "v000")
    acted = np.flatnonzero(target.actions != DROP)
    encoded = window.text.index("b32:") - window.start
    assert target.exact
    assert list(acted) == list(range(encoded, encoded + len(acted)))
