"""What a proposer makes of a message: ranked readings, each a commit, with the features by which one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.suggest import shown
from riskchain_gym.envs.wrappers.entry_points import EntryPoint
from riskchain_gym.envs.wrappers.options import HIGH, LOW
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

MAX_ENTRIES = 1024
"""Readings with an entry that a proposer can be asked for."""

MESSAGES_COMPARED = 8
"""Messages, behind :data:`PROBE`, of which every commit is made and compared with its entry; later ones when chosen."""

_TAKES = "one takes a message and how many entries there may be, and returns Proposals (envs.wrappers.proposing)."


@dataclass(frozen=True)
class Proposals:
    """The readings of one message, row by row.

    Attributes:
        context: Features of the message, float32 (M,), within -1 and 1, or they are clipped.
        features: Features of each reading, float32 (n, F), likewise.
        entries: The entry that each reading ranks first; ``None`` for one that names none. The first row is that.
        commit: Returns the whole commit of a row: it ranks the row's entry first and does not abstain, or names none
            where the row does. It is asked for every row of the first messages, then only for rows that are chosen.
        context_names: What each context feature is, the same for every message.
        feature_names: What each feature of a reading is, likewise.
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


class CheckedProposer:
    """A proposer of somebody else's, held to what one is to return: for its first messages every commit as well.

    Args:
        name: ``module:function``.
        candidates: How many readings with an entry it may give at most.

    Raises:
        ConfigError: There is no such function, it gives something else, or ``candidates`` is no number from 1 to
            :data:`MAX_ENTRIES`.

    Attributes:
        probe: What it says of :data:`PROBE`.
    """

    def __init__(self, name: str, candidates: int) -> None:
        whole = isinstance(candidates, int) and not isinstance(candidates, bool)
        if not whole or not 1 <= candidates <= MAX_ENTRIES:
            raise ConfigError(
                f"candidates: give a whole number of at least 1 and at most {MAX_ENTRIES}, got {shown(candidates)}."
            )
        self._entry_point = EntryPoint("proposer", name, _TAKES)
        self._compared = 0
        self._names: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self.probe = self(PROBE, candidates)
        self._names = self.probe.context_names, self.probe.feature_names

    def __call__(self, message: Message, limit: int) -> Proposals:
        """Return readings whose shapes go together, features clipped to their bounds, commits to be compared when made.

        Raises:
            ConfigError: The proposer raises or returns something else; the sentence names it.
        """
        said = self._entry_point.call(message, limit)
        if not isinstance(said, Proposals):
            raise self._entry_point.fault(f"is no proposer, it returned {type(said).__name__[:60]}")
        if (problem := _problem(said, limit, self._names)) is not None:
            raise self._entry_point.fault(problem)
        proposals = replace(
            said,
            context=_clipped(said.context),
            features=_clipped(said.features),
            entries=tuple(said.entries),
            commit=partial(self._commit, said),
            context_names=tuple(said.context_names),
            feature_names=tuple(said.feature_names),
        )
        if self._compared <= MESSAGES_COMPARED:
            self._compared += 1
            for row in range(len(proposals.entries)):
                proposals.commit(row)
        return proposals

    def _commit(self, said: Proposals, row: int) -> Commit:
        commit = self._entry_point.guard(said.commit, row)
        if not isinstance(commit, Commit):
            raise self._entry_point.fault(f"gave no Commit for row {row} but {type(commit).__name__[:60]}")
        first = next(iter(commit.entry_candidates), None)
        entry = said.entries[row]
        names_it = first is not None and (first.rank, first.value) == (1, entry) and not commit.abstain
        if not (names_it if entry is not None else first is None):
            raise self._entry_point.fault(
                f"gave a commit for row {row} that does not rank its entry {shown(entry)} first"
                if entry is not None
                else f"gave a commit for row {row} that names an entry, {shown(getattr(first, 'value', None))}"
            )
        return commit


def _clipped(features: NDArray[Any]) -> Floats:
    clipped: Floats = np.clip(features, LOW, HIGH).astype(np.float32)
    return clipped


def _problem(said: Proposals, limit: int, names: tuple[tuple[str, ...], tuple[str, ...]] | None) -> str | None:
    """Return what is wrong with proposals as a clause, or ``None``."""
    for what, each in (("context_names", said.context_names), ("feature_names", said.feature_names)):
        if not isinstance(each, tuple | list) or not all(isinstance(name, str) for name in each):
            return f"gave {what} that are no tuple of texts, {shown(each)}"
    rows = said.entries
    if not isinstance(rows, tuple | list) or not all(entry is None or isinstance(entry, str) for entry in rows):
        return f"gave entries that are no tuple of texts behind a None, {shown(rows)}"
    for name, given in (("context", said.context), ("features", said.features)):
        if not isinstance(given, np.ndarray) or given.dtype.kind != "f":
            return f"gave {name} that is no array of floats, {shown(given)}"
        if not np.isfinite(given).all():
            return f"gave {name} that holds NaN or an infinity"
    wanted = (len(rows), len(said.feature_names))
    if said.features.shape != wanted or said.context.shape != (len(said.context_names),):
        return (
            f"gave features of shape {said.features.shape} for {len(rows)} readings and {len(said.feature_names)} "
            f"names, and {said.context.shape} for {len(said.context_names)} names of the context, which do not agree"
        )
    if names is not None and (tuple(said.context_names), tuple(said.feature_names)) != names:
        return "named its features otherwise than for another message"
    if not rows or rows[0] is not None or None in rows[1:] or len(rows) > limit + 1:
        return (
            f"gave {len(rows)} readings: the first, and only the first, names no entry, and at most {limit} may follow"
        )
    return None
