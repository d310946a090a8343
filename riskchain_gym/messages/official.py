"""Interchange with the published benchmark: read its input rows, write its prediction rows (protocol A.1, A.13).

A restorer is passed the :class:`Message` only; the sample id beside it is for the file, never for the agent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from riskchain_gym.messages.datafile import first_problem
from riskchain_gym.protocol.commit import Commit, RestoredMessage
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.message import ChatMessage, Identifier, Message, Platform, Surface
from riskchain_gym.protocol.model import Frozen, sha256_of

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
InputView = Literal["TOKEN_TEXT", "RENDERED_SCREENSHOT", "OCR_TEXT", "MULTIMODAL"]

_IDENTIFIER: TypeAdapter[str] = TypeAdapter(Identifier)


def _whole_characters(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("holds half a surrogate pair, write the whole character")
    return text


class ClientContext(Frozen):
    """The client a row claims to come from."""

    client_type: Literal["APP", "WEB", "PC", "SYNTHETIC"]
    os: Literal["ANDROID", "IOS", "WINDOWS", "MACOS", "WEB", "UNSPECIFIED"]
    client_version: Annotated[str, Field(min_length=1)]
    locale: Annotated[str, Field(min_length=1)]


class TaskRow(Frozen):
    """A published input row; ``task_sha256`` is the hash of the row without that field."""

    schema_version: Literal["obfuscated-reconstruction-task/v0.1"]
    sample_id: Identifier
    platform: Platform
    surface: Surface
    client_context: ClientContext
    input_view: Literal["TOKEN_TEXT"]
    messages: Annotated[tuple[ChatMessage, ...], Field(min_length=1)]
    prompt_id: Identifier
    prompt_sha256: Sha256
    task_sha256: Sha256

    @field_validator("messages")
    @classmethod
    def _unique_ids(cls, messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
        if len({m.message_id for m in messages}) != len(messages):
            raise ValueError("message ids must be unique")
        for message in messages:
            _whole_characters(message.content)
        return messages

    def task(self) -> tuple[str, Message]:
        """Return the sample id and what an agent may see."""
        return self.sample_id, Message(platform=self.platform, surface=self.surface, messages=self.messages)


class ShortRow(Frozen):
    """An input row reduced to its session, variant and one message; the sample id made of it is a published id."""

    session: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,121}$")]
    variant: Annotated[int, Field(ge=0, le=999, strict=True)]
    platform: Platform
    surface: Surface
    content: Annotated[str, AfterValidator(_whole_characters)]

    def task(self) -> tuple[str, Message]:
        """Return the sample id, e.g. ``s01--v000``, and what an agent may see."""
        chat = ChatMessage(message_id="m001", role="sender", content=self.content)
        message = Message(platform=self.platform, surface=self.surface, messages=(chat,))
        return f"{self.session}--v{self.variant:03d}", message


def read_inputs(path: Path) -> Iterator[tuple[str, Message]]:
    """Yield the sample id and the message of each row of a JSON Lines file, in order.

    Rows in the full published format have their ``task_sha256`` checked; rows with ``session``, ``variant``,
    ``platform``, ``surface`` and ``content`` are accepted too. Blank lines are skipped.

    Args:
        path: The file, UTF-8.

    Raises:
        InputFileError: The file cannot be read or has no rows, a row is wrong, or a sample id comes twice.
    """
    first_line: dict[str, int] = {}
    for number, line in _lines(path):
        sample_id, message = _task(path, number, line)
        if sample_id in first_line:
            raise InputFileError(
                path, f"line {number}: sample_id", f"'{sample_id}' stands on line {first_line[sample_id]}, drop one"
            )
        first_line[sample_id] = number
        yield sample_id, message
    if not first_line:
        raise InputFileError(path, "", "holds no rows, give a file with one JSON object a line")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), give another file") from error
    except UnicodeDecodeError as error:
        raise InputFileError(path, "", f"is not UTF-8 ({error.reason} at byte {error.start}), convert it") from error


def _task(path: Path, number: int, line: str) -> tuple[str, Message]:
    try:
        raw: Any = json.loads(line)
    except json.JSONDecodeError as error:
        problem = f"is not JSON ({error.msg} at column {error.colno}), write one object a line"
        raise InputFileError(path, f"line {number}", problem) from error
    except ValueError as error:
        problem = "holds a number of too many digits, write an integer the fields allow"
        raise InputFileError(path, f"line {number}", problem) from error
    except RecursionError as error:
        problem = "is nested too deeply, write one flat object a line"
        raise InputFileError(path, f"line {number}", problem) from error
    if not isinstance(raw, dict):
        raise InputFileError(path, f"line {number}", f"holds a {type(raw).__name__}, write one JSON object a line")
    try:
        if "session" in raw:
            return ShortRow.model_validate(raw).task()
        row = TaskRow.model_validate(raw)
    except ValidationError as error:
        field, problem = first_problem(error)
        raise InputFileError(path, f"line {number}: {field}" if field else f"line {number}", problem) from error
    expected = sha256_of({name: value for name, value in raw.items() if name != "task_sha256"})
    if row.task_sha256 != expected:
        problem = f"is {row.task_sha256} but the row hashes to {expected}, fetch the file again"
        raise InputFileError(path, f"line {number}: task_sha256", problem)
    return row.task()


class PredictedEntry(Frozen):
    """A ranked entry of a prediction row."""

    rank: Annotated[int, Field(ge=1, le=10)]
    value: str
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]


class PredictionRow(Frozen):
    """A row of a published prediction file."""

    schema_version: Literal["obfuscated-reconstruction-prediction/v0.1"] = "obfuscated-reconstruction-prediction/v0.1"
    sample_id: Identifier
    model_id: Identifier
    run_id: Identifier
    input_view: InputView = "TOKEN_TEXT"
    reconstructed_messages: tuple[RestoredMessage, ...]
    intent: str
    platform: Platform | Literal["unknown"]
    entry_candidates: Annotated[tuple[PredictedEntry, ...], Field(max_length=10)]
    abstain: bool
    uncertainties: tuple[Annotated[str, Field(min_length=1)], ...]

    @model_validator(mode="after")
    def _unique(self) -> Self:
        ranks = [c.rank for c in self.entry_candidates]
        if len(set(ranks)) != len(ranks):
            raise ValueError(f"entry_candidates: ranks must be unique, got {ranks}")
        ids = [m.message_id for m in self.reconstructed_messages]
        if len(set(ids)) != len(ids):
            raise ValueError(f"reconstructed_messages: message ids must be unique, got {ids}")
        return self

    @classmethod
    def of(cls, sample_id: str, commit: Commit, *, model_id: str, run_id: str) -> PredictionRow:
        """Return the row that says what a commit says.

        Raises:
            pydantic.ValidationError: An id does not match the published pattern.
        """
        return cls(
            sample_id=sample_id,
            model_id=model_id,
            run_id=run_id,
            reconstructed_messages=commit.reconstructed_messages,
            intent=commit.intent,
            platform=commit.platform,
            entry_candidates=tuple(PredictedEntry(**c.model_dump()) for c in commit.entry_candidates),
            abstain=commit.abstain,
            uncertainties=commit.uncertainties,
        )


def check_ids(*, model_id: str, run_id: str) -> None:
    """Refuse ids that no prediction row may carry, before any work is done under them.

    Raises:
        ConfigError: An id does not match the published pattern.
    """
    for name, given in (("model_id", model_id), ("run_id", run_id)):
        try:
            _IDENTIFIER.validate_python(given)
        except ValidationError as error:
            raise ConfigError(
                f"{name}: {given!r} is no id: use 1 to 128 letters, digits, '.', '_' and '-', "
                "the first a letter or a digit."
            ) from error


def write_predictions(path: Path, commits: Iterable[tuple[str, Commit]], *, model_id: str, run_id: str) -> int:
    """Write one prediction row a commit and return how many; the file appears whole or not at all.

    Args:
        path: The JSON Lines file to write; an existing one is replaced at the end.
        commits: Sample id and commit, e.g. made while reading :func:`read_inputs`.
        model_id: Who predicted.
        run_id: In which run.

    Raises:
        InputFileError: The file cannot be written there.
        pydantic.ValidationError: An id does not match the published pattern.
    """
    rows = [PredictionRow.of(sample_id, commit, model_id=model_id, run_id=run_id) for sample_id, commit in commits]
    text = "".join(f"{row.model_dump_json()}\n" for row in rows)
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise InputFileError(path, "", f"cannot be written ({error.strerror}), choose another place") from error
    return len(rows)
