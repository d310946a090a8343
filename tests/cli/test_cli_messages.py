"""The commands that show messages, as a shell sees them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_runner import refused, run
from rich.cells import cell_len
from rich.console import Console

from riskchain_gym import cli_views
from riskchain_gym.messages.splits import session_of
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import Message

ZERO_WIDTH = {"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad"}


def test_show_prints_sessions_from_an_index_with_what_is_invisible_made_visible() -> None:
    arguments = ("messages", "show", "--split", "hard", "--recipe", "zero_width@3", "-n", "2", "--start", "1")
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    rules = [line for line in result.stdout.splitlines() if line.endswith("─")]
    assert [line.split(" · ")[0] for line in rules] == ["hard zero_width@3 1", "hard zero_width@3 2"]
    assert {cell_len(line) for line in rules} == {80}
    assert "⟨200B⟩" in result.stdout
    assert not ZERO_WIDTH & set(result.stdout)
    raw = run(*arguments, "--raw").stdout
    assert "⟨" not in raw
    assert ZERO_WIDTH & set(raw)


def test_show_is_no_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_views, "out", Console(width=40))
    (rule,) = (line for line in run("messages", "show", "-n", "1").stdout.splitlines() if line.endswith("─"))
    assert cell_len(rule) == 40


def test_show_for_machines_is_a_line_a_session_that_holds_the_messages_as_they_are() -> None:
    arguments = ("--split", "hard", "-n", "3", "--start", "7", "--json")
    lines = run("messages", "show", *arguments).stdout.splitlines()
    made = [json.loads(line) for line in lines]
    assert [row["session"] for row in made] == ["hard 7", "hard 8", "hard 9"]
    for index, row in enumerate(made, 7):
        session = session_of("hard", key_from_seed(2026), index)
        assert Message.model_validate(row["variants"]["v000"]) == session.variants["v000"]
        assert row["recipes"] == session.recipes
        assert row["gold"]["entry"] == session.gold.entry
    assert run("messages", "show", *arguments, "--seed", "7").stdout.splitlines() != lines


def test_show_reads_built_splits_and_transfer_sets(here: Path, built: Path, imported: Path) -> None:
    rows = [json.loads(line) for line in (built / "train" / "inputs.jsonl").read_text(encoding="utf-8").splitlines()]
    shown = run("messages", "show", "--split", built / "train", "-n", "99", "--json").stdout.splitlines()
    assert [json.loads(line)["session"] for line in shown] == [row["sample_id"].partition("--")[0] for row in rows]
    assert [json.loads(line)["variants"]["v000"]["messages"] for line in shown] == [row["messages"] for row in rows]
    foreign = run("messages", "show", "--split", imported).stdout
    assert "伽⟨200B⟩徽" in foreign
    assert "→ kab.cd.test" in foreign
    assert "ceiling" not in foreign
    shutil.copytree(built, here / "public")
    (here / "public" / "clean" / "gold.jsonl").unlink()
    public = run("messages", "show", "--split", "public/clean", "-n", "1").stdout
    assert "no gold" in public
    assert "plain" not in public


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--split", "hrad"), "Did you mean 'hard'?"),
        (("--split", "messages/hrad"), "Did you mean 'hard'?"),
        (("--split", "dev", "--start", "600"), "there is no session 600 in 'dev'"),
        (("--split", "{built}"), "add the name of one (clean, no_entry, train)"),
        (("--split", "{built}/hard"), "is no folder"),
        (("--split", "{built}/.."), "has no inputs.jsonl"),
        (("--split", "{built}/clean", "--recipe", "leet@1"), "recipe: the messages in"),
        (("--split", "{built}/clean", "--seed", "1"), "seed: the messages in"),
        (("--split", "{built}/clean", "--start", "120"), "give a smaller number"),
        (("--recipe", "full_pinyin"), "write 'full_pinyin@1' to 'full_pinyin@3'"),
    ],
)
def test_show_and_sheet_say_what_is_wrong_with_what_was_asked_for(
    here: Path, built: Path, options: tuple[str, ...], said: str
) -> None:
    asked = [option.format(built=built) for option in options]
    assert said in refused(2, "messages", "show", *asked)
    assert said in refused(2, "messages", "sheet", "--out", "a.png", *asked)
    assert not (here / "a.png").exists()


def test_the_catalogue_describes_one_technique(here: Path) -> None:
    result = run("messages", "catalogue", "--technique", "zero_width")
    assert result.stdout.startswith("zero_width: Zero-width characters")
    assert "severity 3" in result.stdout
    assert "did you mean" in refused(2, "messages", "catalogue", "--technique", "zero_widht")
