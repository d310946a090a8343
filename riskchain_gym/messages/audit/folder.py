"""The folder as the audit sees it: every line read, the wrong ones with their problem instead of an error."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from riskchain_gym.messages.alignment import AlignmentRow
from riskchain_gym.messages.audit.separation import without_gold_keys
from riskchain_gym.messages.bank import MessageBank
from riskchain_gym.messages.folder import load_manifest
from riskchain_gym.messages.json_lines import parse_object, parse_row
from riskchain_gym.messages.pairs import TransferManifest, load_transfer_manifest
from riskchain_gym.messages.rows import ALIGNMENT, GOLD, INPUTS, MANIFEST, GoldRow, InputRow, SplitFiles
from riskchain_gym.protocol.errors import InputFileError

R = TypeVar("R", InputRow, GoldRow, AlignmentRow)

_DEEPEST = 60
IMPORTED_SPLIT = "imported"
"""What the one split of a transfer set is called."""


@dataclass(frozen=True)
class Line(Generic[R]):
    """One line of a file.

    Attributes:
        number: Its number, from 1.
        raw: The JSON object on it; empty where there is none.
        row: The row it holds, or ``None`` where it holds none.
        problem: Why it holds none.
    """

    number: int
    raw: Mapping[str, Any]
    row: R | None
    problem: str = ""

    @property
    def name(self) -> str:
        """The sample id, or the line's number where there is none."""
        return str(self.raw.get("sample_id", f"line {self.number}"))


class Pair(NamedTuple):
    """A model-visible row and its gold."""

    split: str
    input: InputRow
    gold: GoldRow

    @property
    def where(self) -> str:
        """Split and sample id, for findings."""
        return f"{self.split} {self.input.sample_id}"


@dataclass(frozen=True)
class AuditedSplit:
    """One split; ``gold`` and ``alignment`` are ``None`` where their file is missing."""

    name: str
    pool: str
    inputs: tuple[Line[InputRow], ...]
    gold: tuple[Line[GoldRow], ...] | None
    alignment: tuple[Line[AlignmentRow], ...] | None

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The valid rows with a valid gold row of the same id, in the order of the inputs; the first of each id."""
        gold = {line.row.sample_id: line.row for line in reversed(self.gold or ()) if line.row is not None}
        rows = {line.row.sample_id: line.row for line in reversed(self.inputs) if line.row is not None}
        return tuple(Pair(self.name, row, gold[name]) for name, row in reversed(rows.items()) if name in gold)


@dataclass(frozen=True)
class AuditedFolder:
    """A built folder or a transfer set.

    Attributes:
        path: Where it is.
        pins: What its manifest says of each split.
        imported: Whether it is a transfer set.
        splits: Its splits.
        sha256: Hash of every file that is there, by its path within the folder.
        bank: What its messages may be written from.
    """

    path: Path
    pins: Mapping[str, SplitFiles]
    imported: bool
    splits: tuple[AuditedSplit, ...]
    sha256: Mapping[str, str]
    bank: MessageBank

    @cached_property
    def has_gold(self) -> bool:
        """Whether any gold is there; without it the folder is a public part."""
        return any(split.gold is not None for split in self.splits)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of all splits."""
        return tuple(pair for split in self.splits for pair in split.pairs)

    def strays(self) -> list[str]:
        """Return the paths within the folder of files that are neither its manifest nor read as rows, in order."""
        files = (file for file in self.path.rglob("*") if file.is_symlink() or not file.is_dir())
        found = (file.relative_to(self.path).as_posix() for file in files)
        return sorted(set(found) - set(self.sha256) - {MANIFEST})

    def place(self, split: str, name: str) -> str:
        """Return the path of a split's file within the folder."""
        return name if self.imported else f"{split}/{name}"


def read_folder(path: Path, bank: MessageBank) -> AuditedFolder:
    """Return a folder with everything in it.

    Args:
        path: A folder that ``riskchain build messages`` or ``riskchain messages import`` wrote, with or without gold.
        bank: What its messages may be written from.

    Raises:
        InputFileError: The manifest or a file of inputs is missing or cannot be read, or a file is not UTF-8.
    """
    manifest = _transfer_manifest(path)
    imported = manifest is not None
    pins = load_manifest(path).splits if manifest is None else {IMPORTED_SPLIT: _pin(manifest)}
    sha256: dict[str, str] = {}
    splits: list[AuditedSplit] = []
    for name, pin in pins.items():
        home = path if imported else path / name
        files: dict[str, list[bytes] | None] = {}
        for file in (INPUTS, GOLD, ALIGNMENT):
            files[file] = _lines(home / file, required=file == INPUTS)
            if (lines := files[file]) is not None:
                sha256[str((home / file).relative_to(path))] = hashlib.sha256(b"\n".join(lines)).hexdigest()
        splits.append(
            AuditedSplit(
                name,
                pin.pool,
                _rows(home / INPUTS, files[INPUTS], InputRow) or (),
                _rows(home / GOLD, files[GOLD], GoldRow),
                _rows(home / ALIGNMENT, files[ALIGNMENT], AlignmentRow),
            )
        )
    return AuditedFolder(path, pins, imported, tuple(splits), sha256, bank)


def _transfer_manifest(path: Path) -> TransferManifest | None:
    try:
        raw = json.loads((path / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None  # load_manifest says what is wrong with it
    kind = raw.get("schema_version") if isinstance(raw, dict) else None
    return load_transfer_manifest(path) if kind == TransferManifest.model_fields["schema_version"].default else None


def _pin(manifest: TransferManifest) -> SplitFiles:
    return SplitFiles(
        pool=IMPORTED_SPLIT, sessions=manifest.messages, messages=manifest.messages, sha256=manifest.sha256
    )


def _lines(path: Path, *, required: bool) -> list[bytes] | None:
    try:
        return path.read_bytes().split(b"\n")
    except FileNotFoundError as error:
        if not required:
            return None
        raise InputFileError(path, "", "is missing, give a folder with its inputs") from error
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), give another folder") from error


def _rows(path: Path, lines: list[bytes] | None, model: type[R]) -> tuple[Line[R], ...] | None:
    if lines is None:
        return None
    return tuple(_line(path, number, line, model) for number, line in enumerate(lines, start=1) if line.strip())


def _depth(value: object) -> int:
    """Return how deep a JSON value is nested, or one more than is allowed."""
    level: list[object] = [value]
    depth = 0
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return depth


def _line(path: Path, number: int, line: bytes, model: type[R]) -> Line[R]:
    raw: dict[str, Any] = {}
    try:
        raw = parse_object(path, number, line.decode())
        if _depth(raw) > _DEEPEST:
            return Line(number, {}, None, f"is nested over {_DEEPEST} deep, write flat objects")
        known = without_gold_keys(raw) if model is InputRow else raw
        return Line(number, raw, parse_row(path, number, known, model))
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 ({error.reason} at byte {error.start} of line {number}), convert it"
        raise InputFileError(path, "", problem) from error
    except InputFileError as error:
        field = error.field.removeprefix(f"line {number}").removeprefix(": ")
        return Line(number, raw, None, f"{field} {error.problem}".strip())
