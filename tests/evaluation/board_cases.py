"""Runs for a board, made by hand out of others: on a split that counts as sealed and is no larger than they are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from run_cases import remade, sent, trajectories

from riskchain_gym.benchmark.splits import GOLD, PUBLIC, load_manifest, split_dir
from riskchain_gym.evaluation.controls import ControlRow
from riskchain_gym.evaluation.leaderboard.board import Entry, Section
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.trajectory import Trajectory


def sealed(
    path: Path,
    like: RunFolder,
    episodes: Iterable[Trajectory] | None = None,
    *,
    freeze: bool = True,
    honest: bool = True,
    **manifest: object,
) -> RunFolder:
    """A frozen run on a sealed split beside it, which has no more chains than the run that it is made of.

    Its episodes keep the protocol, unless it is not honest.
    """
    split = small_split(path.parent / "splits" / "test", like.manifest.chains)
    told = {"agent_kind": "baseline", **split, **manifest}
    played = trajectories(like) if episodes is None else episodes
    made = remade(path, like, [(sent(t) if honest else t, {}) for t in played], **told)
    if freeze:
        made.freeze()
    return made


def small_split(folder: Path, chains: Sequence[str], origin: str = "sealed") -> dict[str, object]:
    """Write a split of some of mini's chains; return how a run's manifest names it."""
    folder.mkdir(parents=True, exist_ok=True)
    hashes: dict[str, str] = {}
    for name in (PUBLIC, GOLD):
        lines = (split_dir("mini") / name).read_text(encoding="utf-8").splitlines(keepends=True)
        data = "".join(line for line in lines if json.loads(line)["chain_id"] in chains).encode()
        (folder / name).write_bytes(data)
        hashes[name] = hashlib.sha256(data).hexdigest()
    changes = {"split": folder.name, "origin": origin, "seed": None, "chains": len(chains), "sha256": hashes}
    manifest = load_manifest("mini").model_copy(update=changes)
    (folder / "manifest.json").write_text(manifest.model_dump_json(), encoding="utf-8")
    return {"split": str(folder), "split_sha256": hashes[PUBLIC], "split_chains": len(chains), "origin": origin}


def mini_of(run: RunFolder) -> dict[str, object]:
    """Return how the manifest of a run on mini names its split."""
    told = run.manifest
    return {"split": told.split, "split_sha256": told.split_sha256, "split_chains": told.split_chains, "origin": "open"}


def no_controls(*_: object) -> list[ControlRow]:
    """What stands for the computed rows where a test is not about them: to play them takes seconds."""
    return []


def entry(section: Section, name: str) -> Entry:
    (found,) = (each for each in section.entries if each.name == name)
    return found
