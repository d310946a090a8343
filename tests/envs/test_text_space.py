from __future__ import annotations

import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, create_shared_memory, iterate
from hypothesis import given
from hypothesis import strategies as st

from riskchain_gym.envs.spaces import UnicodeText
from riskchain_gym.protocol.errors import ConfigError

pytestmark = pytest.mark.contract


@given(st.text(alphabet=st.characters()))
def test_holds_every_string(text: str) -> None:
    assert text in UnicodeText()


@pytest.mark.parametrize("other", [None, 3, b"bytes", ["a"], np.zeros(2)])
def test_holds_nothing_else(other: object) -> None:
    assert other not in UnicodeText()


def test_samples_are_reproducible_and_in_several_scripts() -> None:
    space = UnicodeText(seed=3)
    samples = [space.sample() for _ in range(200)]
    assert all(sample in space for sample in samples)
    text = "".join(samples)
    assert any("一" <= char <= "鿿" for char in text), "Chinese"
    assert any(ord(char) > 0xFFFF for char in text), "emoji"
    assert "" in samples or min(map(len, samples)) < 5
    space.seed(3)
    assert [space.sample() for _ in range(200)] == samples


def test_equal_to_its_like_and_short_in_print() -> None:
    assert UnicodeText() == UnicodeText(seed=5)
    assert UnicodeText() != gym.spaces.Text(5)
    assert repr(UnicodeText()) == "UnicodeText()"
    assert not UnicodeText().is_np_flattenable
    assert pickle.loads(pickle.dumps(UnicodeText())) == UnicodeText()


def test_masks_are_refused() -> None:
    with pytest.raises(ConfigError, match="without one"):
        UnicodeText().sample(mask=np.ones(3))


def test_json_round_trip() -> None:
    space = UnicodeText()
    samples = ["", "加\u3000微", "😀"]
    assert space.from_jsonable(space.to_jsonable(samples)) == samples


def test_batches_as_a_tuple() -> None:
    space = gym.spaces.Dict({"text": UnicodeText(), "n": gym.spaces.Box(0, 9, (), np.int32)})
    batch = batch_space(space, 3)
    assert isinstance(batch["text"], gym.spaces.Tuple)
    items = [{"text": f"文{i}", "n": np.array(i, np.int32)} for i in range(3)]
    joined = concatenate(space, items, create_empty_array(space, n=3))
    assert joined["text"] == ("文0", "文1", "文2")
    assert joined in batch
    assert list(iterate(batch["text"], joined["text"])) == ["文0", "文1", "文2"]


def test_shared_memory_is_refused_with_what_to_do() -> None:
    space = gym.spaces.Dict({"text": UnicodeText()})
    with pytest.raises(ConfigError, match="shared_memory=False"):
        create_shared_memory(space, n=2)
