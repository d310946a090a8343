"""Values on the command line of a run, and files of it, that are not what they should be."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runner import refused, run

pytest.importorskip("openai")

LLM = ("run", "--agent", "llm", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--backend", "text")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("timeout=Infinity", "--set timeout"),
        ("timeout=1e999", "--set timeout"),
        ("timeout=1e300", "timeout"),
        ("temperature=NaN", "--set temperature"),
        ('extra={"a":1e999}', "--set extra"),
        ('extra={"a":[{"\\ud800":1}]}', "--set extra"),
        ("extra=" + "[" * 100_000, "extra"),
        ("seed=\udcff", "--set seed"),
        ("\udcff=1", r"\udcff"),
        ("\udcff", "name=value"),
    ],
)
def test_a_value_that_cannot_be_sent_is_refused_by_its_name(tmp_path: Path, given: str, said: str) -> None:
    assert said in refused(2, *LLM, "--out", tmp_path / "run", "--set", given)
    assert not (tmp_path / "run").exists()


def test_a_name_of_a_model_that_is_no_text_is_refused(tmp_path: Path) -> None:
    arguments = ["run", "--agent", "llm", "--model", "m\udcff", "--base-url", "http://127.0.0.1:9/v1"]
    assert "model" in refused(2, *arguments, "--backend", "text", "--out", tmp_path / "run")


def test_an_agents_file_is_held_to_the_same(tmp_path: Path) -> None:
    file = tmp_path / "agent.toml"
    for line in ("timeout = inf", "extra = {a = nan}"):
        file.write_text(
            f'name = "own"\nrestorer = "llm"\ninvestigator = "llm"\n[model]\nmodel = "m"\n'
            f'base_url = "http://127.0.0.1:9/v1"\n{line}\n'
        )
        assert line.split()[0] in refused(2, "run", "--agent", file, "--backend", "text", "--out", tmp_path / "run")


def test_a_damaged_line_of_calls_says_what_to_do(tmp_path: Path) -> None:
    agent = ("run", "--agent", "scripted_llm", "--backend", "text", "--chains", "1", "--out", tmp_path / "run")
    assert run(*agent).exit_code == 0
    calls = tmp_path / "run" / "calls" / "00000.jsonl"
    calls.write_bytes(b'{"damaged"}\n' + calls.read_bytes())
    said = refused(2, *agent)
    assert "line 1" in said
    assert "remove the line" in said
    calls.write_bytes(calls.read_bytes().split(b"\n", 1)[1])
    assert run(*agent).exit_code == 0


@pytest.mark.parametrize("name", ["json", "test", "sys", "riskchain-gym", "report", "none"])
def test_a_new_agent_is_not_named_like_something_that_there_is(tmp_path: Path, name: str) -> None:
    assert "another name" in refused(2, "agents", "new", name, "--part", "investigator", "--out", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_agent_that_exits_is_an_agent_that_raised(tmp_path: Path) -> None:
    (tmp_path / "exiting.py").write_text(
        "import sys\n\n\nclass Exits:\n    def reset(self, instructions): pass\n    def close(self): pass\n"
        "    def act(self, observation): sys.exit(0)\n"
    )
    (tmp_path / "agent.toml").write_text('name = "exits"\nagent = "exiting:Exits"\n')
    with pytest.raises(RuntimeError, match=r"SystemExit\(0\)"):
        run("run", "--agent", tmp_path / "agent.toml", "--backend", "text", "--out", tmp_path / "run")


def test_a_folder_that_is_closed_is_called_by_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskchain_gym.places.os.access", lambda path, mode: False)
    said = refused(2, "agents", "new", "my-agent", "--out", tmp_path / "new")
    assert said.startswith(f"{tmp_path / 'new'}: cannot be written")
