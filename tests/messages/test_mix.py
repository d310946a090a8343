"""Recipe mixes: what is drawn is a recipe, of the techniques, sizes and severities that the mix says."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.messages import menu
from riskchain_gym.messages.menu import CARRIERS, Choice
from riskchain_gym.messages.mix import Mix, fixed_recipe, sample_recipe
from riskchain_gym.messages.recipes import CLEAN, PAPER_RECIPES, get_recipe
from riskchain_gym.messages.techniques.base import (
    EN,
    SEVERITIES,
    ZH,
    Language,
    Phase,
    Reversibility,
    RewriteAddresses,
    Technique,
)
from riskchain_gym.messages.techniques.published import TECHNIQUES as PUBLISHED
from riskchain_gym.messages.techniques.registry import get_technique, techniques
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed

KEY = key_from_seed(2026)
PAPER = {technique.name for technique in PUBLISHED}


MIX = Mix()


def draw(number: int, mix: Mix = MIX, languages: frozenset[Language] = ZH, **kind: bool) -> str:
    return sample_recipe(KeyedRandom(KEY, str(number)), mix, languages=languages, **kind)


def parts(recipe: str) -> list[tuple[Technique, int]]:
    steps = [step.split("@") for step in recipe.split("+")]
    return [(get_technique(name), int(severity)) for name, severity in steps]


@given(
    st.integers(0, 10**9),
    st.sampled_from(Choice),
    st.sampled_from([ZH, EN, ZH | EN]),
    st.booleans(),
    st.booleans(),
)
@settings(deadline=None, max_examples=400)
def test_what_is_drawn_is_a_recipe_of_techniques_that_go_together(
    number: int, choice: Choice, languages: frozenset[Language], has_address: bool, is_whole: bool
) -> None:
    mix = Mix(choice)
    try:
        name = draw(number, mix, languages, has_address=has_address, is_whole=is_whole)
    except ConfigError:
        assert choice is Choice.HELD_OUT
        assert not has_address
        return
    recipe, chosen = get_recipe(name), [technique for technique, _ in parts(name)]
    assert languages <= recipe.languages
    assert 1 <= len(chosen) <= 3
    stages = [rule.name for rule in recipe.stages]
    assert len(set(stages)) == len(stages) == len(chosen)
    types = [published for technique in chosen for published in set(technique.types)]
    assert len(set(types)) == len(types)
    phases = Counter(technique.phase for technique in chosen)
    assert phases[Phase.ENTRY] <= (2 if has_address else 0)
    assert phases[Phase.LINES] <= 1
    codes = [rule.code for rule in recipe.stages if isinstance(rule, RewriteAddresses)]
    assert is_whole or not any(code.whole_only for code in codes)
    ambiguous = [t for t in chosen if t.phase is Phase.ENTRY and t.reversibility is not Reversibility.EXACT]
    assert len(codes) <= 1 or not (ambiguous or any(code.whole_only for code in codes))
    held_out = [technique.held_out or technique.name in CARRIERS for technique in chosen]
    assert choice is not Choice.SEEN or not any(technique.held_out for technique in chosen)
    assert choice is not Choice.HELD_OUT or (all(held_out) and any(technique.held_out for technique in chosen))


@pytest.mark.parametrize("choice", Choice)
def test_every_technique_of_the_menu_comes_at_every_severity(choice: Choice) -> None:
    drawn = {part for number in range(6000) for part in parts(draw(number, Mix(choice)))}
    listed = {
        Choice.SEEN: {t for t in techniques() if not t.held_out},
        Choice.HELD_OUT: {t for t in techniques() if t.held_out or t.name in CARRIERS},
        Choice.ANY: set(techniques()),
    }[choice]
    assert drawn == {(t, severity) for t in listed if t.languages >= ZH for severity in SEVERITIES}


def test_carriers_are_techniques_that_training_shows() -> None:
    assert {technique.name for technique in techniques() if not technique.held_out} >= CARRIERS


def test_counts_severities_and_phases_follow_their_weights() -> None:
    mix = Mix(counts={1: 3, 2: 1}, severities={1: 1, 3: 3}, phases={Phase.WORDS: 3, Phase.CODES: 1})
    drawn = [parts(draw(number, mix)) for number in range(2000)]
    assert 0.71 < sum(len(recipe) == 1 for recipe in drawn) / 2000 < 0.79
    severities = Counter(severity for recipe in drawn for _, severity in recipe)
    assert 0.71 < severities[3] / severities.total() < 0.79
    assert severities.keys() == {1, 3}
    alone = Counter(recipe[0][0].phase for recipe in drawn if len(recipe) == 1)
    assert 0.71 < alone[Phase.WORDS] / alone.total() < 0.79
    assert alone.keys() == {Phase.WORDS, Phase.CODES}


def test_a_mix_beyond_the_paper_starts_with_what_the_paper_has_not() -> None:
    mix = Mix(Choice.ANY, first=(Phase.ENTRY,), beyond_paper=True)
    for number in range(500):
        chosen = [technique for technique, _ in parts(draw(number, mix))]
        assert any(t.phase is Phase.ENTRY and t.name not in PAPER for t in chosen)
    assert any(t.name in PAPER for number in range(500) for t, _ in parts(draw(number, mix)))


def test_fixed_recipes_come_as_often_as_the_mix_says() -> None:
    def drawn(is_parity: bool) -> Counter[str | None]:
        mix = Mix(clean=0.25, published=0.4)
        return Counter(fixed_recipe(KeyedRandom(KEY, str(n)), mix, is_parity) for n in range(4000))

    parity, other = drawn(is_parity=True), drawn(is_parity=False)
    assert set(parity) == {CLEAN, None, *PAPER_RECIPES}
    assert all(0.04 < parity[name] / 4000 < 0.06 for name in PAPER_RECIPES)
    assert set(other) == {CLEAN, None}
    assert all(0.23 < counts[CLEAN] / 4000 < 0.27 for counts in (parity, other))


def test_the_same_stream_draws_the_same_recipe() -> None:
    assert [draw(number) for number in range(50)] == [draw(number) for number in range(50)]
    assert len({draw(number) for number in range(50)}) > 40


def test_a_registry_without_a_fitting_technique_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(menu, "SHIPPED", ())
    menu.menu_of.cache_clear()
    try:
        with pytest.raises(ConfigError, match=r"No technique fits a recipe of choice 'seen' on zh \(has_address=True"):
            draw(0)
    finally:
        menu.menu_of.cache_clear()
