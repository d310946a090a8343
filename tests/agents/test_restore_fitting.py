"""The rule restorer's tables come from train: they are what fitting gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskchain_gym.agents.restore.intent import ALWAYS
from riskchain_gym.fitting import intents, words
from riskchain_gym.fitting.drawing import SIDE, drawn_table
from riskchain_gym.protocol.codebook import Intent

NOTO, NOTO_SIMPLIFIED = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"), 2


@pytest.mark.slow
@pytest.mark.parametrize("main", [words.main, intents.main])
def test_the_tables_are_what_train_gives(main) -> None:
    assert main(["--check"]) == 0


def test_a_table_that_is_out_of_date_is_named(tmp_path, capsys) -> None:
    file = tmp_path / "words.txt"
    assert words.write_or_check({file: b"new"}, check=True) == 1
    assert not file.exists()
    assert str(file) in capsys.readouterr().err
    assert words.write_or_check({file: b"new"}, check=False) == 0
    assert words.write_or_check({file: b"new"}, check=True) == 0
    assert words.write_or_check({file: b"newer"}, check=True) == 1
    assert file.read_bytes() == b"new"


def test_words_are_counted_once_a_wording() -> None:
    counts = words.count_words(["打开 a.b.test。", "打开 c.d.test。", "打开网站。"], [])
    assert counts["打开"] == 2
    assert counts["网站"] == 1


def test_loose_characters_that_stand_together_are_a_word() -> None:
    counts = words.count_words(["鼗鼙很响"], [])
    assert counts["鼗鼙"] == 1


def test_a_hint_that_tells_an_intent_gets_the_weight() -> None:
    rows = [
        ({ALWAYS: 1.0, "anywhere:search": 1.0}, Intent.SEARCH_QUERY),
        ({ALWAYS: 1.0, "anywhere:search": 1.0}, Intent.SEARCH_QUERY),
        ({ALWAYS: 1.0, "anywhere:code": 1.0}, Intent.ENTER_CODE),
        ({ALWAYS: 1.0, "anywhere:code": 1.0}, Intent.ENTER_CODE),
        ({ALWAYS: 1.0, "anywhere:once": 1.0}, Intent.UNKNOWN),
    ]
    weights = intents.fit(rows)
    place = {intent: i for i, intent in enumerate(Intent)}
    assert max(weights["anywhere:search"]) == weights["anywhere:search"][place[Intent.SEARCH_QUERY]] > 0
    assert max(weights["anywhere:code"]) == weights["anywhere:code"][place[Intent.ENTER_CODE]] > 0
    assert "anywhere:once" not in weights
    assert intents.fit(rows) == weights


@pytest.mark.slow
def test_drawing_again_gives_the_table_of_look_alikes() -> None:
    fonts = pytest.importorskip("PIL.ImageFont")
    if not NOTO.is_file():
        pytest.skip(f"needs {NOTO}")
    shipped = (words.DATA / "drawn_alike.txt").read_text(encoding="utf-8").split()
    again = drawn_table(fonts.truetype(str(NOTO), SIDE, index=NOTO_SIMPLIFIED)).decode().split()
    assert len(set(shipped) & set(again)) > 0.98 * len(set(shipped))
