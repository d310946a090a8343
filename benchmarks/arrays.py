"""How many steps a second the array environments make, beside the text environment that they stand on.

Usage: python benchmarks/arrays.py [--steps 20000] [--rounds 5] [--only NAME ...] [--ceilings] [--check] [--json]

Every subject is a vector on one core, SAME_STEP, with random actions that may be chosen. Restorations play one split of
messages, and every step of them ends an episode, so that steps are episodes; those that browse play ``mini``. Subjects
take turns, and the median of their rounds is printed, in wall time and in processor time of this process: what else
runs on the machine slows the first, and by its share of the caches the second. Sessions are kept as arrays, so a first
time (``cold``, ms a session: making the message, its candidates or its window, and its gates) is measured apart; rounds
are warm. ``full`` vectors give the whole outcome with every episode instead of the gate's part.

``--ceilings`` prints how often a right action exists (``riskchain_gym.envs.wrappers.ceilings``). ``--check`` ends with
1 unless every bound is kept in processor time; bounds that are missed are named.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.table import Table

import riskchain_gym  # noqa: F401
from riskchain_gym.envs.wrappers.ceilings import candidate_ceiling, edit_ceiling
from riskchain_gym.envs.wrappers.editing import OPERATIONS

SPLIT = "messages/dev"
SPLITS = (
    ("messages/train", 3000),
    ("messages/dev", None),
    ("messages/test", None),
    ("messages/hard", None),
    ("messages/ood", None),
)
RESTORE, SELECT, EDIT = "RiskChainRestore-v0", "RiskChainRestoreSelect-v0", "RiskChainRestoreEdit-v0"
BROWSE, BROWSE_SELECT, CHAIN_SELECT = "RiskChainBrowse-v0", "RiskChainBrowseSelect-v0", "RiskChainSelect-v0"
SITES: dict[str, Any] = {"split": "mini", "backend": "text"}
PEERS = {SELECT: RESTORE, EDIT: RESTORE, BROWSE_SELECT: BROWSE}
_BLOCK = 50
_WARM_STEPS = 5000

Actions = Callable[[Any, Any, np.random.Generator], Any]
"""Draws the actions of a vector: the vector, its last observation, a generator."""


@dataclass
class Subject:
    """What is measured.

    Attributes:
        name: Its name in the table.
        env_id: The environment.
        num_envs: Size of the vector.
        actions: Draws its actions.
        kwargs: Further keyword arguments.
        at_least: Steps a second of processor time that it must make, or ``None``.
        wall: Steps a second of each round, in wall time.
        processor: The same in processor time.
        cold_ms: Milliseconds of processor time a session, the first time.
    """

    name: str
    env_id: str
    num_envs: int
    actions: Actions
    kwargs: dict[str, Any] = field(default_factory=dict)
    at_least: float | None = None
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    cold_ms: float | None = None


def commits(envs: Any, _observation: Any, _rng: np.random.Generator) -> Any:
    return envs.call("sample_action")


def open_rows(_envs: Any, observation: Any, rng: np.random.Generator) -> Any:
    mask = observation["action_mask"]
    return (rng.random(mask.shape) * mask).argmax(axis=1)


def edits(_envs: Any, observation: Any, rng: np.random.Generator) -> Any:
    return rng.integers(OPERATIONS, size=observation["characters"].shape)


SUBJECTS: tuple[Subject, ...] = (
    Subject("restore, text", RESTORE, 64, commits),
    Subject("select", SELECT, 64, open_rows, at_least=20_000),
    Subject("select, full", SELECT, 64, open_rows, {"outcomes": "full"}),
    Subject("edit", EDIT, 64, edits, at_least=20_000),
    Subject("edit, full", EDIT, 64, edits, {"outcomes": "full"}),
    Subject("browse, text", BROWSE, 1, commits, SITES),
    Subject("browse select", BROWSE_SELECT, 1, open_rows, SITES, at_least=2_000),
    Subject("chain select", CHAIN_SELECT, 1, open_rows, SITES),
)
"""What is measured, in the order of the table."""


class Running:
    """A subject's vector, warm."""

    def __init__(self, subject: Subject, split: str) -> None:
        self.subject = subject
        self._rng = np.random.default_rng(0)
        kwargs = {"split": split, **subject.kwargs}
        self._envs: Any = gym.make_vec(
            f"riskchain_gym:{subject.env_id}", subject.num_envs, autoreset_mode="SameStep", **kwargs
        )
        self._observation, _ = self._envs.reset(seed=0)
        if subject.env_id in (SELECT, EDIT):
            self._warm()
        elif subject.env_id != RESTORE:
            for _ in range(_WARM_STEPS // subject.num_envs):
                self._step()

    def _warm(self) -> None:
        """Play until every session is kept, and note what that took a session."""
        plain = type(self._envs)(1, split=SPLIT, order="sequential", autoreset_mode="SameStep")
        plain.reset()
        idle = np.zeros((1, *self._envs.single_action_space.shape), np.int64)
        plain.step(idle)
        began, count = time.process_time(), 200
        for _ in range(count):
            plain.step(idle)
        self.subject.cold_ms = 1000 * (time.process_time() - began) / count
        for _ in range(150):
            self._step()

    def _step(self) -> tuple[float, float]:
        actions = self.subject.actions(self._envs, self._observation, self._rng)
        wall, processor = time.perf_counter(), time.process_time()
        self._observation, *_ = self._envs.step(actions)
        return time.perf_counter() - wall, time.process_time() - processor

    def round(self, steps: int) -> None:
        """Make at least so many steps, a tenth of them where sites are browsed, and note how many a second.

        Drawing actions does not count.
        """
        steps = steps // 10 if self.subject.kwargs is SITES else steps
        each = [self._step() for _ in range(max(steps // self.subject.num_envs, _BLOCK))]
        made = len(each) * self.subject.num_envs
        self.subject.wall.append(made / sum(wall for wall, _ in each))
        self.subject.processor.append(made / sum(processor for _, processor in each))


def measure(subjects: Sequence[Subject], steps: int, rounds: int) -> None:
    running = [Running(subject, SPLIT) for subject in subjects]
    for _ in range(rounds):
        for each in running:
            each.round(steps)


def table(subjects: Sequence[Subject]) -> Table:
    made = Table("vector", "envs", "steps/s", "of processor time", "times the text env", "cold, ms")
    peers = {subject.env_id: subject for subject in subjects}
    for subject in subjects:
        processor = median(subject.processor)
        peer = peers.get(PEERS.get(subject.env_id, ""))
        beside = "" if peer is None else f"{processor / median(peer.processor):.3g}"
        cold = "" if subject.cold_ms is None else f"{subject.cold_ms:.1f}"
        made.add_row(
            subject.name, str(subject.num_envs), f"{median(subject.wall):,.0f}", f"{processor:,.0f}", beside, cold
        )
    return made


def ceilings() -> dict[str, dict[str, float]]:
    return {
        split: {"select": candidate_ceiling(split, most=most).share, "edit": edit_ceiling(split, most=most).share}
        for split, most in SPLITS
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=20_000, help="steps of each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=[subject.name for subject in SUBJECTS])
    parser.add_argument("--ceilings", action="store_true", help="print ceilings instead of speed")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.ceilings:
        found = ceilings()
        if arguments.json:
            print(json.dumps(found))
            return 0
        shown = Table("split", "select", "edit")
        for split, shares in found.items():
            shown.add_row(split, *(f"{100 * share:.1f}" for share in shares.values()))
        Console().print(shown)
        return 0
    subjects = [s for s in SUBJECTS if not arguments.only or s.name in arguments.only]
    measure(subjects, arguments.steps, arguments.rounds)
    missed = [
        f"{s.name}: {median(s.processor):,.0f} steps/s of processor time, at least {s.at_least:,.0f} are wanted"
        for s in subjects
        if s.at_least is not None and median(s.processor) < s.at_least
    ]
    if arguments.json:
        figures = {s.name: {"wall": s.wall, "processor": s.processor, "cold_ms": s.cold_ms} for s in subjects}
        print(json.dumps({"load": os.getloadavg(), "subjects": figures, "missed": missed}))
    else:
        Console().print(table(subjects), f"load {os.getloadavg()[0]:.1f}", *missed, sep="\n")
    return int(arguments.check and bool(missed))


if __name__ == "__main__":
    sys.exit(main())
