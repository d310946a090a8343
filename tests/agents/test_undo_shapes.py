"""What is known of letters' shapes is what messages of ``train`` show, and is what the letters stand for there."""

from __future__ import annotations

from itertools import islice

import pytest

from riskchain_gym.agents.restore.undo.shapes import _SHAPES, letters_of
from riskchain_gym.messages.menu import menu_of
from riskchain_gym.messages.plans import get_plan
from riskchain_gym.messages.splits import sessions_with
from riskchain_gym.messages.techniques.alphabets import alphabet
from riskchain_gym.protocol.keyed import key_from_seed

KEY = key_from_seed(2026)
TECHNIQUES = ("cyrillic_letters", "wide_confusables")


@pytest.fixture(scope="module")
def shown() -> set[str]:
    """The characters of some messages of ``train``."""
    mix = get_plan("train").mix
    menu = menu_of(mix.choice, languages=frozenset({"zh"}), has_address=True, is_whole=True)
    assert menu.names >= {*TECHNIQUES}
    recipes = [f"{name}@{max(mix.severities)}" for name in TECHNIQUES]
    sessions = [s for recipe in recipes for s in islice(sessions_with("train", KEY, recipe), 100)]
    return {char for s in sessions for m in s.variants.values() for part in m.messages for char in part.content}


def test_every_letter_whose_shape_is_known_is_written_in_train(shown: set[str]) -> None:
    assert set(_SHAPES) - shown == set()


def test_letters_are_read_as_what_they_stand_for() -> None:
    forms = {form: letter for name in TECHNIQUES for letter, all_of in alphabet(name, 99).items() for form in all_of}
    assert {form: letters_of(form) for form in _SHAPES} == {form: forms[form] for form in _SHAPES}


def test_of_names_only_those_of_letters_with_an_addition_are_read() -> None:
    assert letters_of("ʈɖʠ٣๗") == "tdq37"
    assert letters_of("ʇꞁꝶꞂᵷᴖ") == "ʇꞁꝶꞂᵷᴖ"
