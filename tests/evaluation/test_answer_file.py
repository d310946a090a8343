"""Files of judges' answers: what a crash has cut is asked for again, and spoils no other line."""

from __future__ import annotations

from pathlib import Path

from riskchain_gym.evaluation.answers import AnswerFile
from riskchain_gym.protocol.model import Frozen


class Row(Frozen):
    chain: str
    said: str


def opened(path: Path) -> AnswerFile[Row]:
    return AnswerFile(path, Row, lambda row: row.chain, lambda row: None)


def test_an_answer_cut_by_a_crash_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "judged.jsonl"
    first, second = Row(chain="a", said="yes"), Row(chain="b", said="no")
    opened(path).add(first)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-5])
    crashed = opened(path)
    assert crashed.known("a") == first
    crashed.add(second)
    again = opened(path)
    assert (again.known("a"), again.known("b")) == (first, second)
    assert path.read_bytes().startswith(whole)
    assert path.with_name("judged.jsonl.torn").read_bytes() == whole[:-5] + b"\n"
