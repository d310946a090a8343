"""What the tests of the command line share."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path

import pytest
from cli_runner import run

from riskchain_gym.benchmark import plan
from riskchain_gym.benchmark.plan import SplitPlan

BROWSER_EXTRA = ("playwright", "browsergym", "browsergym-core", "PIL", "pillow", "psutil")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def small_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every plan asks for two sites only."""
    two = SplitPlan(seed=7, archetypes={"bank-help": 1, "order-rebate": 1})
    monkeypatch.setattr(plan, "load_plan", lambda split: two)


@pytest.fixture
def core_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """An install without the ``browser`` extra; where it is missing for real, nothing is pretended."""
    find_spec, version = importlib.util.find_spec, importlib.metadata.version

    def missing_spec(name: str, package: str | None = None) -> object:
        return None if name.partition(".")[0] in BROWSER_EXTRA else find_spec(name, package)

    def missing_version(name: str) -> str:
        if name in BROWSER_EXTRA:
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(importlib.util, "find_spec", missing_spec)
    monkeypatch.setattr(importlib.metadata, "version", missing_version)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built folder with the smallest splits."""
    folder = tmp_path_factory.mktemp("built") / "set"
    options = ("--split", "no_entry", "--split", "clean", "--split", "train", "--train-sessions", "12")
    assert run("build", "messages", "--seed", "2026", "--out", folder, *options).exit_code == 0
    return folder


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transfer set of two messages, one with an entry."""
    folder = tmp_path_factory.mktemp("imported")
    (folder / "a.csv").write_text("hidden,plain\n看 kab.cd点test,看 kab.cd.test\n伽\u200b徽,加微\n", encoding="utf-8")
    options = ("--obfuscated", "hidden", "--plain", "plain", "--licence", "CC0", "--out", folder / "set")
    assert run("messages", "import", folder / "a.csv", *options).exit_code == 0
    return folder / "set"
