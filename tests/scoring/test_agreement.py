"""Agreement measures: published worked examples, a plain second implementation, and what must hold for any ratings."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskchain_gym.scoring.agreement import (
    UndefinedAgreementError,
    agreement,
    cohens_kappa,
    jensen_shannon,
    krippendorff_alpha,
    percent_agreement,
)

LABELS = ("yes", "no", "cannot_tell")
RATINGS = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([*LABELS, None]), min_size=raters, max_size=raters), min_size=1, max_size=12
    )
)


def columns(*raters: str) -> list[list[str | None]]:
    """Ratings from one string a rater, a character a unit, a dot for a missing label."""
    return [[None if given == "." else given for given in unit] for unit in zip(*raters, strict=True)]


FOUR_OBSERVERS = columns("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def slow_alpha(ratings: list[list[str | None]]) -> float:
    """α = 1 - D_o / D_e, pair by pair, as it is defined."""
    units = [[label for label in unit if label is not None] for unit in ratings]
    units = [unit for unit in units if len(unit) > 1]
    values = [label for unit in units for label in unit]
    n = len(values)
    observed = sum(sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units) / n
    expected = sum(a != b for a, b in permutations(values, 2)) / (n * (n - 1))
    return 1 - observed / expected


def slow_kappa(ratings: list[list[str | None]]) -> float:
    pairs = [(a, b) for a, b in ratings if a is not None and b is not None]
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(first[label] * second[label] for label in first) / len(pairs) ** 2
    return (sum(a == b for a, b in pairs) / len(pairs) - chance) / (1 - chance)


def test_alpha_of_the_published_nominal_example() -> None:
    """Krippendorff (2011), part C: four observers, twelve units, labels missing."""
    assert krippendorff_alpha(FOUR_OBSERVERS) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(FOUR_OBSERVERS) == pytest.approx(slow_alpha(FOUR_OBSERVERS), abs=1e-12)


def test_alpha_of_the_published_binary_example() -> None:
    """Krippendorff (2011), part A: two observers, ten units, two labels."""
    ratings = columns("0100000010", "1110010000")
    assert krippendorff_alpha(ratings) == pytest.approx(0.095, abs=5e-4)
    assert percent_agreement(ratings) == pytest.approx(0.6)


def test_kappa_of_the_textbook_table() -> None:
    """45 and 25 units the raters agree on, 15 and 15 they do not: p_o is 0.7, p_e 0.52."""
    ratings = [["y", "y"]] * 45 + [["y", "n"]] * 15 + [["n", "y"]] * 15 + [["n", "n"]] * 25
    assert cohens_kappa(ratings) == pytest.approx((0.7 - 0.52) / (1 - 0.52))


@settings(max_examples=200, derandomize=True)
@given(RATINGS)
def test_measures_equal_their_definitions(ratings: list[list[str | None]]) -> None:
    paired = [unit for unit in ratings if sum(label is not None for label in unit) > 1]
    values = {label for unit in paired for label in unit if label is not None}
    if len(values) < 2:
        with pytest.raises(UndefinedAgreementError):
            krippendorff_alpha(ratings)
    else:
        assert krippendorff_alpha(ratings) == pytest.approx(slow_alpha(ratings), abs=1e-12)
    pairs = [pair for unit in paired for pair in permutations([x for x in unit if x], 2)]
    if pairs:
        assert percent_agreement(ratings) == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))


@settings(max_examples=200, derandomize=True)
@given(RATINGS, st.randoms(use_true_random=False))
def test_names_of_raters_and_labels_do_not_matter(ratings: list[list[str | None]], rng: random.Random) -> None:
    order = list(range(len(ratings[0])))
    rng.shuffle(order)
    renamed = dict(zip(LABELS, rng.sample(["α", "β", "γ"], 3), strict=True))
    other = [[renamed[unit[i]] if unit[i] is not None else None for i in order] for unit in ratings]  # type: ignore[index]
    rng.shuffle(other)
    for measure in (krippendorff_alpha, percent_agreement):
        try:
            value = measure(ratings)
        except UndefinedAgreementError:
            with pytest.raises(UndefinedAgreementError):
                measure(other)
        else:
            assert measure(other) == pytest.approx(value, abs=1e-12)


@settings(max_examples=100, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=20))
def test_kappa_equals_its_definition_and_is_symmetric(pairs: list[tuple[str, str]]) -> None:
    ratings: list[list[str | None]] = [list(pair) for pair in pairs]
    if len({label for pair in pairs for label in pair}) == 1:
        with pytest.raises(UndefinedAgreementError, match="the same one"):
            cohens_kappa(ratings)
        return
    assert cohens_kappa(ratings) == pytest.approx(slow_kappa(ratings), abs=1e-12)
    assert cohens_kappa([[b, a] for a, b in pairs]) == pytest.approx(slow_kappa(ratings), abs=1e-12)


@settings(max_examples=100, derandomize=True)
@given(st.lists(st.sampled_from(LABELS), min_size=2, max_size=20).filter(lambda labels: len(set(labels)) > 1))
def test_perfect_agreement_is_exactly_one(labels: list[str]) -> None:
    ratings = [[label, label] for label in labels]
    assert krippendorff_alpha([[*unit, unit[0]] for unit in ratings]) == 1
    assert cohens_kappa(ratings) == percent_agreement(ratings) == 1


@pytest.mark.parametrize("ratings", [[], [["yes", None]], [[None, None], [None, "no"]]], ids=["none", "one", "apart"])
def test_nothing_to_compare_is_an_error(ratings: list[list[str | None]]) -> None:
    for measure in (krippendorff_alpha, percent_agreement, cohens_kappa):
        with pytest.raises(UndefinedAgreementError, match="nothing to compare"):
            measure(ratings)


def test_kappa_takes_two_raters_and_units_all_of_the_same_raters() -> None:
    with pytest.raises(ValueError, match="two raters, got 3"):
        cohens_kappa([["a", "b", "c"]])
    with pytest.raises(ValueError, match=r"\[1, 2\] places"):
        krippendorff_alpha([["a"], ["a", "b"]])


def test_intervals_hold_the_value_and_repeat_with_the_seed() -> None:
    rng = random.Random(3)
    ratings = [[label, label if rng.random() < 0.8 else rng.choice(LABELS)] for label in rng.choices(LABELS, k=80)]
    for measure in ("percent", "kappa", "alpha"):
        found = agreement(measure, ratings, seed=5)  # type: ignore[arg-type]
        assert found.low is not None
        assert found.high is not None
        assert found.low < found.value < found.high <= 1
        assert found.units == 80
        assert found == agreement(measure, ratings, seed=5)  # type: ignore[arg-type]
    assert agreement("alpha", ratings, seed=5) != agreement("alpha", ratings, seed=6)


def test_units_of_one_cluster_are_drawn_together() -> None:
    ratings = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "a"]] * 20
    alone = agreement("percent", ratings)
    together = agreement("percent", ratings, clusters=["agreeing", "agreeing", "not", "not"] * 20)
    assert (together.low, together.high) == (0, 1)
    assert alone.low is not None
    assert alone.low > 0.3
    with pytest.raises(ValueError, match="80 units and 1 clusters"):
        agreement("percent", ratings, clusters=["a"])


def test_a_measure_that_most_samples_lack_has_no_interval() -> None:
    ratings = [["a", "a"]] * 60 + [["b", "b"]]
    found = agreement("alpha", ratings)
    assert (found.value, found.low, found.high) == (1, None, None)


def test_one_cluster_has_no_interval() -> None:
    for ratings, clusters in (([["a", "b"]], None), ([["a", "a"], ["b", "b"], ["a", "b"]], ["one"] * 3)):
        found = agreement("kappa", ratings, clusters=clusters)
        assert (found.low, found.high) == (None, None)


def test_jensen_shannon_in_bits() -> None:
    assert jensen_shannon({"a": 3, "b": 1}, {"a": 0.75, "b": 0.25}) == 0
    assert jensen_shannon({"a": 1}, {"b": 5}) == 1
    halves = jensen_shannon({"a": 1}, {"a": 1, "b": 1})
    assert halves == pytest.approx(-(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)) - 0.5)
    assert halves == jensen_shannon({"b": 1, "a": 1}, {"a": 1})


@settings(max_examples=200, derandomize=True)
@given(*[st.dictionaries(st.sampled_from("abcd"), st.floats(0, 100), min_size=1)] * 2)
def test_jensen_shannon_is_a_bounded_symmetric_divergence(first: dict[str, float], second: dict[str, float]) -> None:
    if sum(first.values()) == 0 or sum(second.values()) == 0:
        with pytest.raises(UndefinedAgreementError, match="without any weight"):
            jensen_shannon(first, second)
        return
    assert 0 <= jensen_shannon(first, second) <= 1
    assert jensen_shannon(first, second) == pytest.approx(jensen_shannon(second, first), abs=1e-12)
    assert jensen_shannon(first, first) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_jensen_shannon_refuses_what_is_no_weight(weight: float) -> None:
    with pytest.raises(UndefinedAgreementError, match="The weight of 'a'"):
        jensen_shannon({"a": weight, "b": 1}, {"a": 1})
