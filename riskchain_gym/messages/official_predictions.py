"""The published benchmark's prediction rows (protocol A.13)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from riskchain_gym.messages.json_lines import parse_row, read_objects, write_models
from riskchain_gym.messages.official_inputs import check_new
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import MAX_CANDIDATES, Commit, RestoredMessage
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import Identifier, Platform
from riskchain_gym.protocol.model import Frozen

InputView = Literal["TOKEN_TEXT", "RENDERED_SCREENSHOT", "OCR_TEXT", "MULTIMODAL"]

_IDENTIFIER: TypeAdapter[str] = TypeAdapter(Identifier)


class PredictedEntry(Frozen):
    """A ranked entry of a prediction row."""

    rank: Annotated[int, Field(strict=True, ge=1, le=10)]
    value: str
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]


class PredictedRestoration(Frozen):
    """What a prediction row says, as scoring takes it: a commit whose texts have any length and its intent any form.

    Attributes:
        intent: As the row has it. One that is empty, as in a row of a failed case, or unknown equals no gold intent.
        entry_candidates: At most five, ranked from 1.
    """

    reconstructed_messages: tuple[RestoredMessage, ...]
    intent: str
    platform: Platform | Literal["unknown"]
    entry_candidates: Annotated[tuple[PredictedEntry, ...], Field(max_length=MAX_CANDIDATES)]
    abstain: bool


class PredictionRow(Frozen):
    """A row of a published prediction file; nothing in it is limited in length."""

    schema_version: Literal["obfuscated-reconstruction-prediction/v0.1"] = "obfuscated-reconstruction-prediction/v0.1"
    sample_id: Identifier
    model_id: Identifier
    run_id: Identifier
    input_view: InputView = "TOKEN_TEXT"
    reconstructed_messages: tuple[RestoredMessage, ...]
    intent: str
    platform: Platform | Literal["unknown"]
    entry_candidates: Annotated[tuple[PredictedEntry, ...], Field(max_length=10)]
    abstain: Annotated[bool, Field(strict=True)]
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

    def restoration(self) -> PredictedRestoration:
        """Return what scoring takes: whole texts, the intent as written, the five best candidates ranked from 1."""
        ranked = sorted(self.entry_candidates, key=lambda candidate: candidate.rank)[:MAX_CANDIDATES]
        return PredictedRestoration(
            reconstructed_messages=self.reconstructed_messages,
            intent=self.intent,
            platform=self.platform,
            entry_candidates=tuple(
                candidate.model_copy(update={"rank": rank}) for rank, candidate in enumerate(ranked, start=1)
            ),
            abstain=self.abstain,
        )


def intent_of(text: str) -> Intent | None:
    """Return the intent that a text names in the published normal form (NFKC, case and white space folded)."""
    name = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return next((intent for intent in Intent if intent.casefold() == name), None)


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


def read_predictions(path: Path) -> Iterator[PredictionRow]:
    """Yield the rows of a published prediction file, in order; scoring takes their :meth:`PredictionRow.restoration`.

    Args:
        path: The JSON Lines file, UTF-8.

    Raises:
        InputFileError: The file cannot be read or has no rows, a row is wrong, or a sample id comes twice.
    """
    first_line: dict[str, int] = {}
    for number, raw in read_objects(path):
        row = parse_row(path, number, raw, PredictionRow)
        check_new(path, number, row.sample_id, first_line)
        yield row


def write_predictions(path: Path, commits: Iterable[tuple[str, Commit]], *, model_id: str, run_id: str) -> int:
    """Write one prediction row a commit and return how many; the file appears whole or not at all.

    Args:
        path: The JSON Lines file to write; an existing one is replaced at the end.
        commits: Sample id and commit, e.g. made while reading input rows.
        model_id: Who predicted.
        run_id: In which run.

    Raises:
        InputFileError: The file cannot be written there.
        pydantic.ValidationError: An id does not match the published pattern.
    """
    return write_models(
        path, (PredictionRow.of(sample_id, commit, model_id=model_id, run_id=run_id) for sample_id, commit in commits)
    )
