"""ŵ: the expected web outcome of a chain, frozen at reset."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.model import Frozen


class WebOutcome(Frozen):
    """One row of a ``WebOutcomes`` file.

    Attributes:
        chain_id: The chain.
        w_hat: Expected a^w on it, 0 to 1.
    """

    chain_id: str
    w_hat: Annotated[float, Field(ge=0, le=1)]


class WebOutcomes:
    """Expected web outcomes, one for all chains or one a chain.

    Args:
        constant: The value for every chain, 0 to 1, or ``None``.
        by_chain: Values by chain id; used when there is no constant.
        source: Where they come from, for error messages.
    """

    def __init__(self, constant: float | None, by_chain: Mapping[str, float], source: str) -> None:
        self._constant = constant
        self._by_chain = dict(by_chain)
        self._source = source

    @classmethod
    def load(cls, value: float | str) -> WebOutcomes:
        """Read a constant or a JSONL file of :class:`WebOutcome` rows.

        Raises:
            ConfigError: The file does not exist.
            InputFileError: The file is not UTF-8, a line is malformed or a chain occurs twice.
        """
        if not isinstance(value, str):
            return cls(float(value), {}, str(value))
        path = Path(value)
        if not os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises for a name that no file can have
            raise ConfigError(
                f"web_outcomes: there is no file {shown(value, 200)}; give a number from 0 to 1 or a JSONL file."
            )
        rows: dict[str, float] = {}
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise InputFileError(path, "", f"is not UTF-8 text ({error}): save it as UTF-8.") from error
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                row = WebOutcome.model_validate_json(line)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                field = ".".join(str(part) for part in first["loc"])
                raise InputFileError(path, f"line {number}" + (f": {field}" if field else ""), first["msg"]) from error
            if row.chain_id in rows:
                raise InputFileError(path, f"line {number}: chain_id", f"'{row.chain_id}' has a row already")
            rows[row.chain_id] = row.w_hat
        return cls(None, rows, value)

    def of(self, chain_id: str) -> float:
        """Return ŵ of a chain.

        Raises:
            ConfigError: The chain has no row.
        """
        if self._constant is not None:
            return self._constant
        if chain_id not in self._by_chain:
            raise ConfigError(
                f"web_outcomes: {self._source} has no row for chain '{chain_id}': make the file on the same split, or "
                "choose other chains."
            )
        return self._by_chain[chain_id]

    def check(self, chain_ids: Iterable[str]) -> None:
        """Raise for the first chain without a row; of an endless number of chains no more are looked at than have one.

        Raises:
            ConfigError: A chain has no row.
        """
        if self._constant is not None:
            return
        for chain_id in chain_ids:
            self.of(chain_id)
