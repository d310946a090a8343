"""``riskchain annotate``: what it makes, what it prints, how it ends, and what it refuses."""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_runner import refused, run

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("PIL")
pytest.importorskip("playwright")
pytest.importorskip("browsergym")

from riskchain_gym.annotation.serving import WorkbenchServer
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.scoring.calibration.anchors import read_anchors
from riskchain_gym.scoring.calibration.pairs import PairItem, encoded_pairs


@pytest.fixture(autouse=True)
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser counts as found and would not start: none is needed before the first visit."""
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", "/bin/true")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a person's browser was sent to; the server ends once it was."""
    addresses: list[str] = []

    def run_until_opened(server: WorkbenchServer) -> None:
        for thread in threading.enumerate():
            if thread.name == "open-page":
                thread.join(60)

    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.setattr(WorkbenchServer, "run", run_until_opened)
    return addresses


def write_pairs(path: Path, count: int = 3) -> Path:
    """Write a file of pairs that a judge is measured by."""
    pairs = [
        PairItem(
            item_id=each.id, cluster=each.cluster, language=each.language, bundle=each.bundle, question=each.question
        )
        for each in read_anchors()[:count]
    ]
    path.write_bytes(encoded_pairs(pairs))
    return path


def state_of(address: str) -> Any:
    host, path = address.removeprefix("http://").split("/", 1)
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", f"/{path}api/state")
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


@contextmanager
def annotating(here: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command in a process of its own; yield it and the address that it prints."""
    command = [sys.executable, "-m", "riskchain_gym", "annotate", "--no-open", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=here, env=environment, text=True, **pipes) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)], ids=lambda number: number.name
)
def test_one_line_with_the_address_and_a_clean_end(here: Path, number: signal.Signals) -> None:
    with annotating(here, "--annotator", "ann", "--sites", "mini", "--seed", "3") as (process, address):
        state = state_of(address)
        process.send_signal(number)
        rest, said = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, "")
    assert address.startswith("http://127.0.0.1:")
    assert "Traceback" not in said
    assert address.split("/")[3] not in said, "the token is said once"
    project = Project.open(here / "runs" / "labels-ann")
    plan = project.plan
    assert (plan.subject, plan.passes, plan.seed, plan.source) == ("sites", 1, 3, "mini")
    assert [(worker.name, worker.role) for worker in plan.workers] == [("ann", "annotator")]
    assert {task.layer for task in plan.tasks} == {"pass", "repeat"}, "some sites come again"
    assert state["total"] == len(plan.tasks)
    with project.writer("ann"):
        pass


def test_a_judges_questions_are_answered_without_a_browser(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKCHAIN_CHROMIUM", "/nowhere")
    write_pairs(here / "pairs.jsonl")
    with annotating(here, "own", "--annotator", "ann", "--task", "judge", "--pairs", "pairs.jsonl") as (_, address):
        state = state_of(address)
    assert (state["subject"], state["task"]["kind"], state["total"]) == ("pairs", "pair", 3)
    assert state["task"]["pair"]["claim"]
    assert state["task"]["draft"]["form"] == {"answer": None, "confidence": None, "note": ""}


def test_the_same_command_goes_on_with_the_project(here: Path, opened: list[str]) -> None:
    for _ in range(2):
        result = run("annotate", "own", "--annotator", "ann", "--sites", "mini")
        assert result.exit_code == 0
        assert result.stdout.count("\n") == 1
    assert run("annotate", "own", "--annotator", "ann", "--task", "sites").exit_code == 0
    assert len({address.split("/")[3] for address in opened}) == 3, "a token is good for one run"


def test_no_open_opens_nothing(here: Path, opened: list[str]) -> None:
    assert run("annotate", "own", "--annotator", "ann", "--sites", "mini", "--no-open").exit_code == 0
    assert opened == []


def test_a_pairs_project_goes_on_with_or_without_its_file(here: Path, opened: list[str]) -> None:
    pairs = write_pairs(here / "pairs.jsonl")
    for more in (("--pairs", pairs), ("--pairs", pairs, "--task", "judge"), ()):
        assert run("annotate", "own", "--annotator", "ann", *more).exit_code == 0
    write_pairs(pairs, 2)
    assert "are not those of own" in refused(2, "annotate", "own", "--annotator", "ann", "--pairs", pairs)
    (here / "own" / "items.jsonl").write_bytes(pairs.read_bytes())
    assert "is not what was planned" in refused(2, "annotate", "own", "--annotator", "ann")


def test_what_cannot_be_worked_on_is_refused_in_a_sentence(here: Path, opened: list[str]) -> None:
    pairs = write_pairs(here / "pairs.jsonl")
    assert "give the folder of `riskchain labels plan`, or --sites" in refused(2, "annotate", "--annotator", "ann")
    assert "or --pairs FILE" in refused(2, "annotate", "--annotator", "ann", "--task", "judge")
    for wrong in (("--sites", "mini", "--pairs", pairs), ("--task", "sites", "--pairs", pairs)):
        refused(2, "annotate", "--annotator", "ann", *wrong)
    refused(2, "annotate", "--annotator", "ann", "--task", "judge", "--sites", "mini")
    assert "no split 'minni'" in refused(2, "annotate", "--annotator", "ann", "--sites", "minni")
    for name in ("../ann", "", "a b", "a" * 65, "安"):
        said = refused(2, "annotate", "own", "--annotator", name, "--sites", "mini")
        assert "cannot name files" in said
    assert sorted(path.name for path in here.iterdir()) == ["pairs.jsonl"], "nothing is made of what is refused"
    assert opened == []


def test_a_project_of_another_kind_or_without_the_person_is_refused(here: Path, opened: list[str]) -> None:
    people = ("--annotator", "ann", "--annotator", "bob", "--reviewer", "rex", "--coordinator", "kim")
    assert run("labels", "plan", "--sites", "mini", *people, "--out", "team").exit_code == 0
    said = refused(2, "annotate", "team", "--annotator", "eve")
    assert "no 'eve'. It has: ann (annotator), bob (annotator), rex (reviewer), kim (coordinator)" in said
    for other in (("--task", "judge"), ("--pairs", "pairs.jsonl")):
        said = refused(2, "annotate", "team", "--annotator", "ann", *other)
        assert "team is a project of sites, not of pairs: name another DIR" in said
    (here / "elsewhere").mkdir()
    (here / "elsewhere" / "thesis.txt").touch()
    assert "holds 'thesis.txt'" in refused(2, "annotate", "elsewhere", "--annotator", "ann", "--sites", "mini")
    assert run("annotate", "team", "--annotator", "kim").exit_code == 0


def test_sites_and_claims_of_one_person_have_folders_of_their_own(here: Path, opened: list[str]) -> None:
    pairs = write_pairs(here / "pairs.jsonl")
    assert run("annotate", "--annotator", "ann", "--sites", "mini").exit_code == 0
    for more in (("--pairs", pairs), ("--pairs", pairs, "--task", "judge"), ("--task", "judge")):
        assert run("annotate", "--annotator", "ann", *more).exit_code == 0
    assert {name: Project.open(here / "runs" / name).plan.subject for name in ("labels-ann", "claims-ann")} == {
        "labels-ann": "sites",
        "claims-ann": "pairs",
    }
    (here / "shop").mkdir()
    (here / "shop" / "index.html").write_text("<title>Shop</title>")
    assert run("sites", "import", "shop", "--out", "imported").exit_code == 0
    said = refused(2, "annotate", "--annotator", "ann", "--sites", "imported")
    assert "other sites are a project of their own, in another DIR" in said
    assert run("annotate", "own", "--annotator", "ann", "--sites", "imported").exit_code == 0
    assert "give their folders with --sites" in refused(2, "annotate", "own", "--annotator", "ann")


def test_one_person_takes_the_first_so_many_items(here: Path, opened: list[str]) -> None:
    pairs, few = write_pairs(here / "pairs.jsonl"), ("--annotator", "ann", "--sites", "mini", "--limit", "5")
    for _ in range(2):
        assert run("annotate", "few", *few).exit_code == 0
    items = Project.open(here / "few").plan.items
    assert len(items) == 5
    said = refused(2, "annotate", "few", *few[:-1], "6")
    assert "few holds 5 sites, and a plan is never changed: leave out --limit, or name another DIR." in said
    assert run("annotate", "all", *few[:-1], "1000").exit_code == 0
    assert run("annotate", "all", *few[:-1], "1000").exit_code == 0
    assert Project.open(here / "all").plan.items[:5] == items
    for _ in range(2):
        assert run("annotate", "two", "--annotator", "ann", "--pairs", pairs, "--limit", "2").exit_code == 0
    assert len(Project.open(here / "two").plan.items) == 2


def test_one_workbench_for_one_person(here: Path, opened: list[str]) -> None:
    assert run("annotate", "own", "--annotator", "ann", "--sites", "mini").exit_code == 0
    with Project.open(here / "own").writer("ann"):
        said = refused(2, "annotate", "own", "--annotator", "ann")
    assert "'ann'" in said
    assert "close it first" in said


def test_a_port_that_is_taken_is_named(here: Path, opened: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(2, "annotate", "own", "--annotator", "ann", "--sites", "mini", "--port", str(port))
    assert f"Port {port} cannot be had" in said


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "PIL"])
def test_a_missing_extra_is_named(here: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == missing else find_spec(name, *more)
    )
    said = refused(3, "annotate", "own", "--annotator", "ann", "--sites", "mini")
    assert said == "The workbench needs the optional 'annotate' extra: run  pip install 'riskchain-gym[annotate]'."
    assert not (here / "own").exists()


@pytest.mark.slow
def test_the_port_stays_the_same_where_it_can(here: Path) -> None:
    pairs = str(write_pairs(here / "pairs.jsonl"))
    ports, said = [], ""
    for held in (False, False, True):
        with socket.socket() as holder:
            if held:
                holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                holder.bind(("127.0.0.1", ports[0]))
                holder.listen()
            with annotating(here, "own", "--annotator", "ann", "--pairs", pairs) as (process, address):
                ports.append(int(address.split(":")[2].split("/")[0]))
                process.send_signal(signal.SIGTERM)
                said = process.communicate(timeout=60)[1]
                assert process.returncode == 0
    assert ports[0] == ports[1] != ports[2]
    assert f"Port {ports[0]}, used last, is taken:" in said
    assert (here / "own" / "drafts" / "ann.port").read_text() == f"{ports[2]}\n"
