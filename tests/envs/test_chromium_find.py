"""Finding the browser, its flags, and what is said when there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from riskchain_gym.envs.backends.chromium import ChromiumBackend
from riskchain_gym.envs.browser import find
from riskchain_gym.envs.browser.find import find_chromium
from riskchain_gym.envs.browser.flags import browser_flags, wants_sandbox
from riskchain_gym.envs.browser.host_name import opaque_host
from riskchain_gym.envs.browser.settings import BrowserSettings
from riskchain_gym.protocol.errors import BrowserUnavailableError, ConfigError, MissingExtraError


def _binary(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine with an empty PATH and no browser behind it."""
    monkeypatch.delenv("RISKCHAIN_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "builds"))
    monkeypatch.setattr(find, "_BEHIND_WRAPPER", dict.fromkeys(find._NAMES, ()))
    monkeypatch.setattr(find, "_MAC_APPS", ())
    return tmp_path


def test_the_variable_wins(bare, monkeypatch):
    _binary(bare / "bin" / "chromium")
    named = _binary(bare / "mine")
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", str(named))
    assert find_chromium() == named


def test_a_wrong_variable_is_an_error_that_names_it(bare, monkeypatch):
    _binary(bare / "bin" / "chromium")
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", "/no/such/chromium")
    with pytest.raises(BrowserUnavailableError, match="RISKCHAIN_CHROMIUM is set to '/no/such/chromium'"):
        find_chromium()


def test_the_headless_shell_comes_first_then_the_binary_behind_the_wrapper(bare, monkeypatch):
    wrapper = _binary(bare / "bin" / "chromium")
    assert find_chromium() == wrapper
    behind = _binary(bare / "lib" / "chromium")
    monkeypatch.setitem(find._BEHIND_WRAPPER, "chromium", (str(behind),))
    assert find_chromium() == behind
    shell = _binary(bare / "bin" / "chromium-headless-shell")
    assert find_chromium() == shell


def test_playwrights_newest_download_is_found(bare):
    _binary(bare / "builds" / "chromium-999" / "chrome-linux" / "chrome")
    newest = _binary(bare / "builds" / "chromium-1117" / "chrome-linux" / "chrome")
    assert find_chromium() == newest


def test_without_a_browser_one_sentence_says_how_to_get_one(bare):
    with pytest.raises(BrowserUnavailableError, match=r"No Chromium was found: .*apt-get install.*RISKCHAIN_CHROMIUM"):
        find_chromium()
    with pytest.raises(BrowserUnavailableError):
        ChromiumBackend()


def test_a_missing_package_is_named_with_its_command(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'riskchain-gym\[browser\]'"):
        ChromiumBackend()


def test_an_unknown_modality_is_refused():
    with pytest.raises(ConfigError, match="smell"):
        ChromiumBackend(modalities=frozenset({"smell"}))


def test_flags_leave_no_way_out():
    flags = browser_flags(4711, BrowserSettings(viewport_width_px=800, viewport_height_px=600))
    rules = next(flag for flag in flags if flag.startswith("--host-resolver-rules="))
    assert rules == "--host-resolver-rules=MAP *.test 127.0.0.1:4711, MAP * ~NOTFOUND"
    assert "--no-proxy-server" in flags
    policies = [flag for flag in flags if "webrtc-ip-handling-policy=disable_non_proxied_udp" in flag]
    assert len(policies) == 2
    assert "--window-size=800,600" in flags
    assert "--no-sandbox" not in flags


def test_the_sandbox_is_off_only_as_root_or_on_demand(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert wants_sandbox()
    monkeypatch.setenv("RISKCHAIN_CHROMIUM_SANDBOX", "0")
    assert not wants_sandbox()
    monkeypatch.delenv("RISKCHAIN_CHROMIUM_SANDBOX")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert not wants_sandbox()


def test_hosts_are_opaque_and_never_the_same():
    hosts = {opaque_host() for _ in range(200)}
    assert len(hosts) == 200
    assert all(len(host) == 25 and host.endswith(".test") and host[0].isalpha() for host in hosts)
