"""A new agent plays at once: its own test passes, and nothing that was there is touched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from riskchain_gym.agents.scaffold import Kind, new_agent
from riskchain_gym.protocol.errors import ConfigError


@pytest.mark.parametrize("kind", get_args(Kind))
def test_what_is_written_passes_its_own_test(kind: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if kind == "llm":
        pytest.importorskip("openai")
    files = new_agent(f"my-{kind}", tmp_path / "mine", kind)
    # In this process, which has imported everything; a timer of the inner session would end that of this test.
    bare = files[0].with_name("none.ini")
    bare.touch()
    alone = ("-c", str(bare), "-p", "no:cacheprovider", "-p", "no:timeout", "--import-mode=importlib")
    ended = pytest.main(["-q", *alone, str(files[-1])])
    said = capsys.readouterr().out
    assert ended is pytest.ExitCode.OK, said
    assert " passed" in said


@pytest.mark.slow
def test_what_is_written_passes_its_own_test_from_a_command_line(tmp_path: Path) -> None:
    files = new_agent("by-command-line", tmp_path / "mine")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(files[-1])]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_a_file_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    own = tmp_path / "agent.toml"
    own.write_text("mine")
    with pytest.raises(ConfigError, match="there already"):
        new_agent("mine", tmp_path)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("agent.toml", "mine")]


@pytest.mark.parametrize("name", ["", "My", "a b", "../x", "-a", "a-", "1a", "x" * 61])
def test_a_name_that_cannot_be_a_module_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot name an agent"):
        new_agent(name, tmp_path / "mine")
    assert not list(tmp_path.iterdir())
