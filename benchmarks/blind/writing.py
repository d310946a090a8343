"""The files of a draw: packets and instructions for the reader, the key in a folder that the reader never has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from blind.drawing import Drawn
from blind.instructions import instructions
from blind.packet import packet_text
from blind.rows import KeyAtom, KeyRow
from riskchain_gym.benchmark.release_manifest import load_release
from riskchain_gym.places import check_folder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import Frozen, canonical_json, sha256_of
from riskchain_gym.protocol.rows import encoded_rows

PACKETS, INSTRUCTIONS, KEY, RECORD = "packets", "instructions.txt", "key.jsonl", "draw.json"


class DrawRecord(Frozen):
    """What was drawn from what.

    Attributes:
        release: ``content_sha256`` of the release.
        seed: Seed of the draw.
        splits: Splits that were drawn from.
        sites: How many sites.
        instructions_sha256: SHA-256 of the instructions.
        key_sha256: SHA-256 of the key, which holds those of the packets.
    """

    release: str
    seed: int
    splits: tuple[str, ...]
    sites: int
    instructions_sha256: str
    key_sha256: str


def check_places(out: Path, key: Path) -> None:
    """Refuse folders that hold something, and a key that a reader of the packets would come across.

    Raises:
        ConfigError: One of them lies in the other.
        InputFileError: They cannot be written to.
    """
    inner, outer = out.resolve(), key.resolve()
    if inner == outer or inner in outer.parents or outer in inner.parents:
        raise ConfigError(
            f"--key {key} and --out {out} lie in each other: a reader who has one must not have the other."
        )
    for folder in (out, key):
        check_folder(folder)
        if folder.is_dir() and any(folder.iterdir()):
            raise ConfigError(f"{folder} holds something already: give a new folder.")


def write_draw(
    drawn: Sequence[Drawn], release: Path, seed: int, splits: Sequence[str], out: Path, key: Path
) -> list[int]:
    """Write a draw and return the lengths of its packets, in characters.

    Args:
        drawn: The sites.
        release: Folder of the release that they were drawn from.
        seed: Seed of the draw.
        splits: Splits that were drawn from.
        out: Folder for the reader.
        key: Folder for those who compare.

    Raises:
        ConfigError: A packet would lack a line that the label rests on.
        InputFileError: The release has no manifest.
        WalkError: A site has too many views.
    """
    origin = load_release(release).content_sha256
    texts = [packet_text(each.site, each.packet) for each in drawn]
    rows = [_key_row(each, text) for each, text in zip(drawn, texts, strict=True)]
    record = DrawRecord(
        release=origin,
        seed=seed,
        splits=tuple(splits),
        sites=len(drawn),
        instructions_sha256=sha256_of(instructions()),
        key_sha256=sha256_of(encoded_rows(rows).decode()),
    )
    for row, text in zip(rows, texts, strict=True):
        write_atomically(out / PACKETS / f"{row.packet}.txt", text.encode())
    write_atomically(out / INSTRUCTIONS, instructions().encode())
    write_atomically(key / KEY, encoded_rows(rows))
    write_atomically(key / RECORD, canonical_json(record).encode() + b"\n")
    return [len(text) for text in texts]


def _key_row(each: Drawn, text: str) -> KeyRow:
    gold = each.gold
    if lacking := [atom.text for atom in gold.atoms if atom.text not in text]:
        raise ConfigError(
            f"The walk of {each.split} {each.chain_id} does not show '{lacking[0]}': its packet is not whole."
        )
    return KeyRow(
        packet=each.packet,
        sha256=sha256_of(text),
        split=each.split,
        chain_id=each.chain_id,
        lang=gold.lang,
        family=gold.family,
        archetype=gold.archetype,
        decision=gold.decision,
        type=gold.violation_type,
        secondary=gold.secondary_types,
        atoms=tuple(KeyAtom(component=atom.component, type=atom.violation_type, text=atom.text) for atom in gold.atoms),
    )
