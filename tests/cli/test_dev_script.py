"""The ``dev`` script: what is wrong is one sentence and a code, and nothing is installed to say it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASH = shutil.which("bash")
TOOLS = ("bash", "cat", "cksum", "env", "grep", "head", "id", "uname")

pytestmark = pytest.mark.skipif(BASH is None, reason="the script needs bash")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the script and what it looks at, but no environment."""
    folder = tmp_path / "checkout"
    (folder / "benchmarks").mkdir(parents=True)
    for name in ("dev", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    (folder / "benchmarks" / "resets.py").write_text("print('measured')\n")
    return folder


@pytest.fixture
def ready(checkout: Path) -> Path:
    """The same with an environment whose pip does nothing."""
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\n[ "$2" = pip ] && exit 0\nPYTHONPATH={ROOT} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return checkout


@pytest.fixture
def few_tools(tmp_path: Path) -> str:
    """A PATH without any Python, package manager or browser."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in TOOLS:
        tool = shutil.which(name)
        assert tool is not None
        (folder / name).symlink_to(tool)
    return str(folder)


def dev(folder: Path, *arguments: str, path: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    kept: Mapping[str, str] = {k: v for k, v in os.environ.items() if k not in ("PYTHON", "RISKCHAIN_CHROMIUM")}
    assert BASH is not None
    return subprocess.run(
        [BASH, str(folder / "dev"), *arguments],
        env={**kept, **environment, **({} if path is None else {"PATH": path})},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("arguments", [(), ("help",), ("--help",)])
def test_help_is_shown(checkout: Path, arguments: tuple[str, ...]) -> None:
    shown = dev(checkout, *arguments, path="")
    assert (shown.returncode, shown.stderr) == (0, "")
    for command in ("demo", "test", "lint", "contract", "bench", "setup", "run", "rllib"):
        assert f"\n  {command} " in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nope",), "dev: there is no command 'nope'."),
        (("run",), "dev: give a command to run inside the environment, e.g. ./dev run riskchain doctor."),
        (
            ("rllib",),
            (
                "dev: give a command to run inside the environment with torch and RLlib, "
                "e.g. ./dev rllib riskchain train --help."
            ),
        ),
        (("bench", "nope"), "dev: there is no benchmark 'nope'; ./dev bench lists them."),
    ],
)
def test_wrong_usage_exits_2_and_installs_nothing(checkout: Path, arguments: tuple[str, ...], said: str) -> None:
    ended = dev(checkout, *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.splitlines()[-1] == said
    assert not (checkout / ".venv").exists()


def test_the_benchmarks_are_listed_without_an_environment(checkout: Path) -> None:
    assert dev(checkout, "bench").stdout == "resets\n"
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("command", [("test",), ("demo",), ("lint",), ("contract",), ("setup",), ("run", "true")])
def test_without_a_python_every_command_says_so_once(checkout: Path, command: tuple[str, ...]) -> None:
    ended = dev(checkout, *command, path="")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("dev: needs Python 3.11 or 3.12")
    assert len(ended.stderr.splitlines()) == 1


def test_a_wrong_PYTHON_is_named_and_not_replaced(checkout: Path) -> None:  # noqa: N802 - the variable's name
    ended = dev(checkout, "test", PYTHON="/no/such/python")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("dev: PYTHON is set to '/no/such/python', which is no Python 3.11 or 3.12")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(("minor", "taken"), [(10, False), (11, True), (12, True), (13, False)])
def test_only_python_3_11_and_3_12_are_taken(checkout: Path, minor: int, taken: bool) -> None:
    fake = checkout / "python"
    fake.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = -c ] && exec {sys.executable} -c "import sys; sys.version_info = (3, {minor}, 0); $2"\n'
        "exit 1\n"
    )
    fake.chmod(0o755)
    said = dev(checkout, "lint", path="", PYTHON=str(fake)).stderr
    assert ("which is no Python" in said) is not taken


def test_a_wrong_browser_is_reported_in_the_words_of_the_package(ready: Path, few_tools: str) -> None:
    ended = dev(ready, "test", path=few_tools, RISKCHAIN_CHROMIUM="/no/such/chromium")
    assert ended.returncode == 1
    said = ended.stderr.splitlines()[-1]
    assert said.startswith("dev: RISKCHAIN_CHROMIUM is set to '/no/such/chromium', which is not an executable file")
    assert "Traceback" not in ended.stderr


def test_a_command_can_be_run_where_no_browser_works(ready: Path, few_tools: str) -> None:
    ended = dev(ready, "run", "python", "-c", "print(6 * 7)", path=few_tools, RISKCHAIN_CHROMIUM="/no/such/chromium")
    assert (ended.returncode, ended.stdout) == (0, "42\n")
