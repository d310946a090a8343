"""A browser of one's own for drawing: what it says when it cannot be had, and that nothing of it stays."""

from __future__ import annotations

import importlib.util
import stat
from pathlib import Path

import psutil
import pytest

from riskchain_gym.envs.browser.drawing import drawing_browser
from riskchain_gym.envs.browser.message_sheet import write_sheet
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.envs.browser.site_sheet import write_pages
from riskchain_gym.protocol.errors import BrowserUnavailableError, InfrastructureError, MissingExtraError
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface
from riskchain_gym.sites.show import ShownPage


def draw_messages(folder: Path) -> None:
    said = ChatMessage(message_id="m0", role="sender", content="好")
    write_sheet(
        [Message(platform=Platform.WECHAT, surface=Surface.PRIVATE_MESSAGE, messages=(said,))], folder / "sheet.png"
    )


def draw_sites(folder: Path) -> None:
    write_pages([ShownPage("/", "<p>好</p>")], folder / "pages")


def lacking(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in packages else found(name))


@pytest.mark.parametrize("package", ["playwright", "psutil"])
def test_a_missing_package_is_named_with_what_needs_it(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking(monkeypatch, package)
    with pytest.raises(MissingExtraError, match=r"^Drawing messages needs .*pip install 'riskchain-gym\[browser\]'"):
        draw_messages(tmp_path)
    with pytest.raises(MissingExtraError, match=r"^Drawing sites needs .*pip install 'riskchain-gym\[browser\]'"):
        draw_sites(tmp_path)


def test_pictures_of_sites_need_one_package_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking(monkeypatch, "PIL")
    with pytest.raises(MissingExtraError, match=r"^Drawing sites needs"):
        draw_sites(tmp_path)


@pytest.mark.browser
def test_a_browser_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = tmp_path / "it"
    binary.write_text("#!/bin/sh\necho 'libfoo.so.1: cannot open' >&2\nexit 127\n")
    binary.chmod(binary.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", str(binary))
    for draw in (draw_messages, draw_sites):
        with pytest.raises(BrowserUnavailableError, match=r"\(libfoo.so.1: cannot open.*\): install one"):
            draw(tmp_path)


@pytest.mark.browser
def test_a_browser_that_hangs_is_killed_and_the_error_says_what_was_drawn() -> None:
    processes: list[psutil.Process] = []

    def hang() -> None:
        with drawing_browser("drawing tests", BrowserSettings(close_deadline_s=5)) as drawing:
            processes.extend(psutil.Process(pid) for pid in drawing._process.pids)
            drawing.call(lambda: drawing.browser.new_page().evaluate("new Promise(() => {})"), 1)

    with pytest.raises(InfrastructureError, match="while drawing tests: no answer within") as caught:
        hang()
    assert caught.value.cause == "browser_lost"
    assert len(processes) == 2
    assert psutil.wait_procs(processes, timeout=10)[1] == []


@pytest.mark.browser
def test_a_browser_that_is_lost_is_reported_as_such() -> None:
    def lose() -> None:
        with drawing_browser("drawing tests") as drawing:
            page = drawing.call(lambda: drawing.browser.new_page())
            drawing._process.kill_browser()
            drawing.call(page.screenshot)

    with pytest.raises(InfrastructureError, match="while drawing tests: ") as caught:
        lose()
    assert caught.value.cause == "browser_lost"
