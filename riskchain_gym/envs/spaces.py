"""The spaces of observations that Gymnasium lacks: text of any length and script, and pictures that weigh nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import batch_differing_spaces, create_shared_memory

from riskchain_gym.protocol.errors import ConfigError

_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz0123456789.-/ ",
    "加微信看主页点链接进群领福利，。！",
    "αβγκω０１２ＡＢ\u3000\n",
    "😀🎁🔥➕0️⃣👨‍👩‍👧",
)
"""What samples are drawn from: one of them for each sample."""

_LONGEST_SAMPLE = 64

_BOUNDS = ("low", "high", "bounded_below", "bounded_above")


class UnicodeText(gym.Space[str]):
    """Every ``str``: any code point, any length, the empty string too.

    ``gymnasium.spaces.Text`` needs a finite alphabet and a maximum length, and pads in shared memory; messages and
    pages have neither. Batched, it becomes a ``Tuple`` of itself and a batch is a tuple of strings. Two instances are
    always equal. It has no shape and no dtype, is not flattenable, and refuses shared memory.
    """

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(None, None, seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: text has no fixed length."""
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Draw a short text in one of several scripts, Chinese and emoji among them.

        Args:
            mask: Must be ``None``.
            probability: Must be ``None``.

        Raises:
            ConfigError: A mask was given; text cannot be masked.
        """
        if mask is not None or probability is not None:
            raise ConfigError("UnicodeText cannot be sampled under a mask: call sample() without one.")
        alphabet = _ALPHABETS[int(self.np_random.integers(len(_ALPHABETS)))]
        length = int(self.np_random.integers(_LONGEST_SAMPLE + 1))
        return "".join(alphabet[int(i)] for i in self.np_random.integers(len(alphabet), size=length))

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` is a string."""
        return isinstance(x, str)

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """Return the samples as a list of plain strings."""
        return [str(sample) for sample in sample_n]

    def from_jsonable(self, sample_n: Sequence[str]) -> list[str]:
        """Return the samples of :meth:`to_jsonable`."""
        return list(sample_n)

    def __repr__(self) -> str:
        return "UnicodeText()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText)

    def __hash__(self) -> int:
        return hash(UnicodeText)


def no_shared_memory(*_args: object, **_kwargs: object) -> NoReturn:
    """Refuse shared memory.

    Raises:
        ConfigError: Always.
    """
    raise ConfigError(
        "Observations hold text of any length, which shared memory cannot carry: pass shared_memory=False "
        "(AsyncVectorEnv(..., shared_memory=False), or gym.make_vec(..., vectorization_mode='async', "
        "vector_kwargs={'shared_memory': False}))."
    )


def batch_differing(spaces: Sequence[gym.Space[Any]]) -> gym.spaces.Tuple:
    """Return the space of one value of each of some spaces."""
    return gym.spaces.Tuple(tuple(spaces))


create_shared_memory.register(UnicodeText, no_shared_memory)
batch_differing_spaces.register(UnicodeText, batch_differing)


class PixelBox(gym.spaces.Box):
    """RGB pictures, uint8 of shape (height, width, 3).

    It equals ``Box(0, 255, (height, width, 3), np.uint8)``. That would hold four arrays of the size of a picture, 14 MB
    for a screenshot, and fill two of 28 MB on the way; here each bound is a read-only view of one pixel, in copies too.

    Args:
        height: Height in pixels.
        width: Width in pixels.
        seed: Seed of the samples.
    """

    def __init__(self, height: int, width: int, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(0, 255, (1, 1, 3), np.uint8, seed)
        self._widen((height, width, 3))

    def _widen(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        for name in _BOUNDS:
            setattr(self, name, np.broadcast_to(getattr(self, name)[:1, :1], shape))

    def __getstate__(self) -> dict[str, Any]:
        """Return what copies are made from: one pixel of each bound."""
        return {**vars(self), **{name: getattr(self, name)[:1, :1].copy() for name in _BOUNDS}}

    def __setstate__(self, state: Iterable[tuple[str, Any]] | Mapping[str, Any]) -> None:
        """Take over what :meth:`__getstate__` returned."""
        super().__setstate__(state)
        assert self._shape is not None, "__init__ sets it"
        self._widen(self._shape)
