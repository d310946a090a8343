"""The tables hold what their readers promise."""

from __future__ import annotations

import math

from riskchain_gym.agents.restore import tables
from riskchain_gym.agents.restore.alikes import joined, stand_ins
from riskchain_gym.agents.restore.sounds import is_known_phrase, syllables
from riskchain_gym.agents.restore.vocabulary import is_known, word_cost, words
from riskchain_gym.protocol.codebook import Intent


def test_words_have_positive_counts_and_no_spaces() -> None:
    assert len(tables.general_counts()) > 8000
    assert len(tables.train_counts()) > 800
    for counts in (tables.general_counts(), tables.train_counts()):
        assert all(count > 0 and word.strip() == word for word, count in counts.items())
    assert tables.hidden_words() <= set(words())


def test_parts_are_two_or_three_other_characters() -> None:
    for parts, whole in tables.splits().items():
        assert len(parts) in (2, 3)
        assert len(whole) == 1
        assert whole not in parts
    assert tables.splits()["扌卩又"] == tables.splits()["手卩又"] == "报"


def test_drawn_look_alikes_are_other_characters_of_known_words() -> None:
    for char, alike in tables.drawn_alike().items():
        assert char not in alike
        assert len(set(alike)) == len(alike)
        assert all(map(is_known, alike))


def test_every_weighed_hint_has_a_known_group_and_a_weight_an_intent() -> None:
    assert len(tables.intent_cues()) > 5
    for hint, weights in tables.intent_weights().items():
        assert hint == "always" or hint.partition(":")[2] in {"nothing", *tables.intent_cues()}
        assert len(weights) == len(Intent)


def test_look_alikes_are_single_foreign_characters() -> None:
    for char, target in tables.letters().items():
        assert len(char) == 1
        assert not char.isascii()
        assert target in "abcdefghijklmnopqrstuvwxyz0123456789-"


def test_choices_name_known_words_and_evidence() -> None:
    for written, wanted, evidence in tables.choices():
        assert written != wanted
        assert wanted in tables.general_counts()
        assert evidence


def test_readings_carry_no_tones() -> None:
    assert syllables("绿") == ("lv", "lu")
    assert syllables("系") == ("xi", "ji")
    assert syllables("a") == ()
    assert is_known_phrase("女子")


def test_what_a_character_may_stand_for() -> None:
    options = stand_ins("已")
    assert options["已"] == (0.0, 0.0)
    assert 0.0 < options["己"].shape < math.inf == options["己"].sound
    assert options["以"].sound < math.inf == options["以"].shape
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
    assert word_cost("的") < word_cost("旁") < word_cost("旳")
