"""Input rows: read those of the published benchmark (protocol A.1) and our own, write ours in the published form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from riskchain_gym.messages.json_lines import parse_row, read_objects, refuse_folder, whole_characters, write_models
from riskchain_gym.messages.rows import INPUTS, InputRow, Sha256, row_sha256
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.message import ChatMessage, Identifier, Message, Platform, Surface
from riskchain_gym.protocol.model import Frozen


def _told_apart(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    if len({m.message_id for m in messages}) != len(messages):
        raise ValueError("message ids must be unique")
    for message in messages:
        whole_characters(message.content)
    return messages


_Messages = Annotated[tuple[ChatMessage, ...], Field(min_length=1), AfterValidator(_told_apart)]


class ClientContext(Frozen):
    """The client a row claims to come from."""

    client_type: Literal["APP", "WEB", "PC", "SYNTHETIC"]
    os: Literal["ANDROID", "IOS", "WINDOWS", "MACOS", "WEB", "UNSPECIFIED"]
    client_version: Annotated[str, Field(min_length=1)]
    locale: Annotated[str, Field(min_length=1)]


SYNTHETIC_CLIENT = ClientContext(client_type="SYNTHETIC", os="UNSPECIFIED", client_version="none", locale="zh-CN")
"""The client of messages that no client has sent, as ours are."""


class TaskRow(Frozen):
    """A published input row; ``task_sha256`` is the hash of the row without that field."""

    schema_version: Literal["obfuscated-reconstruction-task/v0.1"]
    sample_id: Identifier
    platform: Platform
    surface: Surface
    client_context: ClientContext
    input_view: Literal["TOKEN_TEXT"]
    messages: _Messages
    prompt_id: Identifier
    prompt_sha256: Sha256
    task_sha256: Sha256

    @classmethod
    def of(
        cls, sample_id: str, message: Message, *, prompt_id: str, prompt_sha256: str, client_context: ClientContext
    ) -> TaskRow:
        """Return the row of a message.

        Raises:
            pydantic.ValidationError: An id or a hash does not match its pattern, two messages have one id, or a
                content holds half a surrogate pair.
        """
        row = cls(
            schema_version="obfuscated-reconstruction-task/v0.1",
            sample_id=sample_id,
            input_view="TOKEN_TEXT",
            platform=message.platform,
            surface=message.surface,
            client_context=client_context,
            messages=message.messages,
            prompt_id=prompt_id,
            prompt_sha256=prompt_sha256,
            task_sha256="0" * 64,
        )
        return row.model_copy(update={"task_sha256": row_sha256(row.model_dump(mode="json"), "task_sha256")})

    def task(self) -> tuple[str, Message]:
        """Return the sample id and what an agent may see."""
        return self.sample_id, Message(platform=self.platform, surface=self.surface, messages=self.messages)


class OpenRow(InputRow):
    """A row of ``inputs.jsonl`` as a build of messages or an import writes it: one session, of one or more messages."""

    messages: _Messages

    def task(self) -> tuple[str, Message]:
        """Return the sample id and what an agent may see."""
        return self.sample_id, self.message()


class ShortRow(Frozen):
    """An input row reduced to its session, variant and one message; the sample id made of it is a published id."""

    session: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,121}$")]
    variant: Annotated[int, Field(ge=0, le=999, strict=True)]
    platform: Platform
    surface: Surface
    content: Annotated[str, AfterValidator(whole_characters)]

    def task(self) -> tuple[str, Message]:
        """Return the sample id, e.g. ``s01--v000``, and what an agent may see."""
        chat = ChatMessage(message_id="m001", role="sender", content=self.content)
        message = Message(platform=self.platform, surface=self.surface, messages=(chat,))
        return f"{self.session}--v{self.variant:03d}", message


_HASHED: dict[str, type[TaskRow] | type[OpenRow]] = {
    "obfuscated-reconstruction-task/v0.1": TaskRow,
    "riskchain-message-task/v1": OpenRow,
}
_EVALUATOR_ONLY = ("riskchain-message-gold/", "riskchain-message-alignment/", "obfuscated-session-generation/")
"""How the schemas of files begin that stand beside the inputs and hold the answers."""


def read_inputs(path: Path) -> Iterator[tuple[str, Message]]:
    """Yield the sample id and the message of each row of a JSON Lines file, in order.

    A row is a published one, one of ours (``inputs.jsonl`` of a build or an import) or a short one with ``session``,
    ``variant``, ``platform``, ``surface`` and ``content``. The ``task_sha256`` of the first two is checked. Kinds may
    be mixed; blank lines are skipped.

    Args:
        path: The file, UTF-8.

    Raises:
        InputFileError: The file cannot be read or has no rows, a row is wrong, or a sample id comes twice.
    """
    refuse_folder(path, INPUTS)
    first_line: dict[str, int] = {}
    for number, raw in read_objects(path):
        sample_id, message = _task(path, number, raw)
        check_new(path, number, sample_id, first_line)
        yield sample_id, message


def check_new(path: Path, number: int, sample_id: str, first_line: dict[str, int]) -> None:
    """Note the line of a sample id.

    Args:
        path: The file, for errors.
        number: The line's number.
        sample_id: The id that stands there.
        first_line: Line of each id seen so far; the new one is added.

    Raises:
        InputFileError: It stands on a line before.
    """
    if sample_id in first_line:
        raise InputFileError(
            path, f"line {number}: sample_id", f"'{sample_id}' stands on line {first_line[sample_id]}, drop one"
        )
    first_line[sample_id] = number


def check_hash(path: Path, number: int, raw: dict[str, Any], name: str) -> None:
    """Check the hash that a row carries of itself.

    Args:
        path: The file, for errors.
        number: The line's number, for errors.
        raw: The row as it stands there.
        name: Its field that holds the hash.

    Raises:
        InputFileError: The row hashes to something else.
    """
    if raw[name] != (expected := row_sha256(raw, name)):
        problem = f"is {raw[name]} but the row hashes to {expected}, fetch the file again"
        raise InputFileError(path, f"line {number}: {name}", problem)


def _task(path: Path, number: int, raw: dict[str, Any]) -> tuple[str, Message]:
    if "session" in raw:
        return parse_row(path, number, raw, ShortRow).task()
    row = parse_row(path, number, raw, _model_of(path, number, raw))
    check_hash(path, number, raw, "task_sha256")
    return row.task()


def _model_of(path: Path, number: int, raw: dict[str, Any]) -> type[TaskRow] | type[OpenRow]:
    where, known = f"line {number}: schema_version", " or ".join(f"'{name}'" for name in _HASHED)
    if "schema_version" not in raw:
        problem = f"is missing, write {known}, or a short row with session, variant, platform, surface and content"
        raise InputFileError(path, where, problem)
    schema = raw["schema_version"]
    if isinstance(schema, str) and schema in _HASHED:
        return _HASHED[schema]
    if isinstance(schema, str) and schema.startswith(_EVALUATOR_ONLY):
        raise InputFileError(path, where, f"is '{schema}', which holds answers: give the file of inputs beside it")
    raise InputFileError(path, where, f"must be {known}, got {schema!r:.100}")


def write_inputs(
    path: Path,
    tasks: Iterable[tuple[str, Message]],
    *,
    prompt_id: str,
    prompt_sha256: str,
    client_context: ClientContext = SYNTHETIC_CLIENT,
) -> int:
    """Write one published input row a message and return how many; the file appears whole or not at all.

    So a harness made for the published set can be run on any messages. It must not send the sample id to its model.

    Args:
        path: The JSON Lines file to write; an existing one is replaced at the end.
        tasks: Sample id and message, e.g. of a built split.
        prompt_id: Id of the prompt the harness sends.
        prompt_sha256: SHA-256 of that prompt.
        client_context: The client all rows claim to come from.

    Raises:
        ConfigError: A sample id comes twice.
        InputFileError: The file cannot be written there.
        pydantic.ValidationError: A row would not be one of the published schema.
    """
    rows: dict[str, TaskRow] = {}
    for sample_id, message in tasks:
        if sample_id in rows:
            raise ConfigError(f"Sample id '{sample_id}' comes twice: give each row an id of its own.")
        rows[sample_id] = TaskRow.of(
            sample_id, message, prompt_id=prompt_id, prompt_sha256=prompt_sha256, client_context=client_context
        )
    return write_models(path, rows.values())
