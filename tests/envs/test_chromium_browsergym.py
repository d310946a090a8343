"""browsergym-core's observation and calls on real pages."""

from __future__ import annotations

import json
import re
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chromium_stub import act, in_page, show, stub_backend

import riskchain_gym  # noqa: F401
from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browsergym_actions import action_set
from riskchain_gym.envs.browsergym_calls import FUNCTIONS
from riskchain_gym.envs.browsergym_space import KEYS
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.sight import Sight

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def backend():
    made = stub_backend()
    yield made
    made.close()


def test_marks_act_on_the_element_they_lie_in(backend):
    show(backend, "/form")
    in_page(backend, "(box1.insertAdjacentHTML('afterend', '<a id=deep1 href=/text><b><i>x</i></b></a>'), 0)")
    page = act(backend, "scroll_down").page
    marks = backend.browsergym()
    assert set(marks.bids) == {element.key for element in page.elements}
    inner = in_page(backend, "deep1.querySelector('i').getAttribute('bid')")
    assert marks.targets[inner] == "deep1"
    assert marks.targets[marks.bids["form1"]] == "form1"
    label = in_page(backend, "document.querySelector('label').getAttribute('bid')")
    assert label not in marks.targets, "what lies in a form sends none"
    assert marks.forms["name1"] == "form1"
    assert "form1" not in marks.forms


def test_the_focused_element_is_told(backend):
    show(backend, "/form")
    act(backend, "fill", "name1")
    marks = backend.browsergym()
    assert marks.focused == marks.bids["name1"]


def test_a_backend_made_without_it_says_so():
    lean = ChromiumBackend(modalities=frozenset({"screenshot"}))
    with pytest.raises(ConfigError, match="name it in modalities="):
        lean.browsergym()


def play(env: Any) -> list[dict[str, Any]]:
    """Play a fixed episode with bids found in the accessibility tree, and return what was seen."""
    from browsergym.utils.obs import flatten_axtree_to_str

    obs, _ = env.reset(options={"chain": "chaina"})
    seen = [obs]
    for wanted in ("button", "link '活动'", "textbox", "checkbox"):
        tree = flatten_axtree_to_str(obs["browsergym"]["axtree_object"])
        found = re.search(rf"\[(\w+)\] {wanted}", tree)
        if found is None:
            continue
        call = f"fill('{found[1]}', 'x')" if wanted == "textbox" else f"click('{found[1]}')"
        obs, *_, info = env.step(call)
        assert info["action_result"] in ("executed", "no_state_change"), obs["feedback"]
        seen.append(obs)
    for call in (
        "scroll(0, 500)",
        "goto('http://x.test/')",
        "hover('99999')",
        "noop()",
        "go_back()",
        "report_infeasible('no')",
    ):
        obs, *_ = env.step(call)
        seen.append(obs)
    return seen


@pytest.fixture(scope="module")
def episodes(split: str) -> Any:
    env = gym.make(
        "riskchain_gym:RiskChainBrowse-v0",
        split=split,
        backend="chromium",
        observe=["browsergym", "screenshot"],
        actions="browsergym",
        disable_env_checker=True,
    )
    try:
        yield env, play(env), play(env)
    finally:
        env.close()


def test_the_observation_is_the_standard_one(episodes: Any) -> None:
    env, seen, _ = episodes
    assert len(seen) >= 7
    for obs in seen:
        assert obs in env.observation_space
        assert set(obs["browsergym"]) == KEYS
    first = seen[0]["browsergym"]
    assert first["url"] == first["open_pages_urls"][0] == "http://site.test/"
    assert first["open_pages_titles"] == ("首页",)
    assert first["goal"] == first["goal_object"][0]["text"] == first["chat_messages"][0]["message"]
    assert "click(bid)" in first["goal"]
    assert np.array_equal(first["screenshot"], seen[0]["screenshot"])
    assert (first["last_action"], first["last_action_error"]) == ("", "")
    assert float(first["elapsed_time"][0]) == 0.0


def test_its_functions_run_on_it_in_every_phase(episodes: Any) -> None:
    from browsergym.utils.obs import flatten_axtree_to_str, flatten_dom_to_str, overlay_som, prune_html

    _, seen, _ = episodes
    for obs in seen:
        shown = obs["browsergym"]
        extra = shown["extra_element_properties"]
        tree = flatten_axtree_to_str(shown["axtree_object"], extra, with_visible=True, with_clickable=True)
        html = prune_html(flatten_dom_to_str(shown["dom_object"], extra, with_center_coords=True))
        assert overlay_som(shown["screenshot"], extra).shape == (900, 1280, 3)
        if int(obs["phase"]) == 1:
            assert "RootWebArea" in tree
            assert 'bid="' in html
    assert int(seen[-1]["phase"]) == 2
    assert not seen[-1]["browsergym"]["screenshot"].any()
    assert "observed_steps" in seen[-1]["browsergym"]["goal"]


def test_calls_and_their_errors_are_told(episodes: Any) -> None:
    _, seen, _ = episodes
    told = {obs["browsergym"]["last_action"]: obs["browsergym"]["last_action_error"] for obs in seen}
    assert told["scroll(0, 500)"] == ""
    assert told["noop()"] == ""
    assert "no function 'goto'" in told["goto('http://x.test/')"]
    assert "Nothing that can be acted on has the bid '99999'" in told["hover('99999')"]


def test_episodes_repeat_and_name_no_host(episodes: Any) -> None:
    _, first, second = episodes
    for one, other in zip(first, second, strict=True):
        for name, value in one["browsergym"].items():
            assert np.array_equal(value, other["browsergym"][name]), name
        text = json.dumps({n: v for n, v in one["browsergym"].items() if not isinstance(v, np.ndarray)})
        hosts = set(re.findall(r"[\w.-]+\.test", text.replace("x.test", "")))
        assert hosts <= {"site.test"}
        assert "127.0.0.1" not in text


def test_the_trajectory_says_what_was_given(episodes: Any) -> None:
    env, _, _ = episodes
    trajectory = env.unwrapped.trajectory
    assert trajectory.modalities == ("text", "elements", "browsergym", "screenshot")
    assert Sight.of(trajectory).viewport == (1280, 900)


def test_the_action_set_describes_what_exists() -> None:
    described = action_set().describe(with_long_description=False)
    for name in FUNCTIONS:
        assert f"{name}(" in described
    for name in ("goto", "new_tab", "mouse_click"):
        assert name not in described
