"""What tokens cost. A model that is not in the table has no price; no price is never 0."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated

from pydantic import Field

from riskchain_gym.llm.reply import Usage
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.toml_file import read_toml_model

PerMillion = Annotated[float, Field(ge=0)]
"""US dollars for a million tokens."""

_MILLION = 1_000_000


class Price(Frozen):
    """Price of one model.

    Attributes:
        input: Tokens of the request.
        cached_input: Tokens of the request that the server had in its own cache; ``None`` if they cost no less.
        output: Tokens of the answer.
    """

    input: PerMillion
    cached_input: PerMillion | None = None
    output: PerMillion

    def cost(self, usage: Usage) -> float:
        """Return the price of an answer's tokens in US dollars."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = usage.input_tokens - usage.cached_input_tokens
        return (fresh * self.input + usage.cached_input_tokens * cached + usage.output_tokens * self.output) / _MILLION


class PriceTable(Frozen):
    """Prices by the exact name of the model.

    Attributes:
        as_of: Day that the prices were taken on.
        source: Where they were taken from.
        models: The prices.
    """

    as_of: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    source: str = Field(min_length=1)
    models: dict[str, Price]

    def cost(self, model: str, usage: Usage | None) -> float | None:
        """Return the price of an answer in US dollars, or ``None`` if the model's price or the tokens are unknown."""
        price = self.models.get(model)
        return None if price is None or usage is None else price.cost(usage)


def shipped_prices(override: Path | None = None) -> PriceTable:
    """Return the prices that come with the package, and over them those of a file of the same format.

    Args:
        override: A TOML file with ``as_of``, ``source`` and one table ``[models."NAME"]`` a model.

    Raises:
        InputFileError: The file cannot be read as a price table.
    """
    with resources.as_file(resources.files(__package__).joinpath("prices.toml")) as shipped:
        table = read_toml_model(shipped, PriceTable, Price)
    if override is None:
        return table
    own = read_toml_model(override, PriceTable, Price)
    return PriceTable(as_of=own.as_of, source=own.source, models={**table.models, **own.models})
