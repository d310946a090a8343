"""Sessions to look at: made for the purpose, or read from a folder of a build or an import."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

from riskchain_gym.messages.folder import Sample, load_messages
from riskchain_gym.messages.pairs import load_transfer
from riskchain_gym.messages.plans import PLANS, get_plan
from riskchain_gym.messages.rows import GOLD, INPUTS, MANIFEST
from riskchain_gym.messages.splits import iter_sessions, sessions_with
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.gold import MessageGold
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.protocol.message import Message

SEED = 2026
"""The public seed that sessions are made from unless another is given."""

_GENERATED = "messages/"


class ShownSession(NamedTuple):
    """One session.

    Attributes:
        name: Where it is from: split and index, or the session id of a file.
        variants: What an agent may see, by variant.
        gold: What it must restore, with recipes (in its traces) and ceilings by variant; ``None`` without a gold file.
    """

    name: str
    variants: dict[str, Message]
    gold: MessageGold | None


def shown_sessions(
    split: str, *, seed: int | None = None, recipe: str | None = None, start: int = 0
) -> Iterator[ShownSession]:
    """Yield the sessions of a split from one on.

    Args:
        split: Name of a split (``messages/NAME`` as in environments is fine too), or the path of a split's folder in a
            build of messages, or of a transfer set.
        seed: Public seed of a named split, :data:`SEED` by default.
        recipe: Recipe to write a named split with; sessions whose language it does not know are left out.
        start: How many sessions to pass over.

    Raises:
        UnknownNameError: There is no such split.
        ConfigError: The recipe is unknown, a folder is given a seed or a recipe, or nothing comes after ``start``.
        InputFileError: The folder is neither, or a file of it is wrong.
    """
    name = split.removeprefix(_GENERATED)
    if name not in PLANS and ("/" in name or Path(name).exists()):
        for option, value in (("seed", seed), ("recipe", recipe)):
            if value is not None:
                raise ConfigError(f"{option}: the messages in {split} are written already: give a split by name.")
        sessions: Iterator[ShownSession] = islice(_read(Path(split)), start, None)
    else:
        get_plan(name)
        sessions = _made(name, key_from_seed(SEED if seed is None else seed), recipe, start)
    first = next(sessions, None)
    if first is None:
        raise ConfigError(f"start: there is no session {start} in '{split}': give a smaller number.")
    yield first
    yield from sessions


def _made(name: str, key: bytes, recipe: str | None, start: int) -> Iterator[ShownSession]:
    if recipe is None:
        for index, session in enumerate(iter_sessions(name, key, start), start):
            yield ShownSession(f"{name} {index}", session.variants, session.gold)
    else:
        for index, session in islice(enumerate(sessions_with(name, key, recipe)), start, None):
            yield ShownSession(f"{name} {recipe} {index}", session.variants, session.gold)


def _read(folder: Path) -> Iterator[ShownSession]:
    if not folder.is_dir():
        raise InputFileError(folder, "", "is no folder, give that of a message split or of a transfer set")
    if not (folder / INPUTS).is_file():
        found = sorted(path.parent.name for path in folder.glob(f"*/{INPUTS}"))
        problem = f"has no {INPUTS}, give the folder of a message split or of a transfer set"
        if found:
            problem = f"holds several message splits, add the name of one ({', '.join(found)})"
        raise InputFileError(folder, "", problem)
    if (folder / MANIFEST).is_file():
        for sample_id, message, gold in load_transfer(folder):
            yield ShownSession(sample_id.rpartition("--")[0], {sample_id.rpartition("--")[2]: message}, gold)
        return
    samples = load_messages(folder.resolve().parent, folder.resolve().name, gold=(folder / GOLD).is_file())
    for name, group in groupby(samples, key=lambda sample: sample.input.sample_id.rpartition("--")[0]):
        yield _joined(name, list(group))


def _joined(name: str, samples: list[Sample]) -> ShownSession:
    variants = {sample.input.sample_id.rpartition("--")[2]: sample.input.message() for sample in samples}
    golds = [sample.gold for sample in samples if sample.gold is not None]
    if not golds:
        return ShownSession(name, variants, None)
    by_variant = {"traces": {g.variant: g.trace for g in golds}, "ceilings": {g.variant: g.ceiling for g in golds}}
    return ShownSession(name, variants, golds[0].gold().model_copy(update=by_variant))
