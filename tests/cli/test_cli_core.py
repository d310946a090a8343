"""Without the ``browser`` extra the browser is refused with a sentence, and all the rest works."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runner import SHORT_ROW, refused, run, write_rows

pytestmark = [pytest.mark.contract, pytest.mark.usefixtures("core_only")]


@pytest.mark.parametrize("command", [("demo",), ("demo", "--agent", "noop"), ("play", "--backend", "chromium")])
def test_what_needs_a_browser_names_the_extra_and_leaves_nothing(here: Path, command: tuple[str, ...]) -> None:
    assert "pip install 'riskchain-gym[browser]'" in refused(3, *command)
    assert list(here.iterdir()) == []


def test_everything_else_works(here: Path, small_plan: None) -> None:
    rows = write_rows(here / "in.jsonl", SHORT_ROW)
    for command in (
        ("schema", "report"),
        ("restore", str(rows), "--out", "out.jsonl"),
        ("build", "example", "--out", "mine"),
        ("demo", "--backend", "text", "--chains", "2", "--agent", "noop", "--split", "./mine", "--out", "runs"),
        ("report", "runs"),
    ):
        assert run(*command).exit_code == 0
    assert (here / "runs" / "report" / "index.html").is_file()
