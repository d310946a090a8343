"""Skeletons: every pool is balanced and its own, what is wrong is refused by file and field."""

from __future__ import annotations

import shutil
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from rapidfuzz import fuzz, process

from riskchain_gym.messages.bank import DATA, load_bank
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.skeletons import PLACE, Form, Topic
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.errors import InputFileError

CELLS = {(topic, intent) for topic in Topic for intent in Intent}
LEAST_PARITY = {Pool.TRAIN: 100, Pool.TEST: 72, Pool.HARD: 48, Pool.DEV: 36, Pool.OOD: 36}


def test_there_are_240_skeletons_and_more() -> None:
    skeletons = [skeleton for skeleton in load_bank().skeletons if not skeleton.pair]
    assert len(skeletons) >= 240
    assert len({skeleton.messages for skeleton in skeletons}) == len(skeletons)


@pytest.mark.parametrize(("pool", "least"), LEAST_PARITY.items())
def test_every_pool_has_every_topic_with_every_intent(pool: Pool, least: int) -> None:
    parity = load_bank(pool=pool).parity_skeletons
    cells = Counter((s.topic, s.intent) for s in parity)
    assert set(cells) == CELLS
    assert len(parity) >= least
    assert max(cells.values()) <= 4 * min(cells.values())


def test_no_two_pools_share_a_wording() -> None:
    wordings = {
        pool: [" ".join(line.text for line in s.messages) for s in load_bank(pool=pool).skeletons] for pool in Pool
    }
    for one, other in combinations(Pool, 2):
        scores = process.cdist(wordings[one], wordings[other], scorer=fuzz.ratio)
        assert scores.max() < 80, (one, other)


@pytest.mark.parametrize("pool", Pool)
def test_whether_an_address_comes_last_does_not_tell_the_entry(pool: Pool) -> None:
    sessions = [s for s in load_bank(pool=pool).skeletons if s.form in (Form.DECOY, Form.CORRECTION)]
    last = [PLACE.findall(" ".join(line.text for line in s.messages))[-1] for s in sessions]
    if len(sessions) >= 4:
        assert 0.4 <= last.count("ENTRY") / len(last) <= 0.6


@pytest.mark.parametrize("pool", [Pool.TRAIN, Pool.DEV, Pool.HARD, Pool.OOD])
def test_pools_beyond_the_published_kind_have_every_form_and_english(pool: Pool) -> None:
    skeletons = load_bank(pool=pool).skeletons
    forms = Counter(s.form for s in skeletons)
    assert all(forms[form] >= 2 for form in (Form.SPLIT, Form.TURNS, Form.DECOY, Form.CORRECTION, Form.QUOTED))
    assert sum(s.language == "en" for s in skeletons) >= 8


def test_the_test_pool_holds_the_published_kind_only() -> None:
    bank = load_bank(pool=Pool.TEST)
    assert bank.parity_skeletons == bank.skeletons


def test_contrast_pairs_have_two_halves_that_name_one_attribute() -> None:
    halves = [s for s in load_bank(pool=Pool.CONTROL).skeletons if s.pair]
    assert all(n == 2 for n in Counter(s.pair for s in halves).values())
    assert len({(s.pair, s.attribute) for s in halves}) == len({s.pair for s in halves}) >= 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DATA, tmp_path / "bank")
    return tmp_path / "bank"


@pytest.mark.parametrize(
    ("old", "new", "field", "problem"),
    [
        ("是不是{what}", "是不是{that}", "skeleton.6", "slots: that, what must stand in the"),
        ('"benign"', '"good"', "skeleton.0.topic", "Input should be 'adult_service'"),
        ("benign_signup_form", "betting_odds", "skeleton.0.name", "'betting_odds' is taken"),
        ('"读书会"', '"读书·会"', "skeleton.0", "may not hold '·'"),
        ('"读书会"', '"义诊活动"', "skeleton.0.slots", "'event' lists a phrase twice"),
    ],
)
def test_a_wrong_skeleton_is_named_with_its_field(folder: Path, old: str, new: str, field: str, problem: str) -> None:
    path = folder / "skeletons/train/benign.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputFileError) as caught:
        load_bank(folder)
    named = folder / "skeletons/train/betting.toml" if "is taken" in problem else path
    assert (caught.value.path, caught.value.field) == (named, field)
    assert problem in caught.value.problem


def extra(folder: Path, body: str) -> None:
    path = folder / "skeletons/dev/extra.toml"
    path.write_text(f'[[skeleton]]\nname = "extra"\ntopic = "benign"\nintent = "OPEN_SITE"\n{body}\n', encoding="utf-8")
    load_bank(folder)


@pytest.mark.parametrize("text", ["去{ENTRY}，看。", "去  {ENTRY}，看。", "去 {ENTRY}看。", "去 {ENTRY}  看。"])
def test_an_address_stands_after_one_space_and_before_punctuation_or_one(folder: Path, text: str) -> None:
    with pytest.raises(InputFileError, match=r"extra\.toml: skeleton\.0: \{ENTRY\} needs one space before it"):
        extra(folder, f'text = "{text}"')


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ('text = "去看。"', "none"),
        ('text = "去 {ENTRY}，再去 {ENTRY}。"', "ENTRY, ENTRY"),
        ('form = "split"\ntext = "前面 {REST}，后面 {FIRST}。"', "REST, FIRST"),
        ('form = "decoy"\ntext = "去 {ENTRY}。"', "ENTRY"),
        ('form = "no_entry"\ntext = "去 {ENTRY}。"', "ENTRY"),
        ('text = "去 {ENTRY}，别去 {DECOY}。"', "ENTRY, DECOY"),
    ],
)
def test_a_form_has_the_places_it_needs(folder: Path, body: str, places: str) -> None:
    with pytest.raises(InputFileError, match=f"cannot have the places {places}, got"):
        extra(folder, body)


def test_text_and_messages_exclude_each_other(folder: Path) -> None:
    with pytest.raises(InputFileError, match="write either text"):
        extra(folder, 'text = "去 {ENTRY}。"\nmessages = [{text = "去 {ENTRY}。"}]')
