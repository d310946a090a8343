"""Rows that cannot be scored, and settings that cannot be honoured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from riskchain_gym.protocol.errors import ConfigError, RiskChainError
from riskchain_gym.protocol.invalid import first_problem

M = TypeVar("M", bound=BaseModel)

MAX_REPLICATES = 100_000
"""Fifty times the published number; all of them are held in memory at once."""

Source = Literal["evaluator", "predictions", "paired"]


class OfficialRowError(RiskChainError, ValueError):
    """Rows that cannot be scored; nothing was.

    Attributes:
        source: Which of the inputs.
        row: The offending row's place in it, from 1; 0 for the rows as a whole.
        field: The offending field (dotted path), or ``""`` for the row as a whole.
        problem: What is wrong, what was given and what to do.
    """

    def __init__(self, source: Source, row: int, field: str, problem: str) -> None:
        self.source = source
        self.row = row
        self.field = field
        self.problem = problem
        super().__init__(source, row, field, problem)

    @property
    def where(self) -> str:
        """The place within the input, e.g. ``row 3: gate_pass``."""
        return ": ".join(filter(None, (f"row {self.row}" if self.row else "", self.field)))

    def __str__(self) -> str:
        return ": ".join(filter(None, (f"{self.source} rows", self.where, self.problem)))


def parse(source: Source, number: int, raw: object, model: type[M]) -> M:
    """Return the model that a row holds.

    Args:
        source: Which input the row is of, for errors.
        number: Its place, from 1.
        raw: The row, a JSON object.
        model: What it must hold.

    Raises:
        OfficialRowError: It is no object, or a field is wrong.
    """
    if not isinstance(raw, Mapping):
        raise OfficialRowError(source, number, "", f"must be an object, got {type(raw).__name__}")
    try:
        return model.model_validate(dict(raw))
    except ValidationError as error:
        raise OfficialRowError(source, number, *first_problem(error)) from error


def shown(value: object) -> str:
    """Return a value as errors show it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def named(name: str) -> str:
    """Return a name as errors show it: as it stands, or as :func:`shown` where it would not fit into a sentence."""
    return name if name.isprintable() and len(name) <= 80 else shown(name)


def check_settings(*, replicates: Any, seed: Any) -> None:
    """Refuse settings that no bootstrap can be made with.

    Raises:
        ConfigError: One is no integer, or there would be no replicate or more than :data:`MAX_REPLICATES`.
    """
    for name, value in (("replicates", replicates), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise ConfigError(f"{name}: must be an integer, got {shown(value)}.")
    if not 1 <= replicates <= MAX_REPLICATES:
        raise ConfigError(f"replicates: must be 1 to {MAX_REPLICATES}, got {replicates}.")
