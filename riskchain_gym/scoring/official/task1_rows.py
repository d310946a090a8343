"""The published evaluator and prediction rows, read from plain objects (protocol A.7, A.13)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from riskchain_gym.messages.official import EvaluatorRow, PredictionRow
from riskchain_gym.messages.rows import row_sha256
from riskchain_gym.scoring.official.rows import OfficialRowError, parse

_VARIANT = re.compile(r"--(v\d{3})$")


@dataclass(frozen=True, slots=True)
class GoldCase:
    """What a sample must be restored to.

    Attributes:
        row: Its evaluator row.
        scored: Canonical text by id of each message that was transformed.
        session: The sample id without its variant: the cluster of the bootstrap.
        variant: E.g. ``v000``; ``none`` where the sample id has none.
    """

    row: EvaluatorRow
    scored: dict[str, str]
    session: str
    variant: str


def read_gold(rows: Iterable[object]) -> dict[str, GoldCase]:
    """Return the gold of each sample, in order of the rows.

    Raises:
        OfficialRowError: There is no row, a row is wrong or does not hash to its ``record_sha256``, or a sample id
            comes twice.
    """
    cases: dict[str, GoldCase] = {}
    for number, raw in enumerate(rows, start=1):
        case = _gold_case(number, raw)
        _add(cases, case.row.sample_id, case, "evaluator", number)
    if not cases:
        raise OfficialRowError("evaluator", 0, "", "there is none, give one object a sample")
    return cases


def read_predicted(rows: Iterable[object], gold: Mapping[str, GoldCase]) -> dict[str, PredictionRow]:
    """Return the prediction for each sample that has one.

    Raises:
        OfficialRowError: There is no row, a row is wrong or of another model than the first, or a sample id has no
            gold or comes twice.
    """
    predicted: dict[str, PredictionRow] = {}
    model = ""
    for number, raw in enumerate(rows, start=1):
        row = parse("predictions", number, raw, PredictionRow)
        if row.sample_id not in gold:
            problem = f"{row.sample_id!r} has no evaluator row: give the gold of the samples that were predicted"
            raise OfficialRowError("predictions", number, "sample_id", problem)
        model = model or row.model_id
        if row.model_id != model:
            problem = f"is {row.model_id!r}, but {model!r} in row 1: score one model at a time"
            raise OfficialRowError("predictions", number, "model_id", problem)
        _add(predicted, row.sample_id, row, "predictions", number)
    if not predicted:
        raise OfficialRowError("predictions", 0, "", "there is none, give one object a sample")
    return predicted


def _gold_case(number: int, raw: object) -> GoldCase:
    row = parse("evaluator", number, raw, EvaluatorRow)
    assert isinstance(raw, Mapping), "it was parsed"
    if row.record_sha256 != (expected := _hash(number, raw)):
        problem = f"is {row.record_sha256} but the row hashes to {expected}: the row was changed, fetch it again"
        raise OfficialRowError("evaluator", number, "record_sha256", problem)
    variant = _VARIANT.search(row.sample_id)
    return GoldCase(
        row=row,
        scored={m.message_id: m.text for m in row.gold().messages},
        session=_VARIANT.sub("", row.sample_id),
        variant=variant[1] if variant else "none",
    )


def _hash(number: int, raw: Mapping[str, Any]) -> str:
    try:
        return row_sha256(raw, "record_sha256")
    except (TypeError, ValueError) as error:
        raise OfficialRowError("evaluator", number, "", f"is no JSON object ({error}), drop what is not") from error


def _add(rows: dict[str, Any], sample_id: str, row: object, source: Any, number: int) -> None:
    if sample_id in rows:
        raise OfficialRowError(source, number, "sample_id", f"{sample_id!r} comes twice, drop one")
    rows[sample_id] = row
