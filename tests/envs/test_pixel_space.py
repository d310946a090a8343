"""The space of pictures: Gymnasium's own in all but what it weighs."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.passive_env_checker import check_space
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from riskchain_gym.envs.spaces import PixelBox

HEIGHT, WIDTH = 900, 1280
BOX = gym.spaces.Box(0, 255, (HEIGHT, WIDTH, 3), np.uint8)


@pytest.fixture
def space():
    return PixelBox(HEIGHT, WIDTH)


def test_it_is_the_box_of_gymnasium(space):
    assert space == BOX
    assert repr(space) == repr(BOX)
    assert (space.shape, space.dtype) == (BOX.shape, BOX.dtype)
    assert space.is_bounded()
    assert space.is_np_flattenable


def test_it_draws_what_the_box_draws(space):
    space.seed(3), BOX.seed(3)
    drawn = space.sample()
    np.testing.assert_array_equal(drawn, BOX.sample())
    assert space.contains(drawn)
    assert not space.contains(drawn[1:])
    assert not space.contains(drawn.astype(np.int64) + 256)


def test_it_passes_gymnasiums_check_of_spaces(space):
    check_space(space, "observation", lambda *_: None)


def test_it_is_batched_as_the_box_is(space):
    batched = batch_space(space, 2)
    assert batched == batch_space(BOX, 2)
    out = concatenate(space, [space.sample(), space.sample()], create_empty_array(space, 2))
    assert batched.contains(out)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))])
def test_copies_are_equal_and_draw_the_same(space, copied):
    space.seed(5)
    twin = copied(space)
    assert twin == space
    np.testing.assert_array_equal(twin.sample(), space.sample())
    assert twin.high.base is not None, "still a view"
    assert twin.high.base.size == 3


def test_a_space_takes_less_than_a_hundredth_of_a_picture():
    tracemalloc.start()
    try:
        kept = PixelBox(HEIGHT, WIDTH)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < kept.shape[0] * kept.shape[1] * 3 / 100
