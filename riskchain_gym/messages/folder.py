"""A built folder of message splits: reading it, with every hash checked."""

from __future__ import annotations

import hashlib
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple, TypeVar

from riskchain_gym.messages.alignment import AlignmentRow
from riskchain_gym.messages.json_lines import parse_object, parse_row, read_lines
from riskchain_gym.messages.plans import PLANS
from riskchain_gym.messages.rows import (
    ALIGNMENT,
    GOLD,
    INPUTS,
    MANIFEST,
    GoldRow,
    InputRow,
    MessagesManifest,
    row_sha256,
)
from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.protocol.invalid import read_model

ROW_FILES = (INPUTS, GOLD, ALIGNMENT)
"""Names of the files in the folder of a split."""

Row = TypeVar("Row", InputRow, GoldRow, AlignmentRow)


class Sample(NamedTuple):
    """One message task of a split.

    Attributes:
        input: What a model may see (and the sample id, which it may not).
        gold: What only an evaluator may see, or ``None`` where it was not asked for.
    """

    input: InputRow
    gold: GoldRow | None


def load_manifest(folder: Path) -> MessagesManifest:
    """Return the manifest of a built folder.

    Raises:
        InputFileError: It is missing or malformed.
    """
    return read_model(folder / MANIFEST, MessagesManifest, "give a folder that `riskchain build messages` wrote")


def load_messages(folder: Path, split: str, *, gold: bool) -> tuple[Sample, ...]:
    """Return the samples of a split, sorted by sample id.

    Args:
        folder: A folder that ``riskchain build messages`` wrote.
        split: Name of the split.
        gold: Whether to read the gold too; without it no gold file is opened.

    Raises:
        UnknownNameError: The folder has no such split.
        InputFileError: A file is missing or malformed, a hash is wrong, or gold and inputs do not belong together.
    """
    inputs = _read(folder, split, INPUTS, InputRow, "task_sha256")
    if not gold:
        return tuple(Sample(row, None) for row in inputs)
    golds = _read(folder, split, GOLD, GoldRow, "record_sha256")
    for number, (row, other) in enumerate(zip(inputs, golds, strict=False), start=1):
        if row.sample_id != other.sample_id:
            problem = f"is '{other.sample_id}' where {INPUTS} has '{row.sample_id}', build it again"
            raise InputFileError(folder / split / GOLD, f"line {number}: sample_id", problem)
    if len(inputs) != len(golds):
        raise InputFileError(
            folder / split / GOLD, "", f"has {len(golds)} rows where {INPUTS} has {len(inputs)}, build it again"
        )
    return tuple(map(Sample, inputs, golds))


def load_alignment(folder: Path, split: str) -> dict[tuple[str, str], AlignmentRow]:
    """Return the alignment rows of a split by sample id and message id.

    Raises:
        UnknownNameError: The folder has no such split.
        InputFileError: The file is missing or malformed, or a hash is wrong.
    """
    rows = _read(folder, split, ALIGNMENT, AlignmentRow, "record_sha256")
    return {(row.sample_id, row.message_id): row for row in rows}


def check_target(folder: Path) -> None:
    """Refuse a folder that holds something else than a build, before a build replaces what is there.

    Raises:
        InputFileError: It holds something that no build writes, or a link to somewhere else.
    """
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            problem = f"holds the link '{path.name}', through which a build would write elsewhere: give another folder"
            raise InputFileError(folder, "", problem)
        inside = sorted(path.iterdir()) if path.name in PLANS and path.is_dir() else [path]
        known = ROW_FILES if inside != [path] else (MANIFEST,)
        for found in inside:
            if not any(found.name == name or found.name.startswith(f".{name}.") for name in known):
                problem = f"holds '{found.relative_to(folder)}', which no build wrote: empty it or give another folder"
                raise InputFileError(folder, "", problem)
    if (folder / MANIFEST).exists():
        load_manifest(folder)


def remove_stale(folder: Path, manifest: MessagesManifest) -> None:
    """Remove from a built folder the splits of an earlier build that its manifest does not name.

    Raises:
        OSError: A file cannot be removed.
    """
    for split in PLANS:
        if split not in manifest.splits and (folder / split).is_dir():
            for name in ROW_FILES:
                (folder / split / name).unlink(missing_ok=True)
            if not any((folder / split).iterdir()):
                (folder / split).rmdir()


def _read(folder: Path, split: str, name: str, model: type[Row], hash_field: str) -> list[Row]:
    files = load_manifest(folder).splits
    if split not in files:
        near = get_close_matches(split, files, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise UnknownNameError(f"{folder} has no split '{split}'.{hint} Its splits: {', '.join(files)}.")
    path = folder / split / name
    rows: list[Row] = []
    for number, line in read_lines(path):
        raw = parse_object(path, number, line)
        row = parse_row(path, number, raw, model)
        if raw[hash_field] != (expected := row_sha256(raw, hash_field)):
            problem = f"is {raw[hash_field]} but the row hashes to {expected}, restore the file or build it again"
            raise InputFileError(path, f"line {number}: {hash_field}", problem)
        rows.append(row)
    if hashlib.sha256(path.read_bytes()).hexdigest() != files[split].sha256.get(name):
        raise InputFileError(path, "sha256", f"is not the file that {MANIFEST} pins, restore it or build it again")
    return rows
