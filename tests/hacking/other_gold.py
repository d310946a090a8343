"""A split whose gold belongs to other chains, and where gold can be reached from."""

from __future__ import annotations

import functools
import gc
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

from riskchain_gym.benchmark.splits import GOLD, MANIFEST, load_gold, load_manifest, split_dir
from riskchain_gym.protocol.gold import EvidenceAtom, GoldChain, MessageGold, SiteGold
from riskchain_gym.protocol.model import canonical_json

GOLD_TYPES = (GoldChain, MessageGold, SiteGold, EvidenceAtom)


def write_with_other_gold(split: str, folder: Path) -> str:
    """Copy a split and give each chain the gold of another one, of another decision, type and entry.

    Returns:
        The name that ``split=`` takes.
    """
    shutil.copytree(split_dir(split), folder)
    gold = load_gold(split)
    # Sorted by decision and turned by half, every chain meets one of another decision where no decision has more.
    chains = sorted(gold, key=lambda chain: (gold[chain].site.decision, gold[chain].site.violation_type, chain))
    givers = dict(zip(chains, chains[len(chains) // 2 :] + chains[: len(chains) // 2], strict=True))
    assert all(gold[giver].site.decision != gold[chain].site.decision for chain, giver in givers.items())
    rows = [gold[givers[chain]].model_copy(update={"chain_id": chain}) for chain in gold]
    data = "".join(f"{canonical_json(row)}\n" for row in rows).encode()
    (folder / GOLD).write_bytes(data)
    manifest = load_manifest(split)
    hashes = {**manifest.sha256, GOLD: hashlib.sha256(data).hexdigest()}
    (folder / MANIFEST).write_text(manifest.model_copy(update={"sha256": hashes}).model_dump_json(), encoding="utf-8")
    return str(folder)


def reachable(root: object) -> Iterator[object]:
    """Yield whatever can be got hold of from an object by attributes, items and closures, but not by imports."""
    seen: set[int] = set()
    waiting: list[Any] = [root]
    while waiting:
        at = waiting.pop()
        if id(at) in seen or isinstance(at, (ModuleType, type, FrameType, BuiltinFunctionType)):
            continue
        seen.add(id(at))
        yield at
        if isinstance(at, FunctionType):
            waiting += [*(cell.cell_contents for cell in at.__closure__ or ()), *(at.__defaults__ or ())]
        elif isinstance(at, functools.partial):
            waiting += [at.func, *at.args, *at.keywords.values()]
        else:
            waiting += gc.get_referents(at)


def gold_within(root: object) -> list[object]:
    """Return the gold that can be reached from an object."""
    return [each for each in reachable(root) if isinstance(each, GOLD_TYPES)]
