"""The published benchmark's evaluator rows (protocol A.7): what scoring takes of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, field_validator, model_validator

from riskchain_gym.messages.json_lines import parse_row, read_objects
from riskchain_gym.messages.official_inputs import check_hash, check_new
from riskchain_gym.messages.official_predictions import intent_of
from riskchain_gym.messages.rows import Sha256
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import RestoredMessage
from riskchain_gym.protocol.gold import MessageGold
from riskchain_gym.protocol.message import Identifier, Platform
from riskchain_gym.protocol.model import Frozen


def _not_empty(name: str) -> str:
    # A length asked of pydantic would refuse half a surrogate pair too.
    if not name:
        raise ValueError("must not be empty")
    return name


class _Part(Frozen):
    """A part of a row whose other fields nothing here needs."""

    model_config = ConfigDict(extra="ignore")


class SourceMessage(_Part):
    """A message of the source session; only those that were transformed are scored."""

    message_id: Identifier
    transform: Annotated[bool, Field(strict=True)] = True

    @property
    def flagged(self) -> bool:
        """Whether the row says if it was transformed."""
        return "transform" in self.model_fields_set


class SourceSession(_Part):
    """The session before it was disguised; all of its messages have a flag, or none."""

    messages: Annotated[tuple[SourceMessage, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _all_or_none(self) -> Self:
        lacking = [n for n, message in enumerate(self.messages) if not message.flagged]
        if 0 < len(lacking) < len(self.messages):
            raise ValueError(f"messages.{lacking[0]}.transform: is missing, but others have it: give it to all or none")
        return self


class GoldText(_Part):
    """The canonical text of a message."""

    message_id: Identifier
    text: str


class GoldReconstruction(_Part):
    """The canonical session."""

    entry_value: Annotated[str, Field(min_length=1)]
    messages: Annotated[tuple[GoldText, ...], Field(min_length=1)]


class EvaluatorRow(_Part):
    """An evaluator row, as far as scoring needs it; ``record_sha256`` is the hash of the whole row without it.

    Where no message has a ``transform`` flag, all messages of the gold are scored.
    """

    schema_version: Literal[
        "obfuscated-session-generation/v0.1",
        "obfuscated-session-generation/v0.2",
        "obfuscated-session-generation/v0.3",
    ]
    sample_id: Identifier
    platform: Platform
    intent: Intent
    risk_type: str = ""
    obfuscation_types: tuple[Annotated[str, AfterValidator(_not_empty)], ...] = ()
    gold_reconstruction: GoldReconstruction
    source_session: SourceSession | None = None
    record_sha256: Sha256

    @field_validator("intent", mode="before")
    @classmethod
    def _published_form(cls, value: object) -> object:
        return intent_of(value) or value if isinstance(value, str) else value

    @model_validator(mode="after")
    def _texts_of_all(self) -> Self:
        source = self.source_session.messages if self.source_session else ()
        for name, ids in (
            ("source_session", [m.message_id for m in source]),
            ("gold_reconstruction", [m.message_id for m in self.gold_reconstruction.messages]),
        ):
            if len(set(ids)) != len(ids):
                raise ValueError(f"{name}.messages: message ids must be unique, got {ids}")
        if missing := self._scored() - {m.message_id for m in self.gold_reconstruction.messages}:
            raise ValueError(f"gold_reconstruction.messages: no text for {', '.join(sorted(missing))}")
        return self

    @property
    def flagged(self) -> bool:
        """Whether the row says which of its messages were transformed."""
        return self.source_session is not None and self.source_session.messages[0].flagged

    def _scored(self) -> set[str]:
        if self.source_session is None or not self.flagged:
            return {m.message_id for m in self.gold_reconstruction.messages}
        return {m.message_id for m in self.source_session.messages if m.transform}

    def gold(self) -> MessageGold:
        """Return what scoring takes: the messages that were transformed, the others being shown as they are."""
        session = self.source_session or self.gold_reconstruction
        scored = self._scored()
        return MessageGold(
            entry=self.gold_reconstruction.entry_value,
            messages=tuple(
                RestoredMessage(message_id=m.message_id, text=m.text)
                for m in self.gold_reconstruction.messages
                if m.message_id in scored
            ),
            intent=self.intent,
            platform=self.platform,
            skeleton="",
            topic=self.risk_type,
            form="single" if len(session.messages) == 1 else "turns",
        )


def read_evaluator_rows(path: Path) -> Iterator[tuple[str, MessageGold]]:
    """Yield the sample id and the gold of each published evaluator row, in order.

    Fields that scoring does not need are hashed with the rest and otherwise passed over.

    Args:
        path: The JSON Lines file, UTF-8.

    Raises:
        InputFileError: The file cannot be read or has no rows, a row is wrong, or a sample id comes twice.
    """
    first_line: dict[str, int] = {}
    for number, raw in read_objects(path):
        row = parse_row(path, number, raw, EvaluatorRow)
        check_hash(path, number, raw, "record_sha256")
        check_new(path, number, row.sample_id, first_line)
        yield row.sample_id, row.gold()
