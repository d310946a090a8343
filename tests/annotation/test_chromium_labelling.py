"""Two annotators, a reviewer and a coordinator label ten sites in a browser, and freeze what they agree on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from person import Person, Said, own_browser, workbench
from playwright.sync_api import Browser

from riskchain_gym.benchmark.labels.plan import Task
from riskchain_gym.benchmark.labels.project import Project

FRAUD, GAMBLING = Said("FRAUD_DECEPTIVE_INDUCEMENT"), Said("GAMBLING_BETTING_PROMOTION", 5)
NONE, UNKNOWN = Said("NONE"), Said("UNKNOWN", 2)

PASSES = {
    "ann": (FRAUD, FRAUD, GAMBLING, NONE, NONE, NONE, UNKNOWN, FRAUD, FRAUD, NONE),
    "bob": (FRAUD, FRAUD, GAMBLING, NONE, NONE, NONE, UNKNOWN, NONE, GAMBLING, UNKNOWN),
}
"""The sites in order of id: they agree on seven, on an eighth in the decision only, and differ on two."""
REVIEWED = {7: FRAUD, 8: GAMBLING, 9: UNKNOWN}
SETTLED = {7: FRAUD, 8: GAMBLING, 9: NONE}
"""The coordinator sides with the reviewer twice, and once against."""


def riskchain(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command of the package."""
    command = [sys.executable, "-m", "riskchain_gym", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True)


def works(browser: Browser, folder: Path, name: str, say: Callable[[Task], Said]) -> list[Task]:
    """Let somebody do all that is due; return the tasks in the order that they were shown."""
    tasks = {task.task_id: task for task in Project.open(folder).plan.tasks}
    shown: list[Task] = []
    with workbench(folder, name) as address:
        person = Person(browser.new_page(), address)
        while (task_id := person.task) is not None:
            shown.append(tasks[task_id])
            person.answer(say(shown[-1]))
        assert person.complaints == []
        person.page.close()
    return shown


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished project."""
    folder = tmp_path_factory.mktemp("labels") / "team"
    people = ["--annotator", "ann", "--annotator", "bob", "--reviewer", "rev", "--coordinator", "cord"]
    riskchain(
        "labels", "plan", "--sites", "mini", "--limit", 10, *people, "--repeats", 0.1, "--seed", 3, "--out", folder
    )
    place = {item: i for i, item in enumerate(Project.open(folder).plan.items)}

    def passed(task: Task) -> Said:
        if task.layer == "repeat" and task.worker == "bob":
            return UNKNOWN if PASSES["bob"][place[task.item_id]] is not UNKNOWN else NONE
        return PASSES[task.worker][place[task.item_id]]

    with own_browser() as browser:
        for name in ("ann", "bob"):
            shown = works(browser, folder, name, passed)
            assert [task.layer for task in shown].count("pass") == 10
            assert [task.layer for task in shown].count("repeat") == 1
        reviewed = works(browser, folder, "rev", lambda task: REVIEWED[place[task.item_id]])
        assert {place[task.item_id] for task in reviewed} == set(REVIEWED)
        settled = works(browser, folder, "cord", lambda task: SETTLED[place[task.item_id]])
        assert {place[task.item_id] for task in settled} == set(SETTLED)
    return folder


def test_two_people_agree_on_a_site_and_their_label_is_frozen(tmp_path: Path) -> None:
    folder, gold = tmp_path / "team", tmp_path / "gold-labels.json"
    people = ["--annotator", "ann", "--annotator", "bob", "--reviewer", "rev", "--coordinator", "cord"]
    riskchain("labels", "plan", "--sites", "mini", "--limit", 1, *people, "--repeats", 0, "--out", folder)
    with own_browser() as browser:
        for name in ("ann", "bob"):
            assert [task.layer for task in works(browser, folder, name, lambda _: GAMBLING)] == ["pass"]
    riskchain("labels", "freeze", folder, "--out", gold)
    (row,) = json.loads(gold.read_bytes())["labels"]
    assert (row["primary_violation_type"], row["provenance"]) == (GAMBLING.type, "human")


@pytest.mark.slow
def test_the_frozen_gold_is_what_they_said(labelled: Path) -> None:
    gold = labelled / "gold-labels.json"
    riskchain("labels", "freeze", labelled, "--out", gold)
    frozen = json.loads(gold.read_bytes())
    types = [said.type for said in PASSES["ann"][:7]] + [SETTLED[i].type for i in (7, 8, 9)]
    assert [row["primary_violation_type"] for row in frozen["labels"]] == types
    assert [row["provenance"] for row in frozen["labels"]] == ["human"] * 7 + ["human+adjudicated"] * 3
    written = gold.read_bytes()
    riskchain("labels", "freeze", labelled, "--out", gold)
    assert gold.read_bytes() == written, "frozen twice, the same bytes"


@pytest.mark.slow
def test_its_agreement_figures_are_those_computed_by_hand(labelled: Path, tmp_path: Path) -> None:
    riskchain("labels", "freeze", labelled, "--out", tmp_path / "gold-labels.json")
    frozen = json.loads((tmp_path / "gold-labels.json").read_bytes())["agreement"]
    figures = {each["question"]: each for each in frozen["questions"]}
    # Decisions: V V V N N N U, V-N, V-V, N-U: 8 of 10. Each site is two ordered pairs of 20 in all: 16 are equal,
    # V stands in 9 of them, N in 8, U in 3. α = 1 - 19 (20 - 16) / (400 - 81 - 64 - 9) = 1 - 76 / 246.
    decision = figures["decision"]
    assert decision["percent"]["value"] == pytest.approx(8 / 10)
    assert decision["alpha"]["value"] == pytest.approx(1 - 76 / 246)
    # Types: fraud 6, gambling 3, none 8, unknown 3; 14 of 20 equal. α = 1 - 19 * 6 / (400 - 36 - 9 - 64 - 9).
    joint = figures["joint"]
    assert joint["percent"]["value"] == pytest.approx(7 / 10)
    assert joint["alpha"]["value"] == pytest.approx(1 - 114 / 282)
    # Each annotator saw one site again, and bob said something else of his.
    assert (decision["repeats"]["hits"], decision["repeats"]["of"]) == (1, 2)
