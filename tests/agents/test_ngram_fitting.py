"""The fitting of the trigram model: what it counts, from where, and that it gives what is committed."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from riskchain_gym.agents.restore.lattice import cut_run
from riskchain_gym.agents.restore.ngram import START, write_counts
from riskchain_gym.fitting import ngram
from riskchain_gym.messages.splits import iter_sessions
from riskchain_gym.protocol.keyed import key_from_seed


def test_texts_alike_but_for_addresses_count_once() -> None:
    once = ngram.count_trigrams(["请到 mint4.ro.test 联系客服。"])
    assert once == ngram.count_trigrams(["请到 mint4.ro.test 联系客服。", "请到 kale7.bo.test 联系客服！"])
    assert once[START, START, cut_run("请到")[0]] == 1
    assert set(once.values()) == {1}


def test_words_do_not_reach_over_marks_and_addresses() -> None:
    counts = ngram.count_trigrams(["苹果，香蕉 mint4.ro.test 葡萄"])
    assert set(counts) == {(START, START, word) for word in ("苹果", "香蕉", "葡萄")}


def test_pieces_of_unknown_words_are_not_counted() -> None:
    unknown = "魑魅魍魉鳜"
    assert set(cut_run(f"苹果{unknown}")) > {"鳜"}
    assert set(ngram.count_trigrams([f"苹果{unknown}"])) == {(START, START, "苹果")}


def test_the_messages_are_the_canonical_texts_of_train() -> None:
    sessions = islice(iter_sessions("train", key_from_seed(2026)), 12)
    wanted = [message.text for session in sessions for message in session.gold.messages]
    assert list(ngram.message_texts(sessions=12)) == wanted


def test_check_tells_a_model_that_was_not_fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ngram, "site_texts", lambda: iter(["联系客服"]))
    monkeypatch.setattr(ngram, "message_texts", lambda: iter(["填写口令"]))
    file = tmp_path / "models" / "rules-lm.txt"
    monkeypatch.setattr(ngram, "model_file", lambda _: file)
    assert ngram.main(["--check"]) == 1
    assert "is out of date" in capsys.readouterr().err
    assert not file.exists()
    assert ngram.main([]) == 0
    assert file.read_text("utf-8") == write_counts(ngram.count_trigrams(["联系客服", "填写口令"]))
    assert ngram.main(["--check"]) == 0


@pytest.mark.slow
def test_the_committed_model_is_what_train_gives() -> None:
    assert ngram.main(["--check"]) == 0
