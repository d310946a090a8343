"""Human-written pairs of obfuscated and plain text as a transfer set: messages to restore with no site behind them.

Its rows are the rows of a built split, with what nobody knows left open: the recipe is ``imported``, there is no trace,
the intent is ``UNKNOWN`` unless given, and there is an entry only where the plain text names exactly one
``label.label.test`` address.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, field_validator

from riskchain_gym.messages.entries import entries_in
from riskchain_gym.messages.json_lines import parse_row, read_objects
from riskchain_gym.messages.pair_files import TextPair, read_pairs
from riskchain_gym.messages.rows import GOLD, INPUTS, MANIFEST, GoldRow, InputRow, Sha256
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import RestoredMessage
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.gold import MessageGold, Trace
from riskchain_gym.protocol.invalid import read_model
from riskchain_gym.protocol.keyed import derive_key, keyed_id
from riskchain_gym.protocol.message import GATE_VARIANT, ChatMessage, Message, Platform, Surface
from riskchain_gym.protocol.model import Frozen, canonical_json

IMPORTED = "imported"
"""Recipe and form of a message that somebody else has written: nothing is known of how."""

_MESSAGE = "m001"


class Repeat(Frozen):
    """A row that was left out because its obfuscated text stands on a line before.

    Attributes:
        line: Its line.
        first: The line before.
        agrees: Whether the plain texts are the same.
    """

    line: int
    first: int
    agrees: bool


class TransferManifest(Frozen):
    """What a transfer set holds and where it is from.

    Attributes:
        source: Name of the set it was made from.
        licence: Licence of that set, as its user states it.
        source_sha256: SHA-256 of the imported file.
        columns: Names of the columns with obfuscated and plain texts.
        rows: Rows of the imported file.
        messages: Rows kept.
        with_entry: Rows kept whose plain text names an entry.
        unchanged: Rows kept whose two texts are the same.
        repeats: The rows left out.
        sha256: File name to its hash.
    """

    schema_version: Literal["riskchain-transfer/v1"] = "riskchain-transfer/v1"
    source: str
    licence: Annotated[str, Field(min_length=1)]
    source_sha256: Sha256
    columns: tuple[str, str]
    rows: int
    messages: int
    with_entry: int
    unchanged: int
    repeats: tuple[Repeat, ...]
    sha256: dict[str, Sha256]

    @field_validator("sha256")
    @classmethod
    def _of_both_files(cls, value: dict[str, Sha256]) -> dict[str, Sha256]:
        if value.keys() != {INPUTS, GOLD}:
            raise ValueError(f"must name {INPUTS} and {GOLD}, nothing else")
        return value


class TransferTask(NamedTuple):
    """One message of a transfer set: its id for the file, what an agent may see, and what it must restore."""

    sample_id: str
    message: Message
    gold: MessageGold


def import_pairs(
    path: Path,
    folder: Path,
    *,
    obfuscated: str,
    plain: str,
    licence: str,
    source: str = "",
    platform: Platform = Platform.WEIBO,
    surface: Surface = Surface.COMMENT,
    intent: Intent = Intent.UNKNOWN,
    language: Literal["zh", "en"] = "zh",
) -> TransferManifest:
    """Write the transfer set of a file of pairs: ``inputs.jsonl``, ``gold.jsonl`` and, last, ``manifest.json``.

    Of several rows with the same obfuscated text the first is kept. Ids are drawn from the source's name and the texts,
    and rows are in order of id, so that no id tells of a row's place.

    Args:
        path: The file; see :func:`riskchain_gym.messages.pair_files.read_pairs`.
        folder: Where to write; a new or an empty folder.
        obfuscated: Name of the column with the disguised texts.
        plain: Name of the column with the plain texts.
        licence: Licence of the texts.
        source: Name of the set; the file's name without its ending by default.
        platform: Platform that every message is said to come from.
        surface: Surface that every message is said to come from.
        intent: What every message asks its reader to do.
        language: Language of the texts.

    Raises:
        ConfigError: There is no licence text.
        InputFileError: The file is wrong, or the folder holds something.
    """
    if not licence.strip():
        raise ConfigError("licence: is empty, say under which licence the texts may be used, e.g. 'CC BY 4.0'.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputFileError(folder, "", "is a file or holds something, give a new or an empty folder")
    source = source or path.stem
    pairs, repeats = _once_each(read_pairs(path, obfuscated=obfuscated, plain=plain))
    rows = sorted(
        (_rows(pair, source, platform, surface, intent, language) for pair in pairs), key=lambda row: row[0].sample_id
    )
    files = {
        INPUTS: "".join(f"{canonical_json(row)}\n" for row, _ in rows).encode(),
        GOLD: "".join(f"{canonical_json(row)}\n" for _, row in rows).encode(),
    }
    manifest = TransferManifest(
        source=source,
        licence=licence,
        source_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        columns=(obfuscated, plain),
        rows=len(pairs) + len(repeats),
        messages=len(pairs),
        with_entry=sum(row.entry is not None for _, row in rows),
        unchanged=sum(pair.obfuscated == pair.plain for pair in pairs),
        repeats=tuple(repeats),
        sha256={name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    )
    for name, data in files.items():
        write_atomically(folder / name, data)
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")
    return manifest


def load_transfer(folder: Path) -> Iterator[TransferTask]:
    """Yield the messages of a transfer set, in order of id.

    Args:
        folder: What :func:`import_pairs` has written.

    Raises:
        InputFileError: A file is missing, wrong or not the one the manifest names, or gold and inputs do not belong
            together.
    """
    manifest = load_transfer_manifest(folder)
    inputs, gold = folder / INPUTS, folder / GOLD
    for path in (inputs, gold):
        if _sha256(path) != manifest.sha256[path.name]:
            raise InputFileError(path, "", f"is not the file that {MANIFEST} names, import the set again")
    for line, gold_line in zip_longest(read_objects(inputs), read_objects(gold)):
        if line is None or gold_line is None:
            raise InputFileError(gold, "", f"has not as many rows as {INPUTS}, import the set again")
        row = parse_row(inputs, line[0], line[1], InputRow)
        answer = parse_row(gold, gold_line[0], gold_line[1], GoldRow)
        if answer.sample_id != row.sample_id:
            problem = f"is '{answer.sample_id}' where {INPUTS} has '{row.sample_id}', import the set again"
            raise InputFileError(gold, f"line {gold_line[0]}: sample_id", problem)
        yield TransferTask(row.sample_id, row.message(), answer.gold())


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), import the set again") from error


def load_transfer_manifest(folder: Path) -> TransferManifest:
    """Return the manifest of a transfer set.

    Raises:
        InputFileError: It is missing or wrong.
    """
    return read_model(folder / MANIFEST, TransferManifest, "give the folder of an import")


def _once_each(pairs: Iterator[TextPair]) -> tuple[list[TextPair], list[Repeat]]:
    kept: dict[str, TextPair] = {}
    repeats: list[Repeat] = []
    for pair in pairs:
        first = kept.setdefault(pair.obfuscated, pair)
        if first is not pair:
            repeats.append(Repeat(line=pair.line, first=first.line, agrees=pair.plain == first.plain))
    return list(kept.values()), repeats


def _rows(
    pair: TextPair, source: str, platform: Platform, surface: Surface, intent: Intent, language: Literal["zh", "en"]
) -> tuple[InputRow, GoldRow]:
    session_id = keyed_id(derive_key(b"riskchain-transfer", source), pair.obfuscated, pair.plain)
    chat = ChatMessage(message_id=_MESSAGE, role="sender", content=pair.obfuscated)
    addresses = entries_in(pair.plain)
    gold = MessageGold(
        entry=addresses[0] if len(addresses) == 1 else None,
        messages=(RestoredMessage(message_id=_MESSAGE, text=pair.plain),),
        intent=intent,
        platform=platform,
        skeleton="",
        topic="",
        language=language,
        form=IMPORTED,
        traces={GATE_VARIANT: Trace(recipe=IMPORTED, stages={})},
        ceilings={GATE_VARIANT: None},
    )
    message = Message(platform=platform, surface=surface, messages=(chat,))
    return (
        InputRow.of(f"{session_id}--{GATE_VARIANT}", message),
        GoldRow.of(session_id, GATE_VARIANT, gold, severity=None, pair="", attribute=""),
    )
