"""What the agent of a run asked of a model: a line a chain, kept beside the episodes and outside their hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.line_file import LineFile, write_line
from riskchain_gym.protocol.model import Frozen, canonical_json

CALLS = "calls/00000.jsonl"
"""Where the calls are in a run folder."""

REPLIES = "replies"
"""Where the answers are in a run folder, unless a folder for them was given."""

STOPPED = "stopped"
"""Why an episode has no result that was broken off because the run ended."""


class ChainCalls(Frozen):
    """The calls of one attempt at a chain.

    Attributes:
        chain_id: The chain.
        variant: The variant that was being restored on its own, ``""`` in an episode.
        calls: The calls, in order.
        lost: Why no result came of them, e.g. ``model_lost`` or ``stopped``; ``""`` if one came.
        detail: The same in a sentence.
    """

    chain_id: str
    variant: str = ""
    calls: tuple[CallRecord, ...] = ()
    lost: str = ""
    detail: str = ""

    @property
    def loss(self) -> str:
        """Why no result came in short, with the failure of the last call: ``model_lost: timeout``."""
        failure = self.calls[-1].failure if self.calls and self.lost != STOPPED else None
        return f"{self.lost}: {failure}" if failure not in (None, self.lost) else self.lost


class CallLog:
    """The file of calls of a run, append-only; of two lines on one chain the later one says how it stands.

    Args:
        run: The run folder.
    """

    def __init__(self, run: Path) -> None:
        self._file = LineFile(run / CALLS)

    def add(self, entry: ChainCalls) -> None:
        """Append a line; it is on disk when this returns."""
        line = canonical_json(entry).encode("utf-8", "replace")  # servers can send half a surrogate pair
        with self._file.locked() as file:
            self._file.mend(file)
            write_line(file, line + b"\n")

    def entries(self) -> Iterator[ChainCalls]:
        """Yield every line in order; one that was never finished is left out.

        Raises:
            InputFileError: A line is malformed.
        """
        for number, line in enumerate(self._file.lines(), 1):
            try:
                yield ChainCalls.model_validate_json(line)
            except ValidationError as error:
                problem = (
                    "is no record of calls: remove the line and run again, no result rests on it; what the calls in it "
                    "have cost is no longer counted then"
                )
                raise InputFileError(self._file.path, f"line {number}", problem) from error

    def remove(self) -> None:
        """Remove the file and its folder."""
        self._file.path.unlink(missing_ok=True)
        with suppress(OSError):
            self._file.path.parent.rmdir()

    def standing(self) -> dict[str, ChainCalls]:
        """Return the last line of each chain's episode, by chain.

        Raises:
            InputFileError: A line is malformed.
        """
        return {chain: entry for (chain, variant), entry in self.latest().items() if not variant}

    def latest(self) -> dict[tuple[str, str], ChainCalls]:
        """Return the last line of each chain and variant; the variant of an episode is ``""``.

        Raises:
            InputFileError: A line is malformed.
        """
        return latest_of(self.entries())


def latest_of(entries: Iterable[ChainCalls]) -> dict[tuple[str, str], ChainCalls]:
    """Return the last line of each chain and variant of a log."""
    return {(entry.chain_id, entry.variant): entry for entry in entries}


def was_answered(call: CallRecord) -> bool:
    """Say whether a model has answered a call, so that it has cost something, be it unknown what."""
    return call.answers > 0


def was_paid(call: CallRecord) -> bool:
    """Say whether a call was answered by the model itself and not from the cache."""
    return was_answered(call) and not call.cached
