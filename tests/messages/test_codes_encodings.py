"""Codes of the encoding, spelling and order kind: what they show can be read back, and how surely is known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypinyin import lazy_pinyin

from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.ceiling import posterior
from riskchain_gym.messages.datafile import load_toml
from riskchain_gym.messages.entries import EntryStyle, new_entry
from riskchain_gym.messages.plain import Address, AddressKind
from riskchain_gym.messages.stages.base import Context
from riskchain_gym.messages.techniques import (
    decoy_hosts,
    encodings,
    grids,
    interleaved,
    order,
    punycode,
    shifts,
    spelled,
    wrappers,
)
from riskchain_gym.messages.techniques.base import AddressCode, Phase, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.word_files import CueFile, LineFile, SpellingFile, spelling_file
from riskchain_gym.messages.trace import apply, undo
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.gold import Stage
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.protocol.model import Frozen

MODULES = (encodings, punycode, shifts, wrappers, decoy_hosts, spelled, order, grids, interleaved)
TECHNIQUES = tuple(technique for module in MODULES for technique in module.TECHNIQUES)
GRADES = [pytest.param(t, s, id=f"{t.name}@{s}") for t in TECHNIQUES for s in (1, 2, 3)]
AROUND = {"scheme_defang", "port_noise", "path_noise", "userinfo_deception"}
"""Techniques that put something around the address, which stays plain in the middle."""
PARTS = ("kw0p7a", "gt.test", "48213", "κw０p7а，gt。test", "κ0\ufe0f\u20e3w．gt点test", "tset.tg.a7p0wk")
SHAPES = re.compile(r"\[[^\[\]\s]+\]|/(?:[a-z0-9]{1,8}|[\u4e00-\u9fff]{1,4})(?=\s|\Z)|#\([^()\s]+\)")
"""What a client could take for one of its emoji codes."""
EMOJI = re.compile("[\U0001f300-\U0001faff]")
SEEDS = st.integers(0, 2**32)


def code_of(technique: Technique, severity: int) -> AddressCode:
    stage = technique.make(severity)
    assert isinstance(stage, RewriteAddresses)
    return stage.code


def entry_of(seed: int) -> str:
    return new_entry(key_from_seed(seed), "entry", style=EntryStyle.OPEN)


def show(code: AddressCode, text: str, seed: int = 0) -> str:
    pieces = code.write(text, KeyedRandom(key_from_seed(seed), "show", text))
    assert "".join(piece.before for piece in pieces) == text
    return "".join(piece.after for piece in pieces)


@pytest.mark.parametrize(("technique", "severity"), GRADES)
def test_the_entry_is_read_back(technique: Technique, severity: int) -> None:
    code = code_of(technique, severity)

    @settings(deadline=None, max_examples=60)
    @given(SEEDS)
    def check(seed: int) -> None:
        entry = entry_of(seed)
        ranked = posterior(show(code, entry, seed), [code])
        assert 0 < ranked[entry] <= 1
        if technique.reversibility is Reversibility.EXACT:
            assert ranked[entry] >= 0.999

    check()


@pytest.mark.parametrize(
    ("technique", "severity"), [g for g in GRADES if g.values[0].reversibility is Reversibility.AMBIGUOUS]
)
def test_an_ambiguous_code_is_as_sure_as_it_says(technique: Technique, severity: int) -> None:
    code = code_of(technique, severity)
    hits, sureness = [], []
    for seed in range(400):
        best, chance = next(iter(posterior(show(code, entry_of(seed), seed), [code]).items()))
        hits.append(best == entry_of(seed))
        sureness.append(chance)
    assert abs(mean(hits) - mean(sureness)) <= 0.06


@pytest.mark.parametrize(("technique", "severity"), GRADES)
def test_the_plain_address_is_hidden_and_no_emoji_code_appears(technique: Technique, severity: int) -> None:
    code = code_of(technique, severity)
    profiles = load_bank().profiles.values()
    for seed in range(60):
        for text in (entry_of(seed), *PARTS):
            shown = show(code, text, seed)
            for after in ("", " ", "\n"):
                assert not SHAPES.search(shown + after), shown
                assert not any(profile.find(shown + after) for profile in profiles), shown
            assert technique.name == "emoji_letters" or not EMOJI.search(shown), shown
        assert (entry_of(seed) in show(code, entry_of(seed), seed)) is (technique.name in AROUND)


@pytest.mark.parametrize(("technique", "severity"), GRADES)
def test_parts_and_rewritten_addresses(technique: Technique, severity: int) -> None:
    code = code_of(technique, severity)
    for seed in range(20):
        for text in PARTS:
            shown = show(code, text, seed)
            assert code.preimages(shown)[text] > 0
            if code.whole_only or technique.name in ("redirect_wrapper", *AROUND):
                assert len(text) > 9 or shown == text, "a part of a split entry carries no scheme, port or path"


TEXTS = st.text("kwt0719“”.test-:/@=%&\\u#;?x一点第甲，①②□（）()\n κа０🐜🩻\u0336\ufe0f\u200b", min_size=1, max_size=24)


@settings(deadline=None, max_examples=40)
@given(TEXTS, SEEDS)
def test_any_text_is_read_back(text: str, seed: int) -> None:
    for technique in TECHNIQUES:
        for severity in (1, 2, 3):
            code = code_of(technique, severity)
            for source in (text, show(code, entry_of(seed), seed)):
                found = code.preimages(show(code, source, seed))
                assert found.get(source, 0) > 0, (technique.name, severity)
                assert len(found) == 1 or technique.reversibility is Reversibility.AMBIGUOUS


@pytest.mark.parametrize(("technique", "severity"), GRADES)
def test_what_a_code_cannot_have_written_has_no_source(technique: Technique, severity: int) -> None:
    code = code_of(technique, severity)

    @settings(deadline=None, max_examples=25)
    @given(TEXTS, SEEDS, st.floats(0, 1))
    def check(noise: str, seed: int, place: float) -> None:
        shown = show(code, entry_of(seed), seed)
        at = round(place * len(shown))
        for changed in (shown[:at] + noise + shown[at:], shown[:at] + shown[at + 1 :], noise):
            for source, chance in code.preimages(changed).items():
                assert 0 < chance <= 1
                if chance > 0.3:
                    assert any(show(code, source, again) == changed for again in range(60)), (source, changed)

    check()


LIKELY = [g for g in GRADES if g.values[0].name not in ("acrostic", "userinfo_deception", "redirect_wrapper")]


@pytest.mark.parametrize(("technique", "severity"), LIKELY)
def test_likelihoods_are_frequencies(technique: Technique, severity: int) -> None:
    code = code_of(technique, severity)
    large = code.whole_only or technique.name in AROUND
    for source in ("b5.k0.test" if code.whole_only else "b5m4x.kz.test",) if large else ("k0", "a.b"):
        draws = 1200
        seen = Counter(show(code, source, seed) for seed in range(draws))
        chances = {shown: code.preimages(shown)[source] for shown in seen}
        assert sum(chances.values()) <= 1 + 1e-9
        for shown, chance in chances.items():
            spread = (chance * (1 - chance) / draws) ** 0.5
            assert abs(seen[shown] / draws - chance) <= 5 * spread + 3 / draws, shown


def kept(entry: str, shown: str) -> float:
    return -sum((Counter(entry) & Counter(shown)).values())


def length(entry: str, shown: str) -> float:
    return len(shown)


def lines(entry: str, shown: str) -> float:
    return shown.count("\n")


GRADING: dict[str, Callable[[str, str], float]] = {
    "percent_encoding": length,
    "text_escapes": length,
    "punycode": lambda entry, shown: -len(re.sub(r"xn--([a-z0-9]+-)?[a-z0-9]+", r"\1", shown)),
    "port_noise": length,
    "path_noise": length,
    "userinfo_deception": length,
    "redirect_wrapper": length,
    "columns": lines,
    "component_split": lambda entry, shown: shown.count("，"),
}


@pytest.mark.parametrize("name", GRADING)
def test_severities_are_graded(name: str) -> None:
    technique = next(t for t in TECHNIQUES if t.name == name)
    grades = []
    for severity in (1, 2, 3):
        code = code_of(technique, severity)
        shown = [(entry_of(seed), show(code, entry_of(seed), seed)) for seed in range(60)]
        grades.append(mean(GRADING[name](*pair) for pair in shown))
    assert grades[0] < grades[1] < grades[2]


@pytest.mark.parametrize("technique", [t for t in TECHNIQUES if t.name not in GRADING], ids=lambda t: t.name)
def test_each_severity_has_its_own_way(technique: Technique) -> None:
    shown = [{show(code_of(technique, s), entry_of(seed), seed) for seed in range(60)} for s in (1, 2, 3)]
    assert not shown[0] & shown[1]
    assert not shown[1] & shown[2]
    assert not shown[0] & shown[2]


@pytest.mark.parametrize("name", ["verbalized", "emoji_letters"])
def test_a_higher_severity_spells_more_and_in_more_ways(name: str) -> None:
    technique = next(t for t in TECHNIQUES if t.name == name)
    entries = [entry_of(seed) for seed in range(60)]
    shown = [[show(code_of(technique, s), e, i) for i, e in enumerate(entries)] for s in (1, 2, 3)]
    assert mean(map(kept, entries, shown[0])) < mean(map(kept, entries, shown[1]))
    assert len(set("".join(shown[1]))) < len(set("".join(shown[2])))


def test_readings_that_people_can_check() -> None:
    entry = "kw0p7a.gt.test"
    assert show(code_of(_named("reversed_entry"), 3), entry) == "tset.tg.a7p0wk"
    assert show(code_of(_named("verbalized"), 2), entry) == "开达不溜零批七诶点吉踢点踢伊艾斯踢"
    assert show(code_of(_named("columns"), 3), entry) == "\nst7k\nt.aw\n□t.0\n□egp\n"
    assert show(code_of(_named("interleaved_labels"), 3), entry).startswith("kgtwte0spt7a（三段")
    assert show(code_of(_named("base_n"), 3), "kw0p7a") == "b64:a3cwcDdh"
    assert "%6b%77%30%70%37%61" in show(code_of(_named("redirect_wrapper"), 2), entry)


def _named(name: str) -> Technique:
    return next(t for t in TECHNIQUES if t.name == name)


def test_a_stage_rewrites_decoys_and_leaves_parts_where_it_must() -> None:
    text = "先看 kw0p7a 再接 gt.test ，不是 m4rlo2x.oni.test 那个"
    places = (("kw0p7a", AddressKind.FIRST), ("gt.test", AddressKind.REST), ("m4rlo2x.oni.test", AddressKind.DECOY))
    addresses = tuple(Address(text.index(part), text.index(part) + len(part), kind) for part, kind in places)
    bank = load_bank()
    context = Context(addresses, bank.lexicon, next(iter(bank.profiles.values())))
    for technique in TECHNIQUES:
        assert technique.phase is Phase.ENTRY
        for severity in (1, 2, 3):
            rule = technique.make(severity)
            edits = rule(text, context, KeyedRandom(b"key", technique.name))
            stage = Stage(name=rule.name, edits=edits)
            shown = apply(text, stage)
            assert undo(shown, stage) == text
            after = context.after(edits).addresses
            code = code_of(technique, severity)
            for (part, kind), place in zip(places, after, strict=True):
                whole = shown[place.start : place.end]
                assert code.preimages(whole).get(part, 0) > 0 or (code.whole_only and whole == part)
                assert kind is not AddressKind.DECOY or whole != part


def test_the_lists_sound_and_begin_as_they_should() -> None:
    sounds = dict(
        zip("0123456789.", ["ling", "yi", "er", "san", "si", "wu", "liu", "qi", "ba", "jiu", "dian"], strict=True)
    )
    digits = spelling_file("digit_homophones")
    for table in (digits.common, digits.rare):
        assert {c: {lazy_pinyin(w)[0] for w in words} for c, words in table.items()} == {
            c: {sound} for c, sound in sounds.items()
        }
    for letter, words in spelling_file("letter_words").common.items():
        assert {lazy_pinyin(word)[0][0] for word in words} == {letter}
    for letter, words in spelling_file("letter_words_en").common.items():
        assert {word[0] for word in words} == {letter}


@pytest.mark.parametrize(
    ("model", "content", "problem"),
    [
        (SpellingFile, 'common = { a = ["诶"], f = ["诶弗"] }', "opens"),
        (SpellingFile, 'common = { ab = ["诶"] }', "not one character"),
        (CueFile, 'zh = { back = ["倒着读"] }\nen = {}', "parentheses"),
        (CueFile, 'zh = { back = ["（倒着读）", "（倒着读）"] }\nen = {}', "twice"),
        (LineFile, 'lines = ["今天下雨", "下雨"]', "ends"),
        (LineFile, 'lines = ["下雨", "下雨"]', "twice"),
    ],
)
def test_a_list_that_nobody_could_read_back_is_refused(
    tmp_path: Path, model: type[Frozen], content: str, problem: str
) -> None:
    path = tmp_path / "list.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputFileError, match=problem):
        load_toml(path, model)
