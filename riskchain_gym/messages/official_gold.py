"""The published benchmark's evaluator rows (protocol A.7): what scoring takes of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from riskchain_gym.messages.json_lines import parse_row, read_objects
from riskchain_gym.messages.official_inputs import check_hash, check_new
from riskchain_gym.messages.official_predictions import intent_of
from riskchain_gym.messages.rows import Sha256
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import RestoredMessage
from riskchain_gym.protocol.gold import MessageGold
from riskchain_gym.protocol.message import Identifier, Platform
from riskchain_gym.protocol.model import Frozen


class _Part(Frozen):
    """A part of a row whose other fields nothing here needs."""

    model_config = ConfigDict(extra="ignore")


class SourceMessage(_Part):
    """A message of the source session; only those that were transformed are scored."""

    message_id: Identifier
    transform: bool


class SourceSession(_Part):
    """The session before it was disguised."""

    messages: Annotated[tuple[SourceMessage, ...], Field(min_length=1)]


class GoldText(_Part):
    """The canonical text of a message."""

    message_id: Identifier
    text: str


class GoldReconstruction(_Part):
    """The canonical session."""

    entry_value: Annotated[str, Field(min_length=1)]
    messages: Annotated[tuple[GoldText, ...], Field(min_length=1)]


class EvaluatorRow(_Part):
    """An evaluator row, as far as scoring needs it; ``record_sha256`` is the hash of the whole row without it."""

    schema_version: Literal[
        "obfuscated-session-generation/v0.1",
        "obfuscated-session-generation/v0.2",
        "obfuscated-session-generation/v0.3",
    ]
    sample_id: Identifier
    platform: Platform
    intent: Intent
    risk_type: str = ""
    source_session: SourceSession
    gold_reconstruction: GoldReconstruction
    record_sha256: Sha256

    @field_validator("intent", mode="before")
    @classmethod
    def _published_form(cls, value: object) -> object:
        return intent_of(value) or value if isinstance(value, str) else value

    @model_validator(mode="after")
    def _texts_of_all(self) -> Self:
        for name, ids in (
            ("source_session", [m.message_id for m in self.source_session.messages]),
            ("gold_reconstruction", [m.message_id for m in self.gold_reconstruction.messages]),
        ):
            if len(set(ids)) != len(ids):
                raise ValueError(f"{name}.messages: message ids must be unique, got {ids}")
        if missing := self._scored() - {m.message_id for m in self.gold_reconstruction.messages}:
            raise ValueError(f"gold_reconstruction.messages: no text for {', '.join(sorted(missing))}")
        return self

    def _scored(self) -> set[str]:
        return {m.message_id for m in self.source_session.messages if m.transform}

    def gold(self) -> MessageGold:
        """Return what scoring takes: the messages that were transformed, the others being shown as they are."""
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
            form="single" if len(self.source_session.messages) == 1 else "turns",
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
