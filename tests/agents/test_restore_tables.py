"""The hand-written tables hold what their readers promise."""

from __future__ import annotations

from riskchain_gym.agents.restore import tables
from riskchain_gym.agents.restore.sounds import is_known_phrase, syllables
from riskchain_gym.agents.restore.vocabulary import joined, stand_ins, word_cost


def test_words_have_positive_counts_and_no_spaces() -> None:
    counts = tables.word_counts()
    assert len(counts) > 8000
    assert all(count > 0 and word.strip() == word for word, count in counts.items())


def test_parts_are_pairs_of_other_characters() -> None:
    for pair, whole in tables.splits().items():
        assert len(pair) == 2
        assert len(whole) == 1
        assert whole not in pair


def test_look_alikes_are_single_foreign_characters() -> None:
    for char, target in tables.letters().items():
        assert len(char) == 1
        assert not char.isascii()
        assert target in "abcdefghijklmnopqrstuvwxyz0123456789-"


def test_choices_name_known_words_and_evidence() -> None:
    for written, wanted, evidence in tables.choices():
        assert written != wanted
        assert wanted in tables.word_counts()
        assert evidence


def test_readings_carry_no_tones() -> None:
    assert syllables("绿") == ("lv", "lu")
    assert syllables("系") == ("xi", "ji")
    assert syllables("a") == ()
    assert is_known_phrase("女子")


def test_what_a_character_may_stand_for() -> None:
    options = stand_ins("已")
    assert options["已"] == 0.0
    assert options["己"] > 0.0
    assert options["以"] > 0.0
    assert "水" not in options


def test_parts_that_are_a_word_cost_most() -> None:
    marked, real, word = joined("扌丁"), joined("君羊"), joined("女子")
    assert marked is not None
    assert real is not None
    assert word is not None
    assert marked[1] < real[1] < word[1]
    assert joined("甲乙") is None


def test_rarer_words_cost_more() -> None:
    assert word_cost("我们") < word_cost("帐篷") < word_cost("甲乙丙")
