"""What the doctor finds, on this machine and on machines that lack something."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from riskchain_gym.envs import doctor
from riskchain_gym.envs.doctor import Check, diagnose
from riskchain_gym.protocol.errors import InfrastructureError


def _by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


@pytest.fixture
def chromium(monkeypatch, tmp_path):
    binary = tmp_path / "chromium"
    binary.write_text("#!/bin/sh\n")
    binary.chmod(0o755)
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", str(binary))
    return binary


def test_every_check_has_a_name_of_its_own_and_failures_say_what_to_do(chromium):
    checks = diagnose(launch=False)
    assert len({check.name for check in checks}) == len(checks)
    assert all(check.detail for check in checks)
    assert all(check.fix for check in checks if not check.ok)
    found = _by_name(checks)
    assert found["python"].ok
    assert found["gymnasium"].ok
    assert str(chromium) in found["browser"].detail


def test_extras_other_than_the_browser_are_no_must(chromium, monkeypatch):
    monkeypatch.setattr(doctor, "_version", lambda package: None)
    found = _by_name(diagnose(launch=False))
    assert not found["extra rllib"].required
    assert not found["extra llm"].required
    assert not found["extra parquet"].required
    assert found["extra report"].fix == "Run  pip install 'riskchain-gym[report]'."
    assert found["extra browser"].required
    assert found["extra rllib"].fix == "Run  pip install 'riskchain-gym[rllib]'."
    assert not found["numpy"].ok


@pytest.mark.parametrize(("version", "ok"), [("1.2.2", True), ("1.3.0rc1", True), ("1.1.9", False), ("2.0.0", False)])
def test_the_gymnasium_version_is_judged(chromium, monkeypatch, version, ok):
    monkeypatch.setattr(doctor, "_version", lambda package: version)
    assert _by_name(diagnose(launch=False))["gymnasium"].ok is ok


def test_a_wrong_path_to_the_browser_is_reported(monkeypatch):
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", "/no/such/binary")
    check = _by_name(diagnose())["browser"]
    assert not check.ok
    assert "/no/such/binary" in check.detail


@pytest.mark.browser
def test_a_binary_that_is_no_browser_is_reported(chromium):
    check = _by_name(diagnose())["browser"]
    assert not check.ok
    assert "does not start" in check.detail


@pytest.mark.browser
def test_a_browser_that_starts_and_then_fails_is_reported(chromium, monkeypatch):
    def hang(binary):
        raise InfrastructureError("browser_lost", "The browser failed while drawing: no answer within 30 s")

    monkeypatch.setattr("riskchain_gym.envs.browser.probe.probe_browser", hang)
    check = _by_name(diagnose())["browser"]
    assert not check.ok
    assert "does not work" in check.detail
    assert "no answer within 30 s" in check.detail


@pytest.mark.browser
def test_this_machine_draws_what_is_needed():
    found = _by_name(diagnose())
    assert found["browser"].ok, found["browser"].detail
    assert found["font Chinese"].ok
    assert found["font emoji"].ok


@pytest.mark.browser
@pytest.mark.skipif(not Path("/etc/fonts").is_dir(), reason="needs fontconfig")
def test_a_machine_without_the_fonts_is_told_which_to_install(tmp_path):
    latin = subprocess.run(
        [shutil.which("fc-match") or "fc-match", "-f", "%{file}", "DejaVu Sans:lang=en"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    if "DejaVu" not in latin:
        pytest.skip("needs a font that has neither Chinese nor emoji")
    fonts = tmp_path / "fonts"
    fonts.mkdir()
    shutil.copy(latin, fonts)
    config = tmp_path / "fonts.conf"
    config.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
        f"<fontconfig><dir>{fonts}</dir><cachedir>{tmp_path}/cache</cachedir></fontconfig>"
    )
    code = (
        "from riskchain_gym.envs.doctor import diagnose\n"
        "print(*(f'{c.name}={c.ok}={c.fix}' for c in diagnose() if c.name.startswith('font')), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "FONTCONFIG_FILE": str(config)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "font Chinese=False=apt-get install fonts-noto-cjk (macOS has such fonts)",
        "font emoji=False=apt-get install fonts-noto-color-emoji (macOS has such fonts)",
    ]
