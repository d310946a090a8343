"""Playing by hand: the dialogue is on stderr as it is, the outcome is JSON on stdout."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runner import gold_walk, refused, run

from riskchain_gym.benchmark import splits
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.backends.text import TextBackend
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InfrastructureError

pytestmark = pytest.mark.contract

CHAIN = load_public("mini")[0]


def test_a_piped_walk_of_a_whole_chain_is_scored() -> None:
    result = run("play", CHAIN.chain_id, stdin=gold_walk(CHAIN.chain_id))
    assert result.exit_code == 0
    outcome = json.loads(result.stdout)
    assert outcome["chain_id"] == CHAIN.chain_id
    assert (outcome["status"], outcome["end_to_end_correct"]) == ("reported", 1)


def test_a_walk_in_short_words_is_scored_too_and_odd_numbers_are_answered() -> None:
    report = ["NON_VIOLATION", "9" * 5000, "a quote", "a reason", "３", "a note"]
    answers = ["plain", "", "UNKNOWN", "scroll_down", "stop", *report * 3]
    result = run("play", stdin="".join(f"{answer}\n" for answer in answers))
    assert result.exit_code == 0
    outcome = json.loads(result.stdout)
    assert (outcome["status"], outcome["gate.passed"]) == ("missing_report", False)
    assert "evidence" in result.stderr


def test_what_is_read_is_shown_letter_by_letter() -> None:
    shown = run("play", CHAIN.chain_id, stdin=gold_walk(CHAIN.chain_id)).stderr
    for message in CHAIN.variants["v000"].messages:
        assert message.content in shown


def test_long_lines_and_emoji_codes_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = ":smile: [bold]x[/bold] \u3000\t" + "长" * 300
    message = CHAIN.variants["v000"]
    chat = message.messages[0].model_copy(update={"content": odd})
    variants = {**CHAIN.variants, "v000": message.model_copy(update={"messages": (chat,)})}
    changed = (CHAIN.model_copy(update={"variants": variants}),)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("riskchain_gym.envs.site_cases.load_public", lambda split: changed)
    assert f"\n{odd}\n" in run("play", CHAIN.chain_id).stderr


def test_input_that_ends_too_soon_is_a_sentence() -> None:
    result = run("play", stdin="plain\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("\nriskchain: The input ended before the episode did: nothing was scored.\n")


def test_without_gold_nobody_plays_in_vain(tmp_path: Path) -> None:
    split = tmp_path / "split"
    shutil.copytree(content_dir("sites") / "splits" / "mini", split)
    (split / splits.GOLD).unlink()
    assert "gold.jsonl: cannot be read" in refused(2, "play", "--split", split)


def test_an_episode_lost_to_infrastructure_exits_4(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise InfrastructureError("browser_lost", "it is gone")

    monkeypatch.setattr(TextBackend, "open", lost)
    result = run("play", CHAIN.chain_id, stdin=gold_walk_until_commit())
    assert result.exit_code == 4
    assert json.loads(result.stdout)["status"] == "infra_error"
    assert "browser_lost" in result.stderr


def gold_walk_until_commit() -> str:
    return "plain\n\nUNKNOWN\n"


@pytest.mark.parametrize("text", [b"\xff\xfe\n"])
def test_input_that_is_no_text_is_a_sentence(text: bytes) -> None:
    command = [sys.executable, "-X", "utf8", "-m", "riskchain_gym", "play"]
    ended = subprocess.run(command, input=text, capture_output=True, timeout=60, env={"PYTHONIOENCODING": "utf-8"})
    assert ended.returncode == 2
    assert b"give it as UTF-8 text" in ended.stderr
    assert b"Traceback" not in ended.stderr


def test_an_interrupt_ends_it_with_130_and_a_word() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "riskchain_gym", "play"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell starts background jobs with the interrupt ignored; the test must not depend on it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stderr is not None
        shown = b""
        while not shown.endswith(b" > "):
            byte = process.stderr.read(1)
            assert byte, shown
            shown += byte
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, b"")
    assert stderr.decode().endswith("Interrupted.\n")
    assert b"Traceback" not in stderr
