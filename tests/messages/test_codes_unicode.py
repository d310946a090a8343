"""Unicode and ambiguous address codes: what they show leads back to the address, with the right probability."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import product
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.ceiling import posterior
from riskchain_gym.messages.entries import EntryStyle, new_entry
from riskchain_gym.messages.plain import Address, AddressKind
from riskchain_gym.messages.recipes import Recipe
from riskchain_gym.messages.stages.base import Context
from riskchain_gym.messages.techniques import ambiguous, controls, dots, letters, numerals
from riskchain_gym.messages.techniques.alphabets import AlphabetFile, alphabet
from riskchain_gym.messages.techniques.base import AddressCode, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.slips import NEIGHBOURS
from riskchain_gym.messages.techniques.substitution import Substitution
from riskchain_gym.messages.trace import apply, undo
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed
from riskchain_gym.protocol.message import Platform

KEY = key_from_seed(41)
MODULES = (letters, controls, ambiguous, numerals, dots)
ALL: dict[str, Technique] = {t.name: t for module in MODULES for t in module.TECHNIQUES}
CODED = [name for name in ALL if name != "zero_width_words"]
ENTRIES = [new_entry(KEY, str(i), style=EntryStyle.OPEN) for i in range(400)]
EXACT = [name for name in CODED if ALL[name].reversibility is Reversibility.EXACT]

# An entry may hold none of the characters that these change; the least share of entries that they do change.
SELDOM = {
    **dict.fromkeys(("chinese_numerals", "financial_numerals", "spoken_digits", "other_digits"), 0.6),
    **dict.fromkeys(("zero_or_o", "one_or_l"), 0.15),
    "rn_or_m": 0.25,
    "ascii_look_alikes": 0.6,
}


def code_of(name: str, severity: int) -> AddressCode:
    stage = ALL[name].make(severity)
    assert isinstance(stage, RewriteAddresses)
    assert stage.name == name
    return stage.code


def write(code: AddressCode, address: str, *label: str) -> str:
    pieces = code.write(address, KeyedRandom(KEY, *label))
    assert "".join(piece.before for piece in pieces) == address
    return "".join(piece.after for piece in pieces)


@cache
def shown_entries(name: str, severity: int) -> tuple[str, ...]:
    code = code_of(name, severity)
    return tuple(write(code, entry, name, str(severity), entry) for entry in ENTRIES)


@pytest.mark.parametrize("severity", [1, 2, 3])
@pytest.mark.parametrize("name", CODED)
def test_the_entry_is_a_preimage_and_the_posterior_is_calibrated(name: str, severity: int) -> None:
    code = code_of(name, severity)
    shown = shown_entries(name, severity)
    assert mean(s != entry for s, entry in zip(shown, ENTRIES, strict=True)) >= SELDOM.get(name, 0.94)
    sure, right = [], []
    for s, entry in zip(shown, ENTRIES, strict=True):
        likelihoods = code.preimages(s)
        assert 0 < likelihoods[entry] <= 1 + 1e-9
        assert len(likelihoods) <= 6000
        best, probability = next(iter(posterior(s, [code]).items()))
        sure.append(probability)
        right.append(best == entry)
    assert mean(sure) == pytest.approx(mean(right), abs=0.06)
    if name in EXACT:
        assert all(right)
        assert min(sure) >= 0.999
    else:
        assert mean(sure) < 0.99


@pytest.mark.parametrize("name", CODED)
def test_severity_touches_more(name: str) -> None:
    touched = []
    for severity in (1, 2, 3):
        code = code_of(name, severity)
        pieces = [code.write(entry, KeyedRandom(KEY, name, str(severity), entry)) for entry in ENTRIES[:200]]
        touched.append(mean(sum(len(p.before) or 1 for p in ps if p.before != p.after) for ps in pieces))
    if name in ("lost_dot", "character_delete"):  # see the next test
        assert touched[0] == touched[1] < touched[2]
    else:
        assert touched[0] < touched[1] < touched[2]


@pytest.mark.parametrize("name", ["lost_dot", "character_delete"])
def test_severity_of_losses_leaves_more_to_choose_from(name: str) -> None:
    choices = []
    for severity in (1, 2, 3):
        code = code_of(name, severity)
        choices.append(mean(len(posterior(s, [code])) for s in shown_entries(name, severity)[:150]))
    assert choices[0] < choices[1] <= choices[2]


@pytest.mark.parametrize("severity", [1, 2, 3])
@pytest.mark.parametrize("name", CODED)
def test_likelihoods_are_the_frequencies_of_what_is_shown(name: str, severity: int) -> None:
    code, address, draws = code_of(name, severity), "mo1l.rn.test", 800
    counts = Counter(write(code, address, "draw", name, str(severity), str(i)) for i in range(draws))
    likelihoods = {shown: code.preimages(shown)[address] for shown in counts}
    assert sum(likelihoods.values()) <= 1 + 1e-9
    for shown, count in counts.items():
        spread = (likelihoods[shown] * (1 - likelihoods[shown]) / draws) ** 0.5
        assert abs(count / draws - likelihoods[shown]) <= 5 * spread + 4 / draws, shown


TEXTS = st.text("amnorvwlcdik01.。а０é①零\u200b\u0336\ufe0f\u202e -O点", min_size=1, max_size=9)


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(CODED), st.sampled_from((1, 2, 3)), TEXTS, st.text("ab", max_size=6))
def test_what_other_codes_wrote_is_a_preimage_too(name: str, severity: int, text: str, label: str) -> None:
    code = code_of(name, severity)
    if code.whole_only:
        return
    source = "x" + text
    assert code.preimages(write(code, source, label))[source] > 0


@pytest.mark.parametrize("first", CODED)
def test_codes_compose(first: str) -> None:
    for number, second in enumerate(CODED):
        codes = [code_of(first, 1 + number % 3), code_of(second, 1 + number % 2)]
        if first == second or codes[1].whole_only:
            continue
        entry = ENTRIES[number]
        between = write(codes[0], entry, first, second)
        found = posterior(write(codes[1], between, second, first), codes, path=[entry, between])
        assert found[entry] > 0
        if first in EXACT and second in EXACT:
            assert found[entry] >= 0.999


def test_no_character_stands_for_two_sources() -> None:
    sources: dict[str, str] = {}
    for name in EXACT:
        if isinstance(code := code_of(name, 3), Substitution):
            for source, forms in code.forms.items():
                for form in forms:
                    assert sources.setdefault(form, source) == source, (name, form)
    assert len(sources) > 1000


def test_an_alphabet_file_with_two_readings_is_refused() -> None:
    with pytest.raises(ValueError, match="'ο' stands for 'a' and for 'o', drop one"):
        AlphabetFile.model_validate({"alphabet": {"one": {"o": "ο"}, "two": {"a": "ο"}}})


def test_shown_addresses_never_look_like_emoji_codes_and_survive_nfc() -> None:
    for name, severity in product(CODED, (1, 2, 3)):
        for shown in shown_entries(name, severity):
            assert not re.search(r"[\[\]/\\\n]|#\(|[\U0001f300-\U0001faff]", shown), shown
            assert unicodedata.normalize("NFC", shown) == shown
            assert shown == shown.strip()


def test_nfkc_folds_compatibility_letters_and_no_look_alike() -> None:
    for name in ("full_width", "mathematical_letters"):
        assert [unicodedata.normalize("NFKC", s) for s in shown_entries(name, 3)] == ENTRIES
    for name in ("cyrillic_letters", "wide_confusables", "rare_scripts"):
        forms = alphabet(name, 99)
        assert not any(unicodedata.normalize("NFKC", f).isascii() for found in forms.values() for f in found)
    assert all(len(forms) >= 4 for forms in alphabet("wide_confusables", 99).values())


def test_held_out_alphabets_are_new_to_who_has_trained() -> None:
    written: dict[bool, set[str]] = {True: set(), False: set()}
    for name in EXACT:
        if name != "spoken_digits":  # 三 is said as it is written
            for shown in shown_entries(name, 3):
                written[ALL[name].held_out] |= {c for c in shown if not c.isascii()}
    assert written[True].isdisjoint(written[False])
    held_out = sum(t.held_out for t in ALL.values())
    assert len(ALL) / 4 <= held_out <= len(ALL) / 2.5


def displayed(stored: str) -> str:
    """What overrides show, left to right: a small display engine of its own."""

    def run(at: int, backwards: bool) -> tuple[str, int]:
        out: list[str] = []
        while at < len(stored) and stored[at] != "\u202c":
            item = stored[at]
            if item in "\u202d\u202e":
                item, at = run(at + 1, item == "\u202e")
            out.append(item)
            at += 1
        return "".join(reversed(out) if backwards else out), at

    return run(0, False)[0]


def test_bidi_overrides_display_the_entry() -> None:
    for severity in (1, 2, 3):
        for shown, entry in zip(shown_entries("bidi_controls", severity), ENTRIES, strict=True):
            assert displayed(shown) == entry
            plain = re.sub("[\u202c-\u202e]", "", shown)
            assert severity < 3 or plain != entry


def test_invisible_marks_alone_stand_between_the_characters() -> None:
    for name, kind in (("zero_width", "Cf"), ("variation_selectors", "Mn")):
        for shown, entry in zip(shown_entries(name, 3), ENTRIES, strict=True):
            assert "".join(c for c in shown if unicodedata.category(c) != kind) == entry
            assert len(shown) == 2 * len(entry) - 1


@pytest.mark.parametrize("severity", [1, 2, 3])
def test_zero_width_words_leave_addresses_alone(severity: int) -> None:
    stage = ALL["zero_width_words"].make(severity)
    bank = load_bank()
    text = "想看今天的安排就打开 m4rlo2x.oni.test 再按页面上的提示一步一步慢慢来"
    start = text.index("m4")
    address = Address(start, start + len("m4rlo2x.oni.test"), AddressKind.ENTRY)
    context = Context((address,), bank.lexicon, bank.profiles[Platform.WEIBO])
    shown, stages = Recipe("any", "Any.", (stage,)).write(text, context, KEY, "words")
    assert "m4rlo2x.oni.test" in shown
    assert (3, 8, 18)[severity - 1] <= len(shown) - len(text) == len(stages[0].edits)
    assert "".join(c for c in shown if unicodedata.category(c) != "Cf") == text


@pytest.mark.parametrize("name", CODED)
def test_stages_edit_inside_the_address_and_can_be_taken_back(name: str) -> None:
    bank = load_bank()
    text = f"打开 {ENTRIES[0]} 看看，不是 {ENTRIES[1]}。"
    starts = [text.index(entry) for entry in ENTRIES[:2]]
    kinds = (AddressKind.ENTRY, AddressKind.DECOY)
    context = Context(
        tuple(Address(s, s + len(e), k) for s, e, k in zip(starts, ENTRIES, kinds, strict=False)),
        bank.lexicon,
        bank.profiles[Platform.WEIBO],
    )
    recipe = Recipe("any", "Any.", (ALL[name].make(3),))
    shown, stages = recipe.write(text, context, KEY, "stage")
    for stage in stages:
        assert undo(apply(text, stage), stage) == text
        after = context.after(stage.edits).addresses
        pieces = [shown[a.start : a.end] for a in after]
        assert text.replace(ENTRIES[0], pieces[0]).replace(ENTRIES[1], pieces[1]) == shown
        assert posterior(pieces[0], [code_of(name, 3)])[ENTRIES[0]] > 0


def ranked(name: str, severity: int, shown: str) -> Sequence[str]:
    return list(posterior(shown, [code_of(name, severity)]))


def test_readings_of_look_alikes() -> None:
    assert set(ranked("zero_or_o", 2, "k0O4x.no.test")) == {
        f"k{a}{b}4x.n{c}.test" for a in "0o" for b in "0o" for c in "o"
    }
    assert set(ranked("one_or_l", 3, "ab|de.hi.test")) == {f"ab{a}de.h{b}.test" for a in "1li" for b in "il"}
    assert ranked("rn_or_m", 1, "bernt7.qq.test")[0] == "bemt7.qq.test"
    assert "bernt7.qq.test" in ranked("rn_or_m", 1, "bernt7.qq.test")
    assert set(ranked("rn_or_m", 1, "vvvabc.qq.test")) == {"vvvabc.qq.test", "wvabc.qq.test", "vwabc.qq.test"}


def test_readings_of_losses_and_slips() -> None:
    assert set(ranked("lost_dot", 2, "abcdefg.test")) == {"abcde.fg.test"}
    assert set(ranked("lost_dot", 3, "abcdefgh4test")) == set()
    assert set(ranked("lost_dot", 1, "abcd5fghtest")) == set()
    assert ranked("lost_dot", 1, "abcd5.ghtest") == ["abcd5.gh.test"]
    assert set(ranked("lost_dot", 3, "abcd5fghtest")) == {"abcd5.fgh.test", "abcd5f.gh.test"}
    assert ranked("character_delete", 1, "abcd5.gh.t□st") == ["abcd5.gh.test"]
    assert len(ranked("character_delete", 1, "ab□d5.gh.test")) == 36
    assert len(ranked("character_delete", 1, "abcd5.□h.test")) == 26
    assert "abcd5.gh.test" in ranked("character_delete", 3, "acd5.gh.tet")
    assert ranked("character_repeat", 1, "abbcde5.gg.test")[0] == "abcde5.gg.test"
    assert set(ranked("character_transpose", 1, "abcd5.gh.test")) >= {"abcd5.gh.test", "bacd5.hg.test", "badc5.gh.test"}
    assert NEIGHBOURS["q"] == "w"
    assert NEIGHBOURS["5"] == "46"
    assert set(ranked("keyboard_neighbour", 1, "qz1mp.gh.test")) == {
        "wz1mp.gh.test",
        "qx1mp.gh.test",
        "qz2mp.gh.test",
        "qz1np.gh.test",
        "qz1mo.gh.test",
    }
