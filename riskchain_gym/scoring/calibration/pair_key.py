"""The key of a file of pairs: where each is from and what is wrong with it; nobody who answers may see it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.rows import encoded_rows, read_rows


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
    instead = "give the key that `riskchain judge pairs` wrote"
    return tuple(row for _, row in read_rows(path, PairKey, "item_id", instead))


def encoded_key(rows: Sequence[PairKey]) -> bytes:
    """Return the bytes of a key file: canonical JSON, one a line."""
    return encoded_rows(rows)
