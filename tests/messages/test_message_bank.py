"""The bank's files: what ships is balanced and true, what is wrong is refused by file and field."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from pypinyin import Style, lazy_pinyin, pinyin

from riskchain_gym.messages.bank import DATA, load_bank
from riskchain_gym.messages.skeletons import Topic
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.message import Platform

COMMON_WORDS = [
    "同城",
    "联系",
    "客服",
    "充值",
    "活动",
    "私聊",
    "账号",
    "提现",
    "投资",
    "理财",
    "验证",
    "登录",
    "群",
    "资料",
    "分享",
]


def test_every_topic_has_every_intent() -> None:
    cells = Counter((s.topic, s.intent) for s in load_bank().skeletons)
    assert set(cells) == {(t, i) for t in Topic for i in Intent}
    assert all(n == (2 if intent is Intent.OPEN_SITE else 1) for (_, intent), n in cells.items())


def test_common_words_stand_in_several_skeletons() -> None:
    bank = load_bank()
    for word in COMMON_WORDS:
        holders = [s for s in bank.skeletons if word in s.text or any(word in p for o in s.slots.values() for p in o)]
        assert len(holders) >= 2, word
        assert word in bank.lexicon.homophones


def test_every_skeleton_has_a_word_or_character_to_hide() -> None:
    bank = load_bank()
    for skeleton in bank.skeletons:
        assert any(c in bank.lexicon.splits or c in bank.lexicon.glyphs for c in skeleton.text), skeleton.name


def test_homophones_sound_like_their_words() -> None:
    for word, surrogates in load_bank().lexicon.homophones.items():
        for surrogate in surrogates:
            for sound, character in zip(lazy_pinyin(word), surrogate, strict=True):
                readings = pinyin(character, style=Style.NORMAL, heteronym=True)[0]
                assert sound in readings, f"{word} {surrogate}: {character} is read {readings}, not {sound}"


def test_the_six_paper_platforms_have_92_codes() -> None:
    profiles = load_bank().profiles
    sizes = {p: len(profiles[p].codes) for p in Platform}
    assert sum(sizes.values()) - sizes[Platform.TIKTOK] - sizes[Platform.WECHAT_CHANNELS] == 92
    assert profiles[Platform.QQ].find("看/wx 这/doge 里") == [(1, 5), (6, 12)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DATA, tmp_path / "bank")
    return tmp_path / "bank"


def test_a_private_folder_is_a_bank_too(folder: Path) -> None:
    assert load_bank(folder) == load_bank()


SKELETON = '[[skeleton]]\nname = "{name}"\ntopic = "benign"\nintent = "OPEN_SITE"\ntext = "{text}"\n'


@pytest.mark.parametrize(
    ("file", "old", "new", "field", "problem"),
    [
        (
            "lexicon.toml",
            '"同城" = ["同程", "童城"]',
            '"同城" = ["同"]',
            "",
            "homophones: '同城' needs surrogates of its",
        ),
        ("lexicon.toml", '"己" = ["已"]', '"己" = ["打"]', "", "glyphs: '打' stands for '己' and has a split"),
        ("lexicon.toml", '"己" = ["已"]', '"己" = ["己"]', "glyphs", "'己' lists itself"),
        ("lexicon.toml", '"打" = ["扌丁"]', '"打" = ["丁"]', "", "splits: '打' must be one character"),
        ("lexicon.toml", "[glyphs]", "[shapes]", "glyphs", "Field required"),
        ("lexicon.toml", "[glyphs]", "[glyphs", "", "is not UTF-8 TOML"),
        ("tokens.toml", '"/wx "', '"/wx"', "profile.3.codes", "'/wx' has not the shape SLASH_CODE"),
        ("tokens.toml", '"[V5]"', '"[给力]"', "profile.1.codes", "a code is listed twice"),
        ("tokens.toml", 'platform = "tiktok"', 'platform = "qq"', "profile", "needs every platform exactly once"),
        ("tokens.toml", 'platform = "tiktok"', 'platform = "x"', "profile.7.platform", "Input should be"),
        ("skeletons/benign.toml", "是不是{what}", "是不是{that}", "skeleton.6", "slots: that, what must stand in the"),
        ("skeletons/benign.toml", '"benign"', '"good"', "skeleton.0.topic", "Input should be 'adult_service'"),
        ("skeletons/benign.toml", "benign_signup_form", "betting_odds", "skeleton.0.name", "'betting_odds' is taken"),
        ("skeletons/benign.toml", '"读书会"', '"读书·会"', "skeleton.0.slots", "'event' may not hold '·'"),
        ("skeletons/benign.toml", '"读书会"', '"义诊活动"', "skeleton.0.slots", "'event' lists a phrase twice"),
    ],
)
def test_a_wrong_file_is_named_with_its_field(
    folder: Path, file: str, old: str, new: str, field: str, problem: str
) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputFileError) as caught:
        load_bank(folder)
    named = folder / "skeletons/betting.toml" if "is taken" in problem else path
    assert (caught.value.path, caught.value.field) == (named, field)
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    "text",
    ["去{ENTRY}，看。", "去  {ENTRY}，看。", "去 {ENTRY}看。", "去 {ENTRY}  看。", "去看。", "去 {ENTRY}。{ENTRY}。"],
)
def test_the_entry_stands_after_one_space_and_before_punctuation_or_one(folder: Path, text: str) -> None:
    path = folder / "skeletons/extra.toml"
    path.write_text(SKELETON.format(name="extra", text=text), encoding="utf-8")
    with pytest.raises(InputFileError, match=r"extra\.toml: skeleton\.0\.text: needs one ' \{ENTRY\}'"):
        load_bank(folder)


def test_a_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="holds no skeleton files, add one named"):
        load_bank(tmp_path / "nowhere")
