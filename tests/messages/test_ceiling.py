"""Ceilings: what an ideal reader can know, and no more."""

from __future__ import annotations

import pytest

from riskchain_gym.messages.bank import load_bank
from riskchain_gym.messages.ceiling import posterior
from riskchain_gym.messages.compose import plain_session
from riskchain_gym.messages.entries import EntryStyle, entry_prior, new_entry
from riskchain_gym.messages.recipes import get_recipe
from riskchain_gym.messages.session import Session, write_session
from riskchain_gym.messages.skeletons import Form
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import Platform, Surface

KEY = key_from_seed(7)


def written(recipe: str, index: int, form: Form = Form.SINGLE) -> Session:
    bank = load_bank()
    skeleton = next(s for s in bank.skeletons if s.form is form and s.language == "zh")
    plain = plain_session(
        KEY, str(index), skeleton=skeleton, platform=Platform.QQ, surface=Surface.COMMENT, style=EntryStyle.OPEN
    )
    return write_session(plain, KEY, str(index), recipes=[recipe], bank=bank)


def ceiling(recipe: str, index: int, form: Form = Form.SINGLE) -> float | None:
    return written(recipe, index, form).gold.ceilings["v000"]


@pytest.mark.parametrize(
    "recipe",
    [
        "clean",
        "homophones@3+platform_codes@3",
        "full_width@3",
        "greek_letters@2+full_width@1+zero_width@3",
        "vertical@1",
    ],
)
def test_what_has_one_source_has_the_ceiling_1(recipe: str) -> None:
    assert all(ceiling(recipe, index) == 1.0 for index in range(40))


def test_a_letter_that_might_have_been_written_over_is_in_doubt_though_it_was_not() -> None:
    untouched = [
        session
        for session in (written("zero_or_o@1", index) for index in range(200))
        if not any(session.gold.traces["v000"].stages.values())
        and set("0o") & set(str(session.gold.entry).split(".")[0])
    ]
    assert untouched
    assert all(0.3 < session.gold.ceilings["v000"] < 1 for session in untouched)


def test_marks_with_one_source_before_an_ambiguous_code_neither_lower_nor_zero_its_ceiling() -> None:
    both = [ceiling("dot_surrogate@3+zero_or_o@2", index) for index in range(200)]
    alone = [ceiling("zero_or_o@2", index) for index in range(200)]
    assert min(both) > 0.05
    assert sum(both) == pytest.approx(sum(alone), rel=0.05)


@pytest.mark.parametrize(
    "recipe", ["keyboard_neighbour@3+ascii_look_alikes@3+dot_spelled@3", "punycode@3+ascii_look_alikes@3"]
)
def test_what_has_no_bound_is_said_not_to_be_computed(recipe: str) -> None:
    assert {ceiling(recipe, index) for index in range(10)} == {None}


def test_the_parts_of_a_split_entry_are_as_doubtful_as_the_whole() -> None:
    split = sum(ceiling("one_or_l@2", index, Form.SPLIT) for index in range(300))
    whole = sum(ceiling("one_or_l@2", index) for index in range(300))
    assert split == pytest.approx(whole, rel=0.07)


def test_the_prior_is_that_of_the_entries_that_are_drawn() -> None:
    entries = [new_entry(KEY, str(i), style=EntryStyle.OPEN) for i in range(4000)]
    assert all(entry_prior(entry) > 0 for entry in entries)
    digits = sum(c.isdigit() for entry in entries for c in entry)
    firsts = sum(len(entry.split(".")[0]) for entry in entries)
    assert digits / firsts == pytest.approx(0.3, abs=0.01)
    assert entry_prior("abcd.ab.test") == entry_prior("abcde.abcde.test") == entry_prior("abcde.ab.text") == 0
    by_length = [sum(len(e.split(".")[1]) == n for e in entries) / 4000 for n in (2, 3, 4)]
    assert by_length == pytest.approx([1 / 3] * 3, abs=0.03)


@pytest.mark.parametrize("style", EntryStyle)
@pytest.mark.parametrize("recipe", ["zero_or_o@2", "one_or_l@2", "lost_dot@2", "ascii_look_alikes@1", "rn_or_m@2"])
@pytest.mark.parametrize("all_marked", [False, True])
def test_the_ceiling_is_how_often_the_likeliest_entry_is_right(
    recipe: str, style: EntryStyle, all_marked: bool
) -> None:
    """Also where messages without a mark are turned down, as splits do."""
    bank = load_bank()
    code = next(c for c in get_recipe(recipe).inverses if c is not None)
    claimed, right = [], []
    for index in range(700):
        plain = plain_session(
            KEY,
            str(index),
            skeleton=bank.parity_skeletons[0],
            platform=Platform.QQ,
            surface=Surface.COMMENT,
            style=style,
        )
        session = write_session(plain, KEY, str(index), recipes=[recipe], bank=bank, all_marked=all_marked)
        if all_marked and not session.gold.traces["v000"].stages["m001"]:
            continue
        before, after = plain.messages[0].text.split(str(plain.entry))
        shown = session.variants["v000"].messages[0].content.removeprefix(before).removesuffix(after)
        sources = posterior(shown, [code], lambda source: entry_prior(source, style))
        if all_marked:
            sources.pop(shown, None)
        claimed.append(session.gold.ceilings["v000"])
        right.append(next(iter(sources)) == plain.entry)
    assert len(claimed) > 60
    assert sum(claimed) / len(claimed) == pytest.approx(sum(right) / len(right), abs=0.06)
