"""What a proposer makes of a message: ranked readings, each a commit, with the features by which one is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from gymnasium.envs.registration import load_env_creator
from numpy.typing import NDArray

from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import ChatMessage, Message, Platform, Surface

Floats = NDArray[np.float32]

PROBE = Message(
    platform=Platform.QQ,
    surface=Surface.COMMENT,
    messages=(ChatMessage(message_id="m001", content="a.b.test"),),
)
"""What a proposer is asked about first, to learn how many features it gives."""


_TAKES = "one takes a message and how many entries there may be, and returns Proposals (envs.wrappers.proposing)."


@dataclass(frozen=True)
class Proposals:
    """The readings of one message, row by row.

    Attributes:
        context: Features of the message, float32 (M,), within -1 and 1.
        features: Features of each reading, float32 (n, F), within -1 and 1.
        entries: The entry that each reading ranks first; ``None`` for one that names none. The first row is that.
        commit: Returns the whole commit of a row. It is asked only for rows that are chosen.
        context_names: What each context feature is.
        feature_names: What each feature of a reading is.
    """

    context: Floats
    features: Floats
    entries: tuple[str | None, ...]
    commit: Callable[[int], Commit]
    context_names: tuple[str, ...]
    feature_names: tuple[str, ...]


class Proposer(Protocol):
    """Proposes readings of a message: a pure function, which sees the message and nothing else."""

    def __call__(self, message: Message, limit: int) -> Proposals:
        """Return readings, likeliest first, behind the one that names no entry.

        Args:
            message: The message.
            limit: How many readings with an entry there may be at most.
        """
        ...


def load_function(name: str, setting: str) -> Callable[..., Any]:
    """Return what an entry point names.

    Args:
        name: ``module:function``; modules are loaded as Gymnasium loads those of environments.
        setting: The keyword argument that names it, for the error.

    Raises:
        ConfigError: There is no such module or function.
    """
    try:
        found = load_env_creator(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"{setting}: {shown(name, 200)} cannot be loaded ({error}): give 'module:function' of a module that can be "
            "imported here."
        ) from error
    if not callable(found):
        raise ConfigError(f"{setting}: {shown(name, 200)} is no function: name one.")
    return found


def load_proposer(name: str, candidates: int) -> tuple[Proposer, Proposals]:
    """Return a proposer and what it says of :data:`PROBE`.

    Args:
        name: ``module:function``.
        candidates: How many readings with an entry it may give at most.

    Raises:
        ConfigError: There is no such function, it gives something else, or ``candidates`` is no number above 0.
    """
    if not isinstance(candidates, int) or isinstance(candidates, bool) or candidates < 1:
        raise ConfigError(f"candidates: give a whole number of at least 1, got {shown(candidates)}.")
    proposer: Proposer = load_function(name, "proposer")
    try:
        said = proposer(PROBE, candidates)
    except TypeError as error:
        raise ConfigError(f"proposer: {shown(name, 200)} is no proposer ({error}): {_TAKES}") from error
    if not isinstance(said, Proposals):
        raise ConfigError(
            f"proposer: {shown(name, 200)} is no proposer, it returned {type(said).__name__[:60]}: {_TAKES}"
        )
    return proposer, checked(said, candidates)


def checked(proposals: Proposals, candidates: int) -> Proposals:
    """Return proposals whose shapes go together.

    Args:
        proposals: What a proposer returned.
        candidates: How many readings with an entry there may be at most.

    Raises:
        ConfigError: They do not, there are too many, or the first names an entry.
    """
    rows: Sequence[str | None] = proposals.entries
    wanted = (len(rows), len(proposals.feature_names))
    if proposals.features.shape != wanted or proposals.context.shape != (len(proposals.context_names),):
        raise ConfigError(
            f"The proposer gave features of shape {proposals.features.shape} for {len(rows)} readings and "
            f"{len(proposals.feature_names)} names, and {proposals.context.shape} for {len(proposals.context_names)} "
            "names of the context: make them agree."
        )
    if not rows or rows[0] is not None or None in rows[1:] or len(rows) > candidates + 1:
        raise ConfigError(
            f"The proposer gave {len(rows)} readings: the first, and only the first, names no entry, and at most "
            f"{candidates} follow."
        )
    return proposals
