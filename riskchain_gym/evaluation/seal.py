"""The seal of a frozen run: what it came to, in a few hashes."""

from __future__ import annotations

from typing import Literal

from riskchain_gym.protocol.model import Frozen


class Seal(Frozen):
    """What a run came to whose planned episodes are all there, in the planned order.

    Two runs of the same agent that nothing told apart have the same seal, however often they were disturbed.

    Attributes:
        run: Identity of the run: SHA-256 of ``run.json``.
        episodes: Number of episodes.
        last: Hash of the last one; as each binds the one before, it covers all of them.
        restorations: Number of further variants that were restored on their own.
        last_restoration: Hash of the last one of those.
        media: Number of different screenshots.
    """

    schema_version: Literal["riskchain-seal/v1"] = "riskchain-seal/v1"
    run: str
    episodes: int
    last: str
    restorations: int = 0
    last_restoration: str = ""
    media: int = 0

    def encoded(self) -> bytes:
        """Return the bytes of ``frozen.json``."""
        return self.model_dump_json(indent=1).encode() + b"\n"
