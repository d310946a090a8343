"""Every command does its work and exits 0; with ``--json`` stdout holds JSON and nothing else."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import SHORT_ROW, run, write_rows

from riskchain_gym.benchmark.labels.schemas import LABEL_SCHEMAS
from riskchain_gym.envs import doctor
from riskchain_gym.envs.doctor import Check
from riskchain_gym.protocol.schemas import SCHEMAS
from riskchain_gym.scoring.official.schemas import OFFICIAL_SCHEMAS

pytestmark = pytest.mark.contract

SMALL = ("demo", "--backend", "text", "--chains", "2", "--agent", "oracle", "--agent", "noop")


def test_demo_prints_a_table_and_writes_a_report_and_report_draws_it_again(here: Path) -> None:
    made = run(*SMALL)
    assert made.exit_code == 0
    assert "oracle*" in made.stdout
    assert "noop°" in made.stdout
    assert "100.0" in made.stdout
    page = re.search(r"Report: (\S+)", made.stderr)
    assert page is not None
    assert Path(page[1]) == here / "runs" / "demo" / "report" / "index.html"
    assert Path(page[1]).is_file()

    again = run("report", "runs/demo", "runs/demo/noop", "--out", "again")
    assert again.exit_code == 0
    assert again.stdout == made.stdout
    assert (here / "again" / "index.html").is_file()


def test_the_version_is_that_of_the_package() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"riskchain {importlib.metadata.version('riskchain-gym')}\n")


def test_a_second_demo_goes_to_a_folder_of_its_own(here: Path) -> None:
    small = ("demo", "--backend", "text", "--chains", "1", "--agent", "noop")
    assert run(*small).exit_code == run(*small).exit_code == 0
    assert sorted(path.name for path in (here / "runs").iterdir()) == ["demo", "demo-2"]


def test_json_of_demo_and_report_is_all_there_is_on_stdout(here: Path) -> None:
    rows = json.loads(run(*SMALL, "--out", "out", "--json").stdout)
    ran = [(row["agent"], row["kind"]) for row in rows if not row["computed"]]
    assert ran == [("oracle", "oracle"), ("noop", "control")]
    assert [row["agent"] for row in rows if row["computed"]][-1] == "landing_only"
    assert rows[0]["summary"]["end_to_end_accuracy"] == 1
    assert json.loads(run("report", "out", "--json").stdout) == rows
    assert (here / "report" / "index.html").is_file()


def test_restore_writes_a_prediction_for_each_row(here: Path) -> None:
    rows = write_rows(here / "in.jsonl", SHORT_ROW, {**SHORT_ROW, "variant": 1})
    result = run("restore", rows, "--out", "sub/out.jsonl", "--run-id", "r-7")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "2 predictions" in result.stderr
    lines = (here / "sub" / "out.jsonl").read_text(encoding="utf-8").splitlines()
    made = [json.loads(line) for line in lines]
    assert [row["sample_id"] for row in made] == ["s-01--v000", "s-01--v001"]
    assert {(row["model_id"], row["run_id"]) for row in made} == {("rules", "r-7")}


@pytest.mark.parametrize("name", [*SCHEMAS, *LABEL_SCHEMAS, *OFFICIAL_SCHEMAS])
def test_schema_prints_one_or_all(name: str) -> None:
    one, every = run("schema", name), run("schema")
    assert one.exit_code == every.exit_code == 0
    assert json.loads(one.stdout) == json.loads(every.stdout)[name]


def test_build_writes_a_split_that_can_be_run_and_is_the_same_each_time(here: Path, small_plan: None) -> None:
    first, second = run("build", "example", "--out", "one"), run("build", "example", "--out", "two")
    assert first.exit_code == second.exit_code == 0
    assert json.loads(first.stdout) == json.loads((here / "one" / "manifest.json").read_bytes())
    assert first.stdout == second.stdout
    for name in ("public.jsonl", "gold.jsonl", "manifest.json"):
        assert (here / "one" / name).read_bytes() == (here / "two" / name).read_bytes()
    scored = run("demo", "--backend", "text", "--split", "./one", "--agent", "oracle", "--json")
    assert json.loads(scored.stdout)[0]["summary"]["end_to_end_accuracy"] == 1


@pytest.mark.parametrize("fine", [True, False])
def test_doctor_exits_1_only_when_something_needed_is_missing(fine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = [
        Check("python", True, "3.11"),
        Check("extra [llm]", False, "openai missing", "Run  pip install 'riskchain-gym[llm]'.", required=False),
        Check("browser", fine, "none" * 200, "" if fine else "Install one."),
    ]
    monkeypatch.setattr(doctor, "diagnose", lambda: checks)
    shown, as_json = run("doctor"), run("doctor", "--json")
    assert shown.exit_code == as_json.exit_code == (0 if fine else 1)
    assert [check["name"] for check in json.loads(as_json.stdout)] == ["python", "extra [llm]", "browser"]
    assert "riskchain-gym[llm]" in shown.stdout
    assert "…" not in shown.stdout
    assert ("✗" in shown.stdout.partition("✓ fine")[0]) is not fine


def test_the_module_is_the_command_and_shows_what_the_terminal_cannot_as_escapes(here: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "riskchain_gym", *SMALL]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert ended.returncode == 0
    assert "oracle*" in ended.stdout
    assert "Traceback" not in ended.stderr


def test_json_stays_json_on_a_stdout_that_is_not_utf_8() -> None:
    said = (
        "import json; from riskchain_gym import cli; cli.app = lambda: print(json.dumps('ö中😀', ensure_ascii=False)); "
    )
    command = [sys.executable, "-c", f"{said}cli.main()"]
    shown = subprocess.run(
        command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, timeout=120, check=True
    )
    assert json.loads(shown.stdout.decode("ascii")) == "ö中😀"


def test_help_exits_0() -> None:
    for command in ("demo", "report", "restore", "play", "schema", "build", "doctor"):
        shown = run(command, "--help")
        assert shown.exit_code == 0
        assert "Usage" in shown.stdout
    assert run("--help").exit_code == 0


def test_two_runs_are_compared(here: Path) -> None:
    assert run(*SMALL, "--out", "out").exit_code == 0
    found = json.loads(run("compare", "out/oracle", "out/noop", "--json").stdout)
    assert found["figures"]["end_to_end_accuracy"]["difference"] == 1
    table = run("compare", "out/oracle", "out/noop").stdout
    assert "+100.0" in table
    assert "95 % interval" in table
    refused = run("compare", "out/oracle", "out/noop", "--unit", "moon")
    assert (refused.exit_code, refused.stdout) == (2, "")
