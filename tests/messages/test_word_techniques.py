"""Techniques on wording: taken back exactly, addresses whole, graded, and within their pool."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise, product

import pytest

from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.compose import plain_session
from riskchain_gym.messages.entries import EntryStyle
from riskchain_gym.messages.lexicon import TABLES
from riskchain_gym.messages.plain import Address, AddressKind, PlainMessage
from riskchain_gym.messages.pools import Pool, pool_of_pair
from riskchain_gym.messages.recipes import Recipe
from riskchain_gym.messages.stages.base import Context
from riskchain_gym.messages.techniques import glyphs, latin, meaning, phonetic, wording
from riskchain_gym.messages.techniques.base import SEVERITIES, Phase, Technique
from riskchain_gym.messages.techniques.published import TECHNIQUES as PUBLISHED
from riskchain_gym.messages.trace import alignment, apply, reverse
from riskchain_gym.protocol.gold import Edit, Stage, Trace
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.protocol.message import Platform, Surface

KEY = key_from_seed(2026)
TECHNIQUES = {t.name: t for module in (phonetic, glyphs, meaning, wording, latin) for t in module.TECHNIQUES}
TABLE_OF_RULE = {table.removesuffix("s"): table for table in TABLES}
WORDS_ZH = [t for t in TECHNIQUES.values() if t.phase is Phase.WORDS and "zh" in t.languages]

names = pytest.mark.parametrize("name", TECHNIQUES)


@cache
def messages(language: str, pool: Pool | None = None) -> tuple[PlainMessage, ...]:
    """Every third skeleton of a language, as the sender's messages that are more than a few words."""
    skeletons = [s for s in load_bank(pool=pool).skeletons if s.language == language]
    sessions = [
        plain_session(
            KEY, s.name, skeleton=s, platform=Platform.QQ, surface=Surface.COMMENT, style=list(EntryStyle)[i % 2]
        )
        for i, s in enumerate(skeletons[::3])
    ]
    return tuple(m for session in sessions for m in session.messages if m.role == "sender" and len(m.text) > 25)


def context_of(message: PlainMessage, language: str, pool: Pool | None = None) -> Context:
    bank = load_bank(pool=pool)
    return Context(message.addresses, bank.lexicon, bank.profiles[Platform.QQ], "en" if language == "en" else "zh")


def language_of(technique: Technique) -> str:
    return min(technique.languages)


def recipe_of(*parts: tuple[Technique, int]) -> Recipe:
    stages = [t.make(severity) for phase in Phase for t, severity in parts if t.phase is phase]
    return Recipe("+".join(f"{t.name}@{s}" for t, s in parts), "", tuple(stages))


def check(recipe: Recipe, message: PlainMessage, context: Context) -> str:
    """Write a message, check what every recipe owes, and return the disguised text."""
    shown, stages = recipe.write(message.text, context, KEY, message.text)
    assert reverse(shown, Trace(recipe=recipe.name, stages={"m001": stages})) == message.text
    aligned = alignment(message.text, stages)
    assert "".join(a.character for a in aligned) == shown
    assert "".join(a.target for a in aligned) == message.text
    for stage in stages:
        context = context.after(stage.edits)
    for before, after in zip(message.addresses, context.addresses, strict=True):
        assert shown[after.start : after.end] == message.text[before.start : before.end]
    return shown


@names
def test_every_severity_is_taken_back_and_leaves_addresses_alone(name: str) -> None:
    technique = TECHNIQUES[name]
    language = language_of(technique)
    for severity, message in product(SEVERITIES, messages(language)):
        check(recipe_of((technique, severity)), message, context_of(message, language))


@names
def test_severity_grows(name: str) -> None:
    technique = TECHNIQUES[name]
    language = language_of(technique)
    means = []
    for severity in SEVERITIES:
        recipe = recipe_of((technique, severity))
        written = [recipe.write(m.text, context_of(m, language), KEY, m.text) for m in messages(language)]
        means.append(sum(len(stage.edits) for _, stages in written for stage in stages) / len(written))
    assert means[0] > 0
    assert all(low * 1.05 < high for low, high in pairwise(means)), means


@names
@pytest.mark.parametrize("pool", [None, Pool.TRAIN])
def test_most_messages_change_at_severity_2(name: str, pool: Pool | None) -> None:
    technique = TECHNIQUES[name]
    language = language_of(technique)
    recipe = recipe_of((technique, 2))
    some = messages(language, pool) if language == "zh" else messages(language)
    changed = sum(recipe.write(m.text, context_of(m, language, pool), KEY, m.text)[0] != m.text for m in some)
    assert changed >= 0.85 * len(some)


@pytest.mark.parametrize("pool", Pool)
def test_only_pairs_of_the_own_pool_are_written(pool: Pool) -> None:
    for technique in [*WORDS_ZH, *(t for t in PUBLISHED if t.phase is Phase.WORDS)]:
        recipe = recipe_of((technique, 3))
        rules = set()
        for message in messages("zh"):
            _, stages = recipe.write(message.text, context_of(message, "zh", pool), KEY, message.text)
            for edit in (edit for stage in stages for edit in stage.edits):
                rules.add(edit.rule)
                if edit.rule in TABLE_OF_RULE:
                    assert pool_of_pair(edit.before, edit.after) is pool, edit
        assert rules


@names
def test_nothing_written_has_the_shape_of_a_platform_code(name: str) -> None:
    technique = TECHNIQUES[name]
    language = language_of(technique)
    profiles = load_bank().profiles.values()
    for severity, message in product(SEVERITIES, messages(language)):
        context = context_of(message, language)
        edits = technique.make(severity)(message.text, context, KeyedRandom(KEY, message.text))
        assert not [edit for edit in edits if re.search(r"[\[\]/#()]", edit.after)]
        shown = apply(message.text, Stage(name=name, edits=edits))
        assert not [profile.platform for profile in profiles if profile.find(shown)]


def write(name: str, severity: int, text: str, entry: str = "") -> str:
    """Return a text as one technique writes it, with ``entry`` as its address."""
    start = text.index(entry)
    addresses = (Address(start, start + len(entry), AddressKind.ENTRY),) if entry else ()
    message = PlainMessage("m001", "sender", text, addresses)
    language = language_of(TECHNIQUES[name])
    return check(recipe_of((TECHNIQUES[name], severity)), message, context_of(message, language))


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("full_pinyin", "联系客服。", "lianxikefu。"),
        ("tone_digits", "联系客服。", "lian2xi4ke4fu2。"),
        ("pinyin_initials", "客服。", "kf。"),
        ("word_reversal", "联系客服。", "系联服客。"),
        ("vowel_drop", "Contact support, it costs nothing.", "Cntct spprt, it csts nthng."),
        ("spaced_words", "Call us now.", "C a l l us n o w."),
    ],
)
def test_a_rule_writes_what_its_summary_says(name: str, text: str, shown: str) -> None:
    assert write(name, 3, text) == shown


def test_initials_that_are_read_as_a_coarse_word_are_not_written() -> None:
    assert write("pinyin_initials", 3, "社保客服。") == "社保kf。"
    assert write("full_pinyin", 3, "社保。") == "shebao。"


def test_sound_techniques_find_the_longest_word() -> None:
    assert write("full_pinyin", 3, "收到验证码。") == "shoudaoyanzhengma。"


def test_a_reversed_clause_stands_behind_its_cue() -> None:
    shown = write("sentence_reversal", 3, "先看看规则，到 ke3a.xy.test 报名参加，好。", "ke3a.xy.test")
    assert re.fullmatch(r"（[^（）]+）则规看看先，到 ke3a\.xy\.test （[^（）]+）加参名报，好。", shown)


def test_reversing_keeps_emoji_and_marks_whole() -> None:
    assert write("sentence_reversal", 1, "👩\u200d🏫来了☎\ufe0f。").endswith("）☎\ufe0f了来👩\u200d🏫。")


def read_columns(block: str) -> str:
    """Read rows of one length from top to bottom, the rightmost column first."""
    rows = block.split("\n")
    assert len({len(row) for row in rows}) == 1
    text = "".join(row[-1 - i] for i in range(len(rows[0])) for row in rows)
    return text.rstrip("\u3000")


@pytest.mark.parametrize(("severity", "blocks"), [(1, (False, True)), (2, (True, True)), (3, (True, True))])
def test_columns_read_from_right_to_left_around_the_address(severity: int, blocks: tuple[bool, bool]) -> None:
    parts = ("第3场的资料整理好了，到", "就能全部下载，记得早点去。")
    shown = write("columns_text", severity, " ke3a.xy.test ".join(parts), "ke3a.xy.test").split("\nke3a.xy.test\n")
    for part, block, is_block in zip(parts, shown, blocks, strict=True):
        assert ("\n" in block) == is_block
        assert unicodedata.normalize("NFKC", read_columns(block) if is_block else block) == unicodedata.normalize(
            "NFKC", part
        )


def test_short_stretches_stay_rows() -> None:
    shown = write("columns_text", 3, "到 ke3a.xy.test 就能看到全部的资料了。", "ke3a.xy.test")
    assert shown.startswith("到\nke3a.xy.test\n")


def test_letters_between_leave_the_phrase_when_dropped() -> None:
    shown = write("letters_between", 3, "记得去报名参加活动。")
    assert re.search(r"[a-z]", shown)
    assert re.sub(r"[a-z]|（[^（）]+）", "", shown) == "记得去报名参加活动。"


def test_skipping_every_second_character_leaves_the_phrase() -> None:
    cue, phrase = re.fullmatch(r"(（[^（）]+）)(.+)。", write("skip_characters", 3, "记得去报名参加。")).groups()
    assert cue
    assert phrase[::2] == "记得去报名参加"


def test_whitespace_and_punctuation_stand_between_characters_only() -> None:
    for name in ("whitespace_interleaving", "punctuation_interleaving"):
        shown = write(name, 3, "看 ke3a.xy.test，记得报名参加。", "ke3a.xy.test")
        assert shown.startswith("看 ke3a.xy.test，记")
        assert re.fullmatch(r"记[^记]{0,2}得.{0,2}报.{0,2}名.{0,2}参.{0,2}加。", shown.split("，")[1])


def test_homoglyphs_look_latin_and_are_not() -> None:
    shown = write("latin_homoglyphs", 3, "Please contact our support page today.")
    foreign = [c for c in shown if not c.isascii()]
    assert len(foreign) > 10
    assert all(unicodedata.name(c).split()[0] in ("CYRILLIC", "GREEK", "ARMENIAN", "LATIN") for c in foreign)


def test_zero_width_characters_are_all_that_is_added() -> None:
    text = "Please contact our support page today."
    shown = write("zero_width_latin", 3, text)
    assert shown != text
    assert "".join(c for c in shown if unicodedata.category(c) != "Cf") == text


def test_about_a_third_is_held_out_and_names_are_new() -> None:
    held_out = {name for name, technique in TECHNIQUES.items() if technique.held_out}
    assert 0.25 <= len(held_out) / len(TECHNIQUES) <= 0.45
    assert not set(TECHNIQUES) & {t.name for t in PUBLISHED}
    assert {"nested_splits", "emoji_words", "sentence_reversal", "dialect_oral", "vowel_drop"} <= held_out


COMPOSITIONS = [
    ("homophones", "full_pinyin", "few_lines", "platform_codes"),
    ("emoji_words", "sentence_reversal", "noise_symbols"),
    ("dialect_oral", "columns_text", "punctuation_interleaving", "platform_codes"),
    ("vertical", "columns_text", "repeated_characters"),
    ("columns_text", "vertical", "letters_between"),
    ("nested_splits", "traditional", "word_reversal", "whitespace_interleaving", "few_lines"),
    ("missing_characters", "swapped_characters", "skip_characters", "keycap_zero", "dot_surrogate"),
    ("coded_slang", "sound_signs", "sentence_reversal", "columns_text", "repeated_characters"),
    ("leet", "spaced_words", "few_lines"),
    ("vowel_drop", "latin_homoglyphs", "zero_width_latin", "repeated_letters", "vertical"),
]


@pytest.mark.parametrize("names", COMPOSITIONS)
def test_compositions_are_taken_back_too(names: tuple[str, ...]) -> None:
    every = TECHNIQUES | {t.name: t for t in PUBLISHED}
    parts = [(every[name], SEVERITIES[i % 3]) for i, name in enumerate(names)]
    language = "en" if any(technique.languages == {"en"} for technique, _ in parts) else "zh"
    recipe = recipe_of(*parts)
    for message in messages(language):
        shown, stages = recipe.write(message.text, context_of(message, language), KEY, message.text)
        assert reverse(shown, Trace(recipe=recipe.name, stages={"m001": stages})) == message.text


def test_edits_are_in_order_and_do_not_overlap() -> None:
    for technique, severity in product(TECHNIQUES.values(), SEVERITIES):
        language = language_of(technique)
        for message in messages(language)[:40]:
            edits = technique.make(severity)(message.text, context_of(message, language), KeyedRandom(KEY, "order"))
            assert all(one.start + len(one.before) <= two.start for one, two in pairwise(edits)), technique.name
            assert all(isinstance(edit, Edit) and edit.before != edit.after for edit in edits), technique.name
