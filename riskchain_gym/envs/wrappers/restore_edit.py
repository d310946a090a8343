"""``RiskChainRestoreEdit-v0``: edit a window of a message into its entry, character by character."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from riskchain_gym.envs.chain_env import RiskChainRestoreEnv
from riskchain_gym.envs.wrappers.editing import (
    ENTRY_CHARACTERS,
    OPERATIONS,
    Encoder,
    Window,
    commit_of,
    edit_of,
    edited,
    load_encoder,
    open_window,
)
from riskchain_gym.envs.wrappers.options import each_action, masked_action
from riskchain_gym.envs.wrappers.over_restore import OverRestoreEnv
from riskchain_gym.envs.wrappers.restoration import Task
from riskchain_gym.envs.wrappers.restore_vector import Arrays, Mask, RestoreVectorEnv, Verdict
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.message import Message

ENV_ID = "RiskChainRestoreEdit-v0"
ENCODER = "riskchain_gym.agents.restore.windows:encode"
"""The encoder by default."""

WIDTH = 96
"""Characters of a window by default."""


def edit_space(sizes: Mapping[str, int], width: int) -> spaces.Dict:
    """Return the observation space.

    Args:
        sizes: For each plane one more than its largest id.
        width: W.

    Returns:
        Each plane int32 (W,), ids from 0, which is padding; ``length`` int32 (1,), the characters that are there;
        ``strikes`` float32 (1,), as a share of those that end the phase.
    """
    planes = {name: spaces.Box(0, size - 1, (width,), np.int32) for name, size in sizes.items()}
    rest = {"length": spaces.Box(0, width, (1,), np.int32), "strikes": spaces.Box(0.0, 1.0, (1,), np.float32)}
    return spaces.Dict({**planes, **rest})


class RiskChainRestoreEditEnv(OverRestoreEnv[Window]):
    """One message; the action keeps, drops or maps every character of a window of it, and that ends the episode.

    What the window holds then is the entry that is committed, with ``.test`` behind it unless it ends so; a window of
    which nothing is left commits that there is none. Actions on padding mean nothing. An action outside the action
    space is a strike.

    Args:
        window: W, how many characters of a message can be edited, at most 16,384.
        encoder: Who places the window and encodes its characters, ``module:function``; it sees the text and nothing
            else.
        pool: How many sessions are kept as arrays, and of a split without end how many episodes are drawn from.
        kwargs: Keyword arguments of ``RiskChainRestore-v0``.

    Raises:
        ConfigError: An argument is unknown or bad, or the encoder cannot be loaded.

    Attributes:
        entry_characters: What a character can be mapped to: action 2 + i on it makes it character i.
    """

    env_id = ENV_ID
    text_class = RiskChainRestoreEnv
    own: ClassVar[tuple[str, ...]] = ("window", "encoder", "pool")
    entry_characters = ENTRY_CHARACTERS

    def __init__(self, *, window: int = WIDTH, encoder: str = ENCODER, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._encoder, sizes = load_encoder(encoder, window)
        self._width = window
        self.observation_space: spaces.Dict = edit_space(sizes, window)
        self.action_space: spaces.MultiDiscrete = spaces.MultiDiscrete([OPERATIONS] * window)

    def make_sheet(self, message: Message) -> Window:
        """Return the window of a message."""
        return open_window(message, self._encoder, self._width)

    def show(self, strikes: float) -> dict[str, NDArray[Any]]:
        """Return the observation."""
        window = self.sheet
        return {
            **{name: ids.copy() for name, ids in window.planes.items()},
            "length": np.array([window.length], np.int32),
            "strikes": np.array([strikes], np.float32),
        }

    def written(self, action: Any) -> str:
        """Return the text of the commit that an edit makes."""
        window, edit = self.sheet, edit_of(action, self._width)
        return masked_action("edit") if edit is None else commit_of(window, edit).model_dump_json()


class RestoreEditVectorEnv(RestoreVectorEnv[Window]):
    """A vector of :class:`RiskChainRestoreEditEnv`.

    Args:
        num_envs: How many environments.
        window: As for a single environment.
        encoder: As for a single environment.
        kwargs: Keyword arguments of :class:`~riskchain_gym.envs.wrappers.restore_vector.RestoreVectorEnv`.

    Raises:
        ConfigError: As a single environment does.
    """

    env_id = ENV_ID
    own: ClassVar[tuple[str, ...]] = ("window", "encoder", "outcomes", "pool")
    entry_characters = ENTRY_CHARACTERS

    def __init__(self, num_envs: int, *, window: int = WIDTH, encoder: str = ENCODER, **kwargs: Any) -> None:
        super().__init__(num_envs, **kwargs)
        self._encoder: Encoder
        self._encoder, sizes = load_encoder(encoder, window)
        self._width = window
        self._set_spaces(edit_space(sizes, window), spaces.MultiDiscrete([OPERATIONS] * window))
        self._codes = np.zeros((num_envs, window), np.uint32)
        self._planes = {name: np.zeros((num_envs, window), np.int32) for name in sizes}
        self._lengths = np.zeros((num_envs, 1), np.int32)

    def _make(self, task: Task) -> Window:
        return open_window(task.message, self._encoder, self._width)

    def _show(self, place: int, sheet: Window) -> None:
        self._codes[place] = sheet.codes
        self._lengths[place] = sheet.length
        for name, ids in sheet.planes.items():
            self._planes[name][place] = ids

    def _observe(self, strikes: NDArray[np.float32]) -> Arrays:
        planes = {name: ids.copy() for name, ids in self._planes.items()}
        return {**planes, "length": self._lengths.copy(), "strikes": strikes[:, None]}

    def _read(self, actions: Any) -> tuple[NDArray[np.int64], Mask]:
        if isinstance(actions, np.ndarray) and actions.shape == self._codes.shape and actions.dtype.kind in "iu":
            legal: Mask = np.all((actions >= 0) & (actions < OPERATIONS), axis=1)
            return actions.astype(np.int64, copy=False), legal
        edits = [edit_of(action, self._width) for action in each_action(actions, self.num_envs)]
        nothing = np.zeros(self._width, np.int64)
        read = np.stack([nothing if edit is None else edit for edit in edits])
        return read, np.array([edit is not None for edit in edits], np.bool_)

    def _carry_out(self, places: NDArray[np.int64], actions: NDArray[np.int64]) -> list[Verdict]:
        verdicts = []
        for place, entry in zip(places, edited(self._codes[places], actions), strict=True):
            task = self._at(int(place))[0]
            gate = task.gate(entry) if task.has_gold else None
            verdicts.append(Verdict(task.pay(gate is not None and gate.passed), gate))
        return verdicts

    def _commit(self, place: int, action: Any) -> Commit:
        return commit_of(self._at(place)[1], np.asarray(action, np.int64))
