"""Model cards: what no run can know of a model or an agent, such as its knowledge cut-off."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.toml_file import read_toml_model


class Card(Frozen):
    """What is known of a model or an agent.

    Attributes:
        cutoff: Knowledge cut-off: a year, a month or a day, as ``2025``, ``2025-08`` or ``2025-08-31``.
        provider: Who serves it.
        notes: Anything else, in a sentence.
    """

    cutoff: Annotated[str, Field(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")] | None = None
    provider: str = ""
    notes: str = ""


class Cards(Frozen):
    """The cards of a board.

    Attributes:
        models: By the name of the model, as it was asked for or as it answered.
        agents: By the name of the agent; wins over the card of its model.
    """

    models: dict[str, Card] = Field(default_factory=dict)
    agents: dict[str, Card] = Field(default_factory=dict)

    def of(self, agent: str, models: tuple[str, ...]) -> Card | None:
        """Return the card of an agent, or else of the first of its models that has one.

        Args:
            agent: Name of the agent.
            models: Its models, those that answered first.
        """
        if agent in self.agents:
            return self.agents[agent]
        return next((self.models[model] for model in models if model in self.models), None)


def read_cards(path: Path) -> Cards:
    """Return the cards that a TOML file holds: tables ``[models."NAME"]`` and ``[agents."NAME"]``.

    Raises:
        InputFileError: It cannot be read, or a field is unknown or malformed.
    """
    return read_toml_model(path, Cards, Card)
