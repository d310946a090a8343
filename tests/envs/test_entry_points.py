"""Proposers, encoders and reporters of others: a fault of theirs is a sentence that names them everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import browse_array_cases
import numpy as np
import pytest
from array_cases import EDIT, SELECT, SPELLED, make, spelled, vector
from chain_builder import stop_text

from riskchain_gym.envs.wrappers.proposing import CheckedProposer
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

SPLIT = "mini"


def sentences(attempts: tuple[Callable[[], Any], ...], named: str, hint: str) -> None:
    for attempt in attempts:
        with pytest.raises(ConfigError) as caught:
            attempt()
        assert named in str(caught.value)
        assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("fault", "hint"),
    [
        ("nan", "NaN"),
        ("infinite_context", "infinity"),
        ("lists", "no array of floats"),
        ("whole_numbers", "no array of floats"),
        ("int_entries", "no tuple of texts"),
        ("one_name", "feature_names that are no tuple"),
        ("no_entries", "no tuple of texts"),
        ("another_commit", "a commit for row 0 that names an entry"),
        ("abstaining", "does not rank its entry 'a.b.test' first"),
        ("no_commit", "no Commit for row 0 but NoneType"),
        ("raising_commit", "raised ZeroDivisionError (no row today)"),
        ("raising", "raised OSError (no model here)"),
    ],
)
def test_a_faulty_proposer_is_refused_when_an_environment_is_made(fault: str, hint: str) -> None:
    name = f"faulty_entry_points:propose_{fault}"
    whole = browse_array_cases.CHAIN
    attempts = (
        lambda: make(SELECT, split=SPLIT, proposer=name),
        lambda: vector(SELECT, 2, split=SPLIT, proposer=name),
        lambda: browse_array_cases.make(whole, proposer=name, **browse_array_cases.SMALL),
    )
    sentences(attempts, f"proposer: '{name}'", hint)


@pytest.mark.parametrize(
    ("fault", "hint"),
    [("wider_later", "otherwise than"), ("reversed_later", "otherwise than"), ("raising_later", "raised OSError")],
)
def test_a_proposer_is_held_to_what_it_said_first(fault: str, hint: str) -> None:
    name = f"faulty_entry_points:propose_{fault}"
    whole = browse_array_cases.CHAIN
    attempts = (
        make(SELECT, split=SPLIT, proposer=name).reset,
        vector(SELECT, 2, split=SPLIT, proposer=name).reset,
        browse_array_cases.make(whole, proposer=name, **browse_array_cases.SMALL).reset,
    )
    sentences(attempts, f"proposer: '{name}'", hint)


def test_the_cause_is_kept() -> None:
    with pytest.raises(ConfigError) as caught:
        CheckedProposer("faulty_entry_points:propose_raising", 4)
    assert isinstance(caught.value.__cause__, OSError)


def test_what_lies_outside_the_bounds_is_clipped_and_commits_are_the_proposers_own() -> None:
    message = Message(
        platform=Platform.QQ,
        surface=Surface.COMMENT,
        messages=(ChatMessage(message_id="m", content=" ".join(f"a.b{i}.test" for i in range(60))),),
    )
    ours, theirs = CheckedProposer(SPELLED, 60)(message, 60), spelled(message, 60)
    assert theirs.features.max() > 1
    np.testing.assert_array_equal(ours.features, np.clip(theirs.features, -1, 1))
    assert [ours.commit(row) for row in range(61)] == [theirs.commit(row) for row in range(61)]


@pytest.mark.parametrize("candidates", [0, True, "2", 1.5, 1025, 10**6])
def test_candidates_are_a_number_that_can_be_shown(candidates: Any) -> None:
    attempts = (
        lambda: make(SELECT, split=SPLIT, candidates=candidates),
        lambda: vector(SELECT, 2, split=SPLIT, candidates=candidates),
        lambda: browse_array_cases.make(browse_array_cases.CHAIN, candidates=candidates),
    )
    sentences(attempts, "candidates:", "at least 1 and at most 1024")


@pytest.mark.parametrize(
    ("fault", "hint"),
    [
        ("beyond", "ids outside 0 to 0"),
        ("nothing_fits", "the size 0"),
        ("short", "no array of 8 whole numbers"),
        ("floats", "no array of 8 whole numbers"),
        ("length", "called a plane 'length'"),
        ("unsized", "not one size a plane"),
        ("behind", "the start 9 in a text of 8"),
        ("raising", "raised OSError (no table here)"),
    ],
)
def test_a_faulty_encoder_is_refused_when_an_environment_is_made(fault: str, hint: str) -> None:
    name = f"faulty_entry_points:encode_{fault}"
    attempts = (
        lambda: make(EDIT, split=SPLIT, encoder=name),
        lambda: vector(EDIT, 2, split=SPLIT, encoder=name),
    )
    sentences(attempts, f"encoder: '{name}'", hint)


def test_an_encoder_is_held_to_the_sizes_it_gave_first() -> None:
    name = "faulty_entry_points:encode_other_sizes_later"
    sentences(
        (make(EDIT, split=SPLIT, encoder=name).reset, vector(EDIT, 2, split=SPLIT, encoder=name).reset),
        f"encoder: '{name}'",
        "not one size a plane",
    )


def test_an_encoder_of_ones_own_plays() -> None:
    env = make(EDIT, split=SPLIT, encoder="faulty_entry_points:encode_well", window=24)
    observation, _ = env.reset(seed=1)
    assert observation in env.observation_space
    for window in (0, True, 1.5, 10**9):
        with pytest.raises(ConfigError, match="window: give a whole number"):
            make(EDIT, split=SPLIT, window=window)


@pytest.mark.parametrize(
    ("fault", "hint"), [("none", "returned NoneType"), ("raising", "raised OSError (no pen here)")]
)
def test_a_faulty_reporter_is_named_where_it_reports(fault: str, hint: str) -> None:
    name = f"faulty_entry_points:report_{fault}"
    env = browse_array_cases.make(browse_array_cases.BROWSE, reporter=name, **browse_array_cases.SMALL).unwrapped
    env.reset(seed=1)
    stop = env.row_of(stop_text())
    observation, *_ = env.step(stop)
    report = int(np.flatnonzero(observation["action_mask"])[0])
    sentences((lambda: env.step(report),), f"reporter: '{name}'", hint)


@pytest.mark.parametrize("name", [5, None, "json"])
def test_names_of_functions_are_text(name: Any) -> None:
    with pytest.raises(ConfigError, match="module:function"):
        make(SELECT, split=SPLIT, proposer=name)
