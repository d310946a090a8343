"""The key of a file of pairs: where each is from and what is wrong with it; nobody who answers may see it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.invalid import invalid
from riskchain_gym.protocol.model import Frozen, canonical_json


class PairKey(Frozen):
    """What the file of pairs does not say of one pair.

    Attributes:
        item_id: The pair.
        agent: Whose report it is about.
        split: Split of the run.
        chain_id: The chain.
        episode: Hash of the episode's record.
        planted: Fault that was planted into the report, as ``kind/variant``; ``""`` for none.
        fault: The same where the claim is one that the fault makes untrue, else ``""``.
    """

    schema_version: Literal["riskchain-pair-key/v1"] = "riskchain-pair-key/v1"
    item_id: str
    agent: str
    split: str
    chain_id: str
    episode: str
    planted: str = ""
    fault: str = ""


def read_key(path: Path) -> tuple[PairKey, ...]:
    """Return the rows of a key file, in its order.

    Raises:
        InputFileError: It is missing or malformed, or an id is there twice; the message names the line.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        problem = f"cannot be read ({error.strerror}), give the key that `riskchain judge pairs` wrote"
        raise InputFileError(path, "", problem) from error
    rows: dict[str, PairKey] = {}
    for number, line in enumerate(lines, 1):
        try:
            row = PairKey.model_validate_json(line)
        except ValidationError as error:
            raise invalid(path, error, f"line {number}") from error
        if row.item_id in rows:
            raise InputFileError(path, f"line {number}: item_id", f"'{row.item_id}' is there more than once")
        rows[row.item_id] = row
    return tuple(rows.values())


def encoded_key(rows: Sequence[PairKey]) -> bytes:
    """Return the bytes of a key file: canonical JSON, one a line."""
    return "".join(f"{canonical_json(row)}\n" for row in rows).encode()
