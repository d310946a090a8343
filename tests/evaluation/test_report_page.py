"""The report page: one file that needs nothing else and in which nothing of a page or an agent can run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from riskchain_gym.evaluation.report import write_report
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError

HOSTILE = "</script><img src=x onerror=alert(1)>{{ 7*7 }}"


@pytest.fixture(scope="module")
def page(frozen: dict[str, RunFolder], tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "index.html"
    assert write_report(list(frozen.values()), path) == path
    return path.read_text(encoding="utf-8")


def test_it_is_self_contained(page: str) -> None:
    assert not re.search(r'(?:src|href)\s*=\s*["\']?(?:https?:)?//', page)
    assert "default-src 'none'" in page


def test_controls_and_oracle_are_marked(page: str) -> None:
    assert "upper bound" in page
    assert '<tr class="control">' in page


def test_runs_of_no_split_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="one split"):
        write_report([], tmp_path / "x.html")


@pytest.mark.browser
def test_a_hostile_agent_cannot_run_script_in_the_report(frozen: dict[str, RunFolder], tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    from riskchain_gym.envs.browser.find import find_chromium

    run = RunFolder.create(tmp_path / "run", frozen["oracle"].manifest)
    for record in frozen["oracle"].records():
        report = record.trajectory.report
        assert report is not None
        hostile = report.model_copy(update={"risk_reason": HOSTILE, "note": HOSTILE})
        run.append(record.trajectory.model_copy(update={"report": hostile}), {}, record.seconds)
    from riskchain_gym.evaluation.score import score_run

    score_run(run)
    path = write_report([run], tmp_path / "index.html")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
        tab = browser.new_page()
        problems: list[str] = []
        tab.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.goto(path.as_uri())
        assert HOSTILE in tab.inner_text("#episode")
        tab.keyboard.press("ArrowRight")
        assert tab.locator("#list button").count() == 4
        tab.select_option("#filters select >> nth=1", "right")
        assert tab.locator("#list button").count() == 4
        browser.close()
    assert problems == []
