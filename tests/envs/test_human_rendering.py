"""``render_mode="human"``: a browser with a window, or a sentence that says what is lacking."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from chain_builder import action_text

import riskchain_gym  # noqa: F401
from riskchain_gym.envs.browser.find import CHROMIUM_VARIABLE, find_chromium
from riskchain_gym.protocol.errors import BrowserUnavailableError, ConfigError


def make(split: str, env_id: str = "RiskChainBrowse-v0", **kwargs: Any) -> Any:
    return gym.make(f"riskchain_gym:{env_id}", split=split, **kwargs)


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("env_id", "backend", "hint"),
    [
        ("RiskChain-v0", "chromium", r"no display \(DISPLAY and WAYLAND_DISPLAY are not set\).*xvfb-run"),
        ("RiskChain-v0", "text", "backend='text' has none: use backend='chromium'"),
        ("RiskChainBrowse-v0", "fake", "backend='fake' has none"),
        ("RiskChainRestore-v0", "chromium", "RiskChainRestore-v0 opens no site"),
    ],
)
@pytest.mark.usefixtures("no_display")
def test_what_is_lacking_is_said_when_it_is_made(split: str, env_id: str, backend: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        make(split, env_id, backend=backend, render_mode="human")


@pytest.mark.usefixtures("no_display")
def test_the_mode_is_listed_where_it_works(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "human" not in make(split, backend="fake").metadata["render_modes"]
    monkeypatch.setenv("DISPLAY", ":0")
    assert "human" not in make(split, backend="fake").metadata["render_modes"]


def test_a_window_needs_more_than_a_headless_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = tmp_path / "chromium-headless-shell"
    shell.write_text("#!/bin/sh\n")
    shell.chmod(0o755)
    monkeypatch.setenv(CHROMIUM_VARIABLE, str(shell))
    assert find_chromium() == shell
    with pytest.raises(BrowserUnavailableError, match="can open no window"):
        find_chromium(headless=False)
    monkeypatch.delenv(CHROMIUM_VARIABLE)
    monkeypatch.setattr("riskchain_gym.envs.browser.find._candidates", lambda: iter([shell]))
    assert find_chromium() == shell
    with pytest.raises(BrowserUnavailableError, match="that can open a window was found"):
        find_chromium(headless=False)


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("Xvfb gives tests a display")
    reading, writing = os.pipe()
    command = [server, "-displayfd", str(writing), "-screen", "0", "1400x1100x24", "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        monkeypatch.setenv("DISPLAY", f":{answer.readline().strip()}")
    yield
    process.terminate()
    process.wait(10)


@pytest.mark.browser
@pytest.mark.usefixtures("display")
def test_a_windowed_browser_shows_what_one_without_a_window_does(split: str) -> None:
    pytest.importorskip("playwright")
    views = []
    for render_mode in (None, "human"):
        env = make(split, backend="chromium", observe=["screenshot"], render_mode=render_mode)
        try:
            env.reset(options={"chain": "chaina"})
            obs, *_, info = env.step(action_text("click", "e2"))
            assert info["action_result"] == "executed"
            assert env.render() is None
            views.append(obs)
        finally:
            env.close()
    assert views[0]["text"] == views[1]["text"]
    assert views[1]["screenshot"].shape == (900, 1280, 3)
    assert np.abs(views[0]["screenshot"].astype(int) - views[1]["screenshot"]).mean() < 20
