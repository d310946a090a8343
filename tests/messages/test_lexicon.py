"""The lexicon: true to sound and shape, large enough in every pool, no pair in two pools, wrong files named."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from pypinyin import Style, pinyin

from riskchain_gym.messages.bank import DATA, load_bank
from riskchain_gym.messages.lexicon import TABLES, Lexicon, load_lexicon
from riskchain_gym.messages.pools import Pool
from riskchain_gym.messages.sounds import near_syllables
from riskchain_gym.protocol.errors import InputFileError

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


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_bank().lexicon


@cache
def sounds_of(character: str) -> set[str]:
    """Every toneless reading; ü is written v, as in the files."""
    return {sound.replace("ü", "v") for sound in pinyin(character, style=Style.NORMAL, heteronym=True)[0]}


def test_readings_are_readings(lexicon: Lexicon) -> None:
    for word, reading in lexicon.readings.items():
        for character, syllable in zip(word, reading, strict=True):
            assert syllable[:-1] in sounds_of(character), f"{word}: {character} is not read {syllable}"


def test_homophones_sound_like_their_words(lexicon: Lexicon) -> None:
    for word, surrogates in lexicon.homophones.items():
        for surrogate in surrogates:
            assert surrogate != word
            for syllable, character in zip(lexicon.readings[word], surrogate, strict=True):
                assert syllable[:-1] in sounds_of(character), f"{word} {surrogate}: {character} is not read {syllable}"


def test_near_homophones_sound_nearly_like_their_words(lexicon: Lexicon) -> None:
    for word, surrogates in lexicon.near_homophones.items():
        for surrogate in surrogates:
            changed = [i for i, (a, b) in enumerate(zip(word, surrogate, strict=True)) if a != b]
            assert changed
            for i in changed:
                near = near_syllables(lexicon.readings[word][i][:-1])
                assert sounds_of(surrogate[i]) & set(near), f"{word} {surrogate}"


@pytest.mark.parametrize(
    ("syllable", "near"),
    [
        ("lan", {"nan", "lang", "nang"}),
        ("zhang", {"zang", "zhan", "zan"}),
        ("si", {"shi"}),
        ("cheng", {"ceng", "chen", "cen"}),
        ("xing", {"xin"}),
        ("guang", {"guan"}),
        ("fu", {"hu"}),
        ("an", {"ang"}),
        ("ke", set()),
    ],
)
def test_near_syllables_are_those_that_speakers_mix_up(syllable: str, near: set[str]) -> None:
    assert set(near_syllables(syllable)) == near


def test_tables_are_large(lexicon: Lexicon) -> None:
    least = {
        "readings": 170,
        "homophones": 170,
        "near_homophones": 120,
        "glyphs": 160,
        "splits": 260,
        "stacked_splits": 100,
        "nested_splits": 100,
        "variants": 250,
        "slang": 60,
        "emoji": 60,
        "oral": 60,
        "signs": 60,
    }
    assert {name: len(getattr(lexicon, name)) for name in least if len(getattr(lexicon, name)) < least[name]} == {}
    assert set(least) == {*TABLES, "readings"}
    assert set(COMMON_WORDS) <= set(lexicon.homophones)


def test_no_pair_is_in_two_pools_and_none_is_lost(lexicon: Lexicon) -> None:
    for table in TABLES:
        whole = {(source, s) for source, surrogates in lexicon.table(table).items() for s in surrogates}
        parts = [
            (source, s) for pool in Pool for source, some in lexicon.for_pool(pool).table(table).items() for s in some
        ]
        assert len(parts) == len(set(parts)), table
        assert set(parts) == whole, table


@pytest.mark.parametrize("pool", Pool)
def test_every_pool_has_sound_alikes_for_most_words(lexicon: Lexicon, pool: Pool) -> None:
    covered = len(lexicon.for_pool(pool).homophones) / len(lexicon.readings)
    assert covered >= (0.35 if pool in (Pool.DEV, Pool.CONTROL) else 0.6)


def test_a_pool_keeps_the_readings_and_is_made_once(lexicon: Lexicon) -> None:
    assert lexicon.for_pool(Pool.DEV).readings == lexicon.readings
    assert lexicon.for_pool(Pool.DEV) is lexicon.for_pool(Pool.DEV)


def test_parts_stand_for_one_character_each(lexicon: Lexicon) -> None:
    tables = (lexicon.splits, lexicon.stacked_splits, lexicon.nested_splits)
    owners = {(parts, source) for table in tables for source, some in table.items() for parts in some}
    assert [parts for parts, n in Counter(parts for parts, _ in owners).items() if n > 1] == []


def test_splits_are_side_by_side_stacked_nested_or_with_whole_characters(lexicon: Lexicon) -> None:
    assert {"扌丁", "手丁"} <= set(lexicon.splits["打"])
    assert lexicon.stacked_splits["章"] == ("立早",)
    assert "讠身寸" in lexicon.nested_splits["谢"]
    assert not set(lexicon.splits) & set(lexicon.stacked_splits)


def test_no_look_alike_has_a_split(lexicon: Lexicon) -> None:
    assert not {s for surrogates in lexicon.glyphs.values() for s in surrogates} & set(lexicon.splits)


def test_variants_share_a_reading_with_their_characters(lexicon: Lexicon) -> None:
    for character, variants in lexicon.variants.items():
        for variant in variants:
            assert sounds_of(character) & sounds_of(variant), f"{character} {variant}"


def test_most_words_of_slang_have_several_codes_and_no_code_is_a_word(lexicon: Lexicon) -> None:
    codes = [code for some in lexicon.slang.values() for code in some]
    assert len(codes) == len(set(codes))
    assert not set(codes) & (set(lexicon.readings) | set(lexicon.slang))
    assert sum(len(some) > 1 for some in lexicon.slang.values()) > 0.9 * len(lexicon.slang)


def test_emoji_are_no_text_and_no_platform_codes(lexicon: Lexicon) -> None:
    codes = {code for profile in load_bank().profiles.values() for code in profile.codes}
    for word, some in lexicon.emoji.items():
        for emoji in some:
            assert not any(c.isascii() or "\u4e00" <= c <= "\u9fff" for c in emoji), word
            assert not any(code in emoji for code in codes), word


def test_nothing_that_may_be_written_looks_like_a_code_or_an_address(lexicon: Lexicon) -> None:
    for table in TABLES:
        for some in lexicon.table(table).values():
            assert not [s for s in some if re.search(r"[\[\]/#().\s]", s)], table


def test_the_longest_word_is_found_first(lexicon: Lexicon) -> None:
    assert lexicon.word_pattern.findall("收到验证码，找客服") == ["收到", "验证码", "客服"]
    assert Lexicon(**{name: {} for name in (*TABLES, "readings")}).word_pattern.search("客服") is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DATA / "lexicon", tmp_path / "lexicon")
    return tmp_path / "lexicon"


def test_a_copied_folder_is_the_same_lexicon(folder: Path, lexicon: Lexicon) -> None:
    assert load_lexicon(folder) == lexicon


def test_what_is_avoided_is_not_written(folder: Path, lexicon: Lexicon) -> None:
    assert "社保" in lexicon.readings
    assert "社保" not in lexicon.initials
    assert not [
        s for some in (lexicon.homophones["中心"], lexicon.near_homophones["中心"]) for s in some if s == "中信"
    ]
    path = folder / "avoided.toml"
    text = path.read_text(encoding="utf-8").replace('"中信 ', '"克 中信 ').replace('"sb ', '"kf sb ')
    path.write_text(text, encoding="utf-8")
    changed = load_lexicon(folder)
    for table in ("homophones", "near_homophones"):
        assert not [s for some in changed.table(table).values() for s in some if "克" in s]
    assert set(lexicon.initials) - set(changed.initials) == {"客服", "开放"}


@pytest.mark.parametrize(
    ("file", "old", "new", "field", "problem"),
    [
        ("words.toml", '"ke4 fu2"', '"ke4"', "words", "'客服' needs one syllable a character"),
        ("words.toml", '"ke4 fu2"', '"ke4 fu"', "words", "each with the digit of its tone"),
        ("sounds.toml", 'ke = "可', 'ke = "可可', "sounds", "'ke' lists a character twice"),
        ("homophones.toml", '"铜城 童城"', '"同"', "homophones", "'同城' needs surrogates of its own length"),
        ("homophones.toml", '"铜城 童城"', '"同城"', "homophones", "'同城' lists itself"),
        ("glyphs.toml", '"己" = "已 巳"', '"己" = "打"', "glyphs", "'打' stands for '己' and has a split"),
        ("glyphs.toml", '"己" = "已 巳"', '"己" = "己"', "glyphs", "'己' lists itself"),
        ("glyphs.toml", '"己" = "已 巳"', '"己" = "已巳"', "glyphs", "must be single characters"),
        ("glyphs.toml", '"己" = "已 巳"', '"己" = ""', "glyphs.己", "at least 1 item"),
        ("glyphs.toml", "[glyphs]", "[shapes]", "glyphs", "Field required"),
        ("glyphs.toml", "[glyphs]", "[glyphs", "", "is not UTF-8 TOML"),
        ("splits.toml", '"打" = "扌丁"', '"打" = "丁"', "side", "'打' must be one character"),
        ("splits.toml", '"打" = "扌丁"', '"打" = "讠丁"', "", "'订' and '打' have the parts '讠丁'"),
        ("variants.toml", '"爱" = "愛"', '"爱" = "爱"', "variants", "'爱' lists itself"),
        (
            "slang.toml",
            '"提现" = "摘果',
            '"提现" = "加水',
            "slang",
            "'加水' stands for '提现' and is a word or another",
        ),
        (
            "slang.toml",
            '"提现" = "摘果',
            '"提现" = "充值',
            "slang",
            "'充值' stands for '提现' and is a word or another",
        ),
        ("emoji.toml", '"书" = "📕 ', '"书" = "📕 📕 ', "emoji", "'书' lists itself or a surrogate twice"),
        ("speech.toml", '"什么" = "啥子 ', '"什么" = "什么 ', "oral", "'什么' lists itself"),
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
        load_lexicon(folder)
    assert (caught.value.path, caught.value.field) == (path, field)
    assert problem in caught.value.problem


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "emoji.toml").unlink()
    with pytest.raises(InputFileError, match=r"emoji\.toml: cannot be read"):
        load_lexicon(folder)
