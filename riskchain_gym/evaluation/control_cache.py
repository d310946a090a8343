"""What the agents of control rows came to, kept between reports: it depends on split and program alone.

Nothing that is printed depends on whether it was kept.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from riskchain_gym.benchmark.splits import load_manifest
from riskchain_gym.protocol.content import ContentFolder, content_dir
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import Frozen, sha256_of
from riskchain_gym.protocol.outcome import Outcome

VARIABLE = "RISKCHAIN_CACHE"
"""Environment variable: the folder for what can be computed again, or ``off``."""

OFF = "off"
_READ: tuple[ContentFolder, ...] = ("envs", "baselines")
_CONTENT = "_content"
_SOURCES = frozenset({".py", ".toml", ".json", ".jsonl", ".txt", ".tsv", ".yaml"})


class _Kept(Frozen):
    """An entry: the outcomes by chain id that are known so far, under the hash of all they depend on."""

    schema_version: Literal["riskchain-controls/v1"] = "riskchain-controls/v1"
    key: str
    sha256: str
    outcomes: tuple[Outcome, ...]


def kept_outcomes(
    agent: str, split: str, chains: Sequence[str], play: Callable[[Sequence[str]], Iterable[Outcome]]
) -> list[Outcome]:
    """Return the outcomes of an agent on some chains of a split; only those that are not kept are played.

    An entry that cannot be read, is of another version of split or program, or was damaged counts as absent. Of a
    sealed split nothing is kept, as outcomes tell the gold.

    Args:
        agent: An agent that comes to the same each time.
        split: Name or path of the split.
        chains: The chains.
        play: Plays and scores the agent on chains.

    Raises:
        UnknownNameError: There is no such split.
    """
    path, key = _place(agent, split)
    known = {} if path is None else _read(path, key)
    missing = [chain for chain in chains if chain not in known]
    if missing:
        known |= {outcome.chain_id: outcome for outcome in play(missing)}
        if path is not None:
            # A cache that cannot be written to costs time, and nothing else.
            with suppress(OSError):
                _write(path, key, (each for each in known.values() if each.status is not EpisodeStatus.INFRA_ERROR))
    return [known[chain] for chain in chains if chain in known]


def cache_folder() -> Path | None:
    """Return the folder for what can be computed again; ``None`` where there is to be none.

    It is the one that :data:`VARIABLE` names, else ``riskchain-gym`` in ``XDG_CACHE_HOME`` or ``~/.cache``.
    """
    told = os.environ.get(VARIABLE, "")
    if told == OFF:
        return None
    if told:
        return Path(told)
    home = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "riskchain-gym"
    except RuntimeError:
        return None


def _place(agent: str, split: str) -> tuple[Path | None, str]:
    """Return the file of an agent on a split, and the key of what it must hold: another program's is replaced."""
    manifest, folder = load_manifest(split), cache_folder()
    named = sha256_of({"agent": agent, "split": manifest.sha256})
    path = None if folder is None or manifest.origin == "sealed" else folder / "controls" / f"{named}.json"
    return path, sha256_of({"kept": named, "program": _program()})


@cache
def _program() -> str:
    """Return the hash of all that an outcome depends on beside the split: every source file, and what agents read."""
    package = Path(__file__).resolve().parents[1]
    content = [path for name in _READ for path in content_dir(name).rglob("*")]
    sources = [path for path in package.rglob("*") if _CONTENT not in path.relative_to(package).parts]
    return sha256_of(
        sorted(
            (path.name, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in (*sources, *content)
            if path.suffix in _SOURCES and path.is_file()
        )
    )


def _read(path: Path, key: str) -> dict[str, Outcome]:
    try:
        kept = _Kept.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return {}
    if kept.key != key or kept.sha256 != _digest(kept.outcomes):
        return {}
    return {outcome.chain_id: outcome for outcome in kept.outcomes}


def _write(path: Path, key: str, outcomes: Iterable[Outcome]) -> None:
    ordered = tuple(sorted(outcomes, key=lambda outcome: outcome.chain_id))
    kept = _Kept(key=key, sha256=_digest(ordered), outcomes=ordered)
    write_atomically(path, kept.model_dump_json().encode() + b"\n", private=True)


def _digest(outcomes: Iterable[Outcome]) -> str:
    return sha256_of([outcome.model_dump(mode="json") for outcome in outcomes])
