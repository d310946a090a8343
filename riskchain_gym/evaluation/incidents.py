"""What went wrong around a run and says nothing of its agent: workers that died, calls that took too long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.line_file import LineFile, write_line
from riskchain_gym.protocol.model import Frozen, canonical_json

INCIDENTS = "incidents.jsonl"
"""Where the incidents are in a run folder."""


class Incident(Frozen):
    """One thing that kept an episode from its end.

    Attributes:
        chain_id: The chain that was being run.
        variant: The variant that was being restored on its own, ``""`` in an episode.
        cause: The cause in a word: of an environment's ``infra_error`` its ``infra_cause``; ``worker_died``,
            ``agent_died``, ``worker_late`` or ``agent_late`` of a process that had to be replaced.
        detail: The same in a sentence.
        counted: Whether it counts as one of the attempts that the episode has; not so where the episode was merely
            beside one that went wrong.
        final: Whether it was the last attempt: the episode is frozen as lost.
    """

    schema_version: Literal["riskchain-incident/v1"] = "riskchain-incident/v1"
    chain_id: str
    variant: str = ""
    cause: str
    detail: str = ""
    counted: bool = True
    final: bool = False


class TakenBack(Frozen):
    """A line that takes back incidents before it: a machine was at fault that did no work at all.

    Attributes:
        cause: Why, in a word.
        incidents: How many incidents right before it count as no attempts, but for those that were final.
    """

    schema_version: Literal["riskchain-incidents-taken-back/v1"] = "riskchain-incidents-taken-back/v1"
    cause: str
    incidents: int = Field(ge=1)


_LINE: TypeAdapter[Incident | TakenBack] = TypeAdapter(Incident | TakenBack)


class IncidentLog:
    """The file of incidents of a run, append-only.

    Args:
        run: The run folder.
    """

    def __init__(self, run: Path) -> None:
        self._file = LineFile(run / INCIDENTS)

    def add(self, incident: Incident) -> None:
        """Append a line; it is on disk when this returns."""
        self._add(incident)

    def take_back(self, cause: str, incidents: int) -> None:
        """Let the last so many incidents count as no attempts.

        Args:
            cause: Why, in a word.
            incidents: How many.
        """
        self._add(TakenBack(cause=cause, incidents=incidents))

    def _add(self, line: Incident | TakenBack) -> None:
        with self._file.locked() as file:
            self._file.mend(file)
            write_line(file, canonical_json(line).encode("utf-8", "replace") + b"\n")

    def entries(self) -> Iterator[Incident]:
        """Yield every incident in order; one that was never finished is left out, one taken back is not counted.

        Raises:
            InputFileError: A line is malformed.
        """
        yield from self._read()[0]

    def taken_back(self) -> set[tuple[str, str]]:
        """Return the chains and variants of which attempts were taken back, those that were final left out.

        Raises:
            InputFileError: A line is malformed.
        """
        return self._read()[1]

    def _read(self) -> tuple[list[Incident], set[tuple[str, str]]]:
        found: list[Incident] = []
        taken: set[tuple[str, str]] = set()
        for number, line in enumerate(self._file.lines(), 1):
            try:
                one = _LINE.validate_json(line)
            except ValidationError as error:
                problem = "is no incident: remove the line, the attempt it tells of is then no longer counted"
                raise InputFileError(self._file.path, f"line {number}", problem) from error
            if isinstance(one, Incident):
                found.append(one)
            else:
                last = found[-one.incidents :]
                taken |= {(each.chain_id, each.variant) for each in last if each.counted and not each.final}
                found[-one.incidents :] = [
                    each if each.final else each.model_copy(update={"counted": False}) for each in last
                ]
        return found, taken

    def last_counted(self) -> dict[tuple[str, str], Incident]:
        """Return what each last attempt failed of, by chain and variant.

        Raises:
            InputFileError: A line is malformed.
        """
        return {(each.chain_id, each.variant): each for each in self.entries() if each.counted}

    def attempts(self) -> Counter[tuple[str, str]]:
        """Return how many attempts have failed, by chain and variant.

        Raises:
            InputFileError: A line is malformed.
        """
        return Counter((each.chain_id, each.variant) for each in self.entries() if each.counted)
