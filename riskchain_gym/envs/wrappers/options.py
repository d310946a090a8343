"""What environments with a masked choice share: the observation, the mask, and what a masked action comes to.

An action is a row of features. Rows that are not there are zeros and masked. Choosing one of them is no exception: it
is sent on as :func:`masked_action`, which every phase of the text environments answers with a strike.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import canonical_json

OptionsObservation = dict[str, NDArray[Any]]
"""``context`` float32 (M,), ``options`` float32 (A, F), ``action_mask`` int8 (A,)."""

LOW, HIGH = -1.0, 1.0
"""Bounds of every feature: whoever makes features scales them so, and what lies outside is clipped."""


def options_space(*, context: int, options: int, features: int) -> spaces.Dict:
    """Return the observation space of an environment with a masked choice.

    Args:
        context: M, the number of context features.
        options: A, the number of rows and of actions.
        features: F, the number of features of a row.

    Returns:
        ``context`` float32 (M,) and ``options`` float32 (A, F), both within -1 and 1, and ``action_mask`` int8 (A,),
        1 where the action may be chosen.
    """
    return spaces.Dict(
        {
            "context": spaces.Box(LOW, HIGH, (context,), np.float32),
            "options": spaces.Box(LOW, HIGH, (options, features), np.float32),
            "action_mask": spaces.Box(0, 1, (options,), np.int8),
        }
    )


def options_observation(
    space: spaces.Dict, context: ArrayLike, rows: ArrayLike, available: ArrayLike | None = None
) -> OptionsObservation:
    """Return an observation; what is given is copied, clipped to the bounds and padded with masked rows of zeros.

    Args:
        space: What :func:`options_space` returned.
        context: The context features, shape (M,).
        rows: The rows that are there, shape (n, F) with n at most A; row i is action i.
        available: Which of them may be chosen, shape (n,); all of them by default. Rows that may not are zeros too.

    Raises:
        ValueError: A shape does not fit the space, or there are more rows than actions.
    """
    most, features = space["options"].shape or (0, 0)
    given = np.asarray(rows, np.float32).reshape(-1, features)
    if (count := len(given)) > most:
        raise ValueError(f"There are {count} rows of options and {most} actions: make the space larger.")
    mask, options = np.zeros(most, np.int8), np.zeros((most, features), np.float32)
    mask[:count] = 1 if available is None else np.asarray(available, np.int8)
    options[:count] = np.clip(given, LOW, HIGH) * mask[:count, None]
    about = np.clip(np.asarray(context, np.float32), LOW, HIGH)
    if about.shape != space["context"].shape:
        raise ValueError(f"The context has shape {about.shape}, the space says {space['context'].shape}.")
    return {"context": about, "options": options, "action_mask": mask}


def chosen(action: object, mask: NDArray[np.int8]) -> int | None:
    """Return the number of the action, or ``None`` for one that is masked, out of range or no whole number.

    Args:
        action: What the agent sent.
        mask: The mask of the observation that it saw, int8 (A,).
    """
    try:
        number = operator.index(action)  # type: ignore[arg-type]
    except TypeError:
        return None
    return number if 0 <= number < len(mask) and mask[number] else None


def each_action(actions: Any, count: int) -> Sequence[Any]:
    """Return the actions of a vector one by one, whatever they are; which of them can be carried out is not asked.

    Args:
        actions: A list, a tuple or an array, one row an environment.
        count: Number of environments.

    Raises:
        ConfigError: There is another number of rows, or none can be told apart.
    """
    rows: Any = actions if isinstance(actions, list | tuple) else np.asarray(actions)
    if isinstance(rows, np.ndarray) and not rows.ndim:
        raise ConfigError(f"A vector takes one action for each of {count} environments, got {shown(actions)}.")
    if len(rows) != count:
        raise ConfigError(f"A vector takes one action for each of {count} environments, got {len(rows)}.")
    return list(rows)


def masked_action(action: object) -> str:
    """Return the text that a masked action is sent on as: in every phase an invalid action, so a strike.

    Args:
        action: What the agent sent.
    """
    try:
        text = str(action)[:40]
    except (ValueError, RecursionError):  # numbers too long to be written, lists in themselves
        text = type(action).__name__[:40]
    return canonical_json({"masked_action": text})


def mask_of(observation: Mapping[str, NDArray[Any]]) -> NDArray[np.int8]:
    """Return the mask of an observation, as ``action_space.sample(mask=...)`` takes it: int8 (A,).

    Args:
        observation: What ``reset`` or ``step`` of a single environment returned.
    """
    return np.asarray(observation["action_mask"], np.int8)
