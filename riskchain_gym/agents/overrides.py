"""What a command line says about an agent, laid over what its file says."""

from __future__ import annotations

from pydantic import Field, JsonValue

from riskchain_gym.protocol.model import Frozen

Option = str | int | float | bool


class Overrides(Frozen):
    """Settings that win over those of an agent's file.

    Attributes:
        model: Name of the model that every part asks.
        base_url: Its address.
        settings: Further fields of :class:`~riskchain_gym.llm.settings.ModelSettings`.
        options: Options of the parts that ask a model, see :class:`~riskchain_gym.agents.llm.options.LLMOptions`.
    """

    model: str | None = None
    base_url: str | None = None
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    options: dict[str, Option] = Field(default_factory=dict)

    @property
    def table(self) -> dict[str, JsonValue]:
        """The fields of model settings that are given here."""
        named = {"model": self.model, "base_url": self.base_url}
        return {**self.settings, **{name: value for name, value in named.items() if value is not None}}
