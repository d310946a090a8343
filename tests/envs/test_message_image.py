"""The message as a picture: in the restore phase only, in every environment that shows a message, cut off nowhere."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import action_text, commit_text, entry_of, make_chain, report_text, stop_text
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from riskchain_gym.envs.browser.message_sheet import LARGEST_SHEET, write_sheet
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.envs.registration import IDS
from riskchain_gym.messages.session import build_session
from riskchain_gym.messages.view.document import VIEW_HEIGHT_PX, VIEW_WIDTH_PX, render_message
from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import BrowserUnavailableError, ConfigError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

CHAIN, RESTORE, BROWSE = IDS
SHAPE = (600, 390, 3)


def make(split: str, env_id: str = CHAIN, **kwargs: Any) -> Any:
    return gym.make(
        f"riskchain_gym:{env_id}", **{"split": split, "backend": "fake", "observe": ["message_image"], **kwargs}
    )


def message(*texts: str, surface: Surface = Surface.PRIVATE_MESSAGE) -> Message:
    roles: Any = ("sender", "recipient", "system", "sender")
    chats = (ChatMessage(message_id=f"m{i}", role=roles[i], content=text) for i, text in enumerate(texts))
    return Message(platform=Platform.QQ, surface=surface, messages=tuple(chats))


def test_the_picture_is_there_while_restoring_and_black_ever_after(split: str) -> None:
    env = make(split)
    assert env.observation_space["message_image"] == gym.spaces.Box(0, 255, SHAPE, np.uint8)
    seen = [env.reset(options={"chain": "chaina"})[0]]
    seen.append(env.step("no action")[0])
    actions = (commit_text(entry_of(0)), stop_text(), report_text(Decision.VIOLATION, "欢迎来到首页"))
    seen.extend(env.step(action)[0] for action in actions)
    assert all(obs in env.observation_space for obs in seen)
    assert [bool(obs["message_image"].any()) for obs in seen] == [True, True, False, False, False]
    assert np.array_equal(seen[0]["message_image"], seen[1]["message_image"])
    assert not np.shares_memory(seen[0]["message_image"], seen[1]["message_image"])


def test_it_is_only_there_when_asked_for(split: str) -> None:
    env = make(split, observe=["screenshot"])
    assert "message_image" not in env.observation_space.spaces
    assert "message_image" not in env.reset()[0]


def test_restoration_alone_has_a_backend_only_when_it_draws(split: str) -> None:
    assert make(split, RESTORE, observe=["screenshot"], backend="chromium").unwrapped.backend is None
    env = make(split, RESTORE)
    obs, _ = env.reset()
    assert obs["message_image"].any()
    *_, terminated, _, _ = env.step(commit_text(entry_of(0)))
    assert terminated
    env.close()
    with pytest.raises(ResetNeeded):
        env.step(commit_text(entry_of(0)))
    assert env.reset()[0]["message_image"].any()


def test_investigation_alone_shows_no_message(split: str) -> None:
    env = make(split, BROWSE)
    assert not env.reset()[0]["message_image"].any()
    assert not env.step(action_text("reload"))[0]["message_image"].any()
    assert env.unwrapped.backend.calls == 2, "nothing was drawn"


@pytest.mark.parametrize("env_id", IDS)
def test_the_text_backend_refuses_it_in_make(split: str, env_id: str) -> None:
    with pytest.raises(ConfigError, match=r"backend='text' has no 'message_image', .*use backend='chromium'"):
        make(split, env_id, backend="text")


def test_the_theme_is_a_setting_of_the_protocol(split: str, tmp_path: Path) -> None:
    path = tmp_path / "dark.toml"
    path.write_text('message_theme = "dark"\n', encoding="utf-8")
    light, dark = (make(split, config=config).reset(seed=0)[0]["message_image"] for config in (None, str(path)))
    assert light.mean() > 128 > dark.mean()
    with pytest.raises(ConfigError, match="no keyword argument"):
        make(split, message_theme="dark")


@pytest.mark.parametrize("env_id", IDS)
def test_the_contract_holds_and_the_spec_survives_json(split: str, env_id: str) -> None:
    env = make(split, env_id)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    assert EnvSpec.from_json(env.spec.to_json()) == env.spec
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert np.array_equal(env.reset(seed=3)[0]["message_image"], again.reset(seed=3)[0]["message_image"])


@pytest.mark.parametrize("env_id", [CHAIN, RESTORE])
def test_vectors_stack_the_pictures(split: str, env_id: str) -> None:
    envs = gym.make_vec(env_id, 3, split=split, backend="fake", observe=["message_image"])
    obs, _ = envs.reset(seed=1)
    assert obs["message_image"].shape == (3, *SHAPE)
    assert obs in envs.observation_space
    obs, *_ = envs.step(envs.call("sample_action"))
    assert obs in envs.observation_space


@pytest.mark.parametrize("env_id", [CHAIN, RESTORE])
def test_a_picture_that_is_not_drawn_masks_the_episode_and_the_next_one_works(split: str, env_id: str) -> None:
    env = make(split, env_id)
    env.unwrapped.backend.fail_at = {1}
    obs, info = env.reset()
    assert (info["valid"], info["status"]) == (False, "infra_error")
    assert not obs["message_image"].any()
    obs, reward, terminated, truncated, info = env.step(commit_text(entry_of(0)))
    assert (reward, terminated, truncated, info["valid"]) == (0.0, False, True, False)
    assert obs in env.observation_space
    obs, info = env.reset()
    assert info["valid"]
    assert obs["message_image"].any()


def test_a_sheet_holds_a_number_of_messages_that_can_be_drawn(tmp_path: Path) -> None:
    for count in (0, LARGEST_SHEET + 1):
        with pytest.raises(ConfigError, match=f"1 to {LARGEST_SHEET} messages, got {count}"):
            write_sheet([message("好")] * count, tmp_path / "sheet.png")


@pytest.mark.browser
def test_the_browser_draws_the_same_picture_in_every_environment(split: str) -> None:
    pictures = []
    for env_id in (CHAIN, RESTORE, RESTORE):
        env = make(split, env_id, backend="chromium")
        pictures.append(env.reset(options={"chain": "chaina"})[0]["message_image"])
        if env_id == CHAIN:
            pictures.append(env.reset(options={"chain": "chaina"})[0]["message_image"])
            other = env.reset(options={"chain": "chainb"})[0]["message_image"]
        env.close()
    assert pictures[0].shape == SHAPE
    assert pictures[0].std() > 5
    assert all(np.array_equal(pictures[0], picture) for picture in pictures)
    assert not np.array_equal(pictures[0], other)


@pytest.mark.browser
def test_drawing_a_message_leaves_the_site_as_it_is(split: str) -> None:
    env = make(split, backend="chromium", observe=["message_image", "screenshot"]).unwrapped
    try:
        obs, _ = env.reset(seed=1)
        assert obs["message_image"].any()
        assert not obs["screenshot"].any()
        env.step(commit_text("wrong.pw.test"))
        before = env.backend.screenshot()
        assert env.backend.message_image(message("看"), "dark").shape == SHAPE
        assert np.array_equal(before, env.backend.screenshot())
        obs, *_, info = env.step(action_text("scroll_down"))
        assert info["valid"]
        assert obs["screenshot"].any()
        assert not obs["message_image"].any()
    finally:
        env.close()


@pytest.mark.browser
def test_a_browser_killed_between_episodes_draws_again(split: str) -> None:
    env = make(split, RESTORE, backend="chromium")
    try:
        first, _ = env.reset(options={"chain": "chaina"})
        pids = env.unwrapped.backend.inner.pids
        os.kill(pids[1], signal.SIGKILL)
        again, info = env.reset(options={"chain": "chaina"})
        assert info["valid"]
        assert np.array_equal(first["message_image"], again["message_image"])
        assert not set(pids) & set(env.unwrapped.backend.inner.pids)
    finally:
        env.close()


@pytest.mark.browser
def test_a_browser_that_does_not_start_is_said_in_reset(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", sys.executable)
    env = make(split, RESTORE, backend="chromium")
    with pytest.raises(BrowserUnavailableError, match="does not start as a browser"):
        env.reset()
    monkeypatch.delenv("RISKCHAIN_CHROMIUM")
    assert env.reset()[0]["message_image"].any()
    env.close()


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """Draws a message and says what of it lies outside the picture, its text size and its text."""
    from riskchain_gym.envs.backends.worker import OwnerThread
    from riskchain_gym.envs.browser.launch import BrowserProcess
    from riskchain_gym.envs.browser.message_page import MessagePage

    settings = BrowserSettings()
    process, thread = BrowserProcess(9, settings), OwnerThread("test-messages")
    thread.call(process.start, 60)
    drawn = thread.call(lambda: MessagePage(process.browser, settings, VIEW_WIDTH_PX, VIEW_HEIGHT_PX), 30)
    look = """() => {
      const texts = [...document.querySelectorAll('.t, .note span')];
      const boxes = [document.body, ...texts].flatMap((e) => [...e.getClientRects()]);
      const range = document.createRange();
      for (const text of texts) { range.selectNodeContents(text); boxes.push(...range.getClientRects()); }
      return {
        outside: Math.max(...boxes.map((b) => Math.max(-b.top, -b.left, b.bottom - innerHeight, b.right - innerWidth))),
        scaled: document.body.style.transform !== '',
        texts: texts.map((e) => e.textContent),
      };
    }"""

    def draw(one: Message) -> Any:
        thread.call(lambda: drawn.draw(render_message(one)), 60)
        return thread.call(lambda: drawn._page.evaluate(look), 30)

    yield draw
    thread.call(process.close, 20)
    process.kill()
    thread.stop(20)


LONG = {
    "acrostic": ("\n".join("天下风光看不尽，此地独好"[: 7 + i % 6] for i in range(16)),),
    "four messages": ("整条发会被吞，我拆开，开头是 kqe6aa.tb.test 后面接着写一下，中间加个点，连起来打开就行。",) * 4,
    "one long word": ("x" * 400,),
    "wide letters": ("WWWWW MMM WW " * 30,),
    "words": ("registration information immediately available " * 20,),
    "wall of text": ("风" * 900,),
    "codes": ("/wx /dk " * 120,),
    "letters beside the alphabet": ("𝕒𝓫𝔠①②③ＡＢ㈠㍿ⅷ" * 25,),
    "emoji": ("👨‍👩‍👧🎁0️⃣" * 60,),
    "marks": ("a\u0301\u0302\u0303" * 300,),
    "no place to break": ("字\u2060" * 200,),
}


@pytest.mark.browser
@pytest.mark.parametrize("surface", Surface)
def test_long_messages_are_all_in_view(page: Any, surface: Surface) -> None:
    for name, texts in LONG.items():
        seen = page(message(*texts, surface=surface))
        assert seen["outside"] < 1, name
        assert not seen["scaled"], f"{name}: the estimate was short"


@pytest.mark.browser
def test_published_messages_are_all_in_view(page: Any) -> None:
    for index, (platform, surface) in enumerate(product(Platform, Surface)):
        for variant in ("v000", "v005"):
            one = build_session(key_from_seed(2026), index, platform=platform).variants[variant]
            seen = page(one.model_copy(update={"surface": surface}))
            assert seen["outside"] < 1
            assert not seen["scaled"]


@pytest.mark.browser
@pytest.mark.parametrize("text", ["\n" * 3000 + "x", "ก็" * 900, "ﷺ﷽" * 200])
def test_whatever_is_sent_nothing_is_cut_off(page: Any, text: str) -> None:
    assert page(message(text))["outside"] < 1


@pytest.mark.browser
def test_the_browser_reads_the_text_code_point_by_code_point(page: Any) -> None:
    text = "<b>&amp;\u3000\u200b\u202e\ufeff\r\n\t0️⃣ κω\x01\x85\u2028 end  "
    assert page(message(text))["texts"] == [text]


@pytest.mark.browser
def test_a_sheet_is_one_picture(tmp_path: Path) -> None:
    from PIL import Image

    light, dark = tmp_path / "light.png", tmp_path / "dark.png"
    messages = [message("第一条"), *(make_chain(0)[0].variants.values())]
    write_sheet(messages, light)
    write_sheet(messages, dark, "dark")
    means = []
    for path in (light, dark):
        with Image.open(path) as image:
            assert image.width > VIEW_WIDTH_PX * min(len(messages), 6)
            assert image.height > VIEW_HEIGHT_PX
            means.append(np.asarray(image.convert("L")).mean())
    assert means[0] > 180 > 80 > means[1]
