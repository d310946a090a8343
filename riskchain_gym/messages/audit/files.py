"""Checks on files and rows: hashes, counts, ids."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from riskchain_gym.messages.audit.folder import AuditedFolder, AuditedSplit, Line
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.rows import ALIGNMENT, GOLD, MANIFEST, row_sha256

_OPAQUE = re.compile(r"[a-z0-9]{12}--v[0-9]{3}")


def check_files(folder: AuditedFolder) -> Findings:
    """Every file has the hash that the manifest pins; no file is missing, unless the folder is a public part."""
    found = Findings("files")
    for name, pin in folder.pins.items():
        for file, expected in pin.sha256.items():
            place = folder.place(name, file)
            if place in folder.sha256:
                found.count += 1
                if folder.sha256[place] != expected:
                    found.add(place, f"hashes to {folder.sha256[place][:12]}…, {MANIFEST} pins {expected[:12]}…")
            elif folder.has_gold:
                found.add(place, f"is missing, {MANIFEST} pins it")
    if not folder.has_gold:
        for name in folder.pins:
            if folder.place(name, ALIGNMENT) in folder.sha256:
                found.add(folder.place(name, ALIGNMENT), "is in a folder without gold, and holds the answers")
    for stray in folder.strays():
        found.add(stray, f"is no file of a build, and nothing in {MANIFEST} pins it")
    for place in sorted(set(folder.sha256) - {folder.place(n, f) for n, p in folder.pins.items() for f in p.sha256}):
        found.add(place, f"is not pinned by {MANIFEST}")
    return found


def check_rows(folder: AuditedFolder) -> Findings:
    """Every row is valid, carries its own right hash, and agrees with its gold on who wrote what where."""
    found = Findings("rows")
    for split in folder.splits:
        _check_lines(found, split, split.inputs, "task_sha256")
        _check_lines(found, split, split.gold or (), "record_sha256")
        _check_lines(found, split, split.alignment or (), "record_sha256")
        for pair in split.pairs:
            row, gold = pair.input, pair.gold
            ids = [message.message_id for message in row.messages]
            if len(set(ids)) != len(ids) or ids != [message.message_id for message in gold.messages]:
                found.add(pair.where, "message ids of input and gold differ, or one comes twice")
            if row.platform != gold.platform:
                found.add(pair.where, f"platform is {row.platform} in the input and {gold.platform} in the gold")
            if gold.sample_id != f"{gold.session_id}--{gold.variant}" or gold.recipe != gold.trace.recipe:
                found.add(pair.where, "sample id, session id and variant, or recipe and trace, disagree in the gold")
    return found


def _check_lines(found: Findings, split: AuditedSplit, lines: Sequence[Line[Any]], name: str) -> None:
    for line in lines:
        found.count += 1
        if line.row is None:
            found.add(f"{split.name} {line.name}", line.problem)
        elif line.raw[name] != (expected := row_sha256(line.raw, name)):
            found.add(f"{split.name} {line.name}", f"{name} is {line.raw[name][:12]}…, the row hashes to {expected}")


def check_ids(folder: AuditedFolder) -> Findings:
    """Sample ids come once over all splits, in sorted order; gold and counts match; a session is in one split."""
    found = Findings("sample ids")
    seen: dict[str, str] = {}
    homes: dict[str, set[str]] = defaultdict(set)
    for split in folder.splits:
        ids = [line.name for line in split.inputs]
        found.count += len(ids)
        for sample_id in ids if not folder.imported else ():
            if not _OPAQUE.fullmatch(sample_id):
                found.add(
                    f"{split.name} {sample_id}", "has not the form of an opaque id, twelve characters and a variant"
                )
        for line in split.inputs if not folder.imported else ():
            for number, message in enumerate(line.row.messages if line.row is not None else (), start=1):
                if message.message_id != f"m{number:03d}":
                    found.add(
                        f"{split.name} {line.name}", f"has the message id '{message.message_id}', not m{number:03d}"
                    )
        for sample_id, times in Counter(ids).items():
            if times > 1 or sample_id in seen:
                found.add(f"{split.name} {sample_id}", f"comes again (first in {seen.get(sample_id, split.name)})")
            seen.setdefault(sample_id, split.name)
            homes[session_of(sample_id)].add(split.name)
        _check_order(found, split.name, ids)
        if split.gold is not None:
            _check_same(found, split.name, ids, [line.name for line in split.gold])
        sessions = len({session_of(sample_id) for sample_id in ids})
        if sessions != folder.pins[split.name].sessions:
            found.add(split.name, f"has {sessions} sessions, {MANIFEST} says {folder.pins[split.name].sessions}")
    for session, splits in homes.items():
        if len(splits) > 1:
            found.add(session, f"is in the splits {', '.join(sorted(splits))}")
    return found


def session_of(sample_id: str) -> str:
    """Return the session id of a sample id."""
    return sample_id.rpartition("--")[0] or sample_id


def _check_order(found: Findings, split: str, ids: Sequence[str]) -> None:
    for before, after in pairwise(ids):
        if after < before:
            found.add(f"{split} {after}", "stands after a higher id: rows are in order of id, which says nothing")
            return


def _check_same(found: Findings, split: str, ids: Sequence[str], gold_ids: Sequence[str]) -> None:
    for sample_id in sorted(set(ids) ^ set(gold_ids)):
        found.add(f"{split} {sample_id}", f"is only in {'the inputs' if sample_id in set(ids) else GOLD}")
    for sample_id, times in Counter(gold_ids).items():
        if times > 1:
            found.add(f"{split} {sample_id}", f"comes {times} times in {GOLD}")
