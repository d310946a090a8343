"""The space of browsergym-core's observations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import batch_differing_spaces, create_shared_memory

from riskchain_gym.envs.spaces import UnicodeText, batch_differing, no_shared_memory
from riskchain_gym.protocol.errors import ConfigError

_TEXTS = frozenset({"goal", "url", "focused_element_bid", "last_action", "last_action_error"})
_TUPLES = frozenset({"chat_messages", "goal_object", "open_pages_urls", "open_pages_titles"})
_DICTS = frozenset({"dom_object", "axtree_object", "extra_element_properties"})
_ARRAYS = frozenset({"active_page_index", "screenshot", "elapsed_time"})

KEYS: frozenset[str] = _TEXTS | _TUPLES | _DICTS | _ARRAYS
"""The keys of browsergym-core's standard observation."""


class BrowsergymObservation(gym.Space[dict[str, Any]]):
    """Every dict with the keys and kinds of values of browsergym-core's standard observation.

    Documents and trees are of any size, so it has no shape and no dtype, is not flattenable, and refuses shared memory.

    Args:
        width: Width of the screenshot in pixels.
        height: Height of the screenshot in pixels.
        seed: Seed of the samples.
    """

    def __init__(self, width: int, height: int, seed: int | None = None) -> None:
        self.width, self.height = width, height
        super().__init__(None, None, seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: documents have no fixed size."""
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> dict[str, Any]:
        """Draw a value with random texts and a random picture, and with empty documents.

        Args:
            mask: Must be ``None``.
            probability: Must be ``None``.

        Raises:
            ConfigError: A mask was given.
        """
        if mask is not None or probability is not None:
            raise ConfigError("BrowsergymObservation cannot be sampled under a mask: call sample() without one.")
        text = UnicodeText(int(self.np_random.integers(2**31)))
        drawn: dict[str, Any] = {name: text.sample() for name in sorted(_TEXTS)}
        drawn |= dict.fromkeys(_TUPLES, ()) | {name: {} for name in _DICTS}
        picture = self.np_random.integers(0, 256, (self.height, self.width, 3), np.uint8)
        return {**drawn, "screenshot": picture, "active_page_index": np.array([0]), "elapsed_time": np.array([0.0])}

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` has exactly the keys, each with a value of its kind."""
        return (
            isinstance(x, dict)
            and x.keys() == KEYS
            and all(isinstance(x[name], str) for name in _TEXTS)
            and all(isinstance(x[name], tuple) for name in _TUPLES)
            and all(isinstance(x[name], dict) for name in _DICTS)
            and all(isinstance(x[name], np.ndarray) for name in _ARRAYS)
            and x["screenshot"].shape == (self.height, self.width, 3)
            and x["screenshot"].dtype == np.uint8
        )

    def to_jsonable(self, sample_n: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the samples with arrays and tuples as lists."""
        return [
            {
                name: value.tolist() if isinstance(value, np.ndarray) else list(value) if name in _TUPLES else value
                for name, value in sample.items()
            }
            for sample in sample_n
        ]

    def from_jsonable(self, sample_n: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the samples of :meth:`to_jsonable`."""

        def read(name: str, value: Any) -> Any:
            if name in _ARRAYS:
                return np.array(value, np.uint8 if name == "screenshot" else None)
            return tuple(value) if name in _TUPLES else value

        return [{name: read(name, value) for name, value in sample.items()} for sample in sample_n]

    def __repr__(self) -> str:
        return f"BrowsergymObservation({self.width}, {self.height})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BrowsergymObservation) and (self.width, self.height) == (other.width, other.height)

    def __hash__(self) -> int:
        return hash((BrowsergymObservation, self.width, self.height))


create_shared_memory.register(BrowsergymObservation, no_shared_memory)
batch_differing_spaces.register(BrowsergymObservation, batch_differing)
