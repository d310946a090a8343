"""What a batch is to run, as a TOML file says it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, JsonValue, model_validator

from riskchain_gym.agents.overrides import Option, Overrides
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.toml_file import read_toml_model


class BatchAgent(Frozen):
    """An agent of a batch.

    Attributes:
        agent: Name of the agent, or the path of its TOML file.
        name: What its run folders are called; by default made of agent and model.
        model: Name of the model that it asks.
        base_url: Address of the model.
        settings: Further settings of the model.
        options: Options of the agent.
    """

    agent: Annotated[str, Field(min_length=1)]
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+@-]*$")] | None = None
    model: str | None = None
    base_url: str | None = None
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    options: dict[str, Option] = Field(default_factory=dict)

    @property
    def overrides(self) -> Overrides | None:
        """What wins over the agent's file; ``None`` if nothing does."""
        given = Overrides(model=self.model, base_url=self.base_url, settings=self.settings, options=self.options)
        return None if given == Overrides() else given

    @property
    def called(self) -> str:
        """What its run folders are called."""
        path = Path(self.agent)
        agent = path.stem if path.suffix == ".toml" else self.agent
        words = "-".join(filter(None, (agent, self.model)))
        return self.name or "".join(c if c.isascii() and (c.isalnum() or c in "._+@-") else "-" for c in words)


class BatchPlan(Frozen):
    """A batch.

    Attributes:
        splits: Splits by name or path.
        agents: The agents.
        backend: What shows the sites: ``chromium`` or ``text``.
        workers: Episodes side by side.
        chains: Only the first so many chains of each split; such runs are never ranked.
        repeats: How often each agent is run on each split.
        budgets: Browse actions that agents are told they have, one run for each; none for what the benchmark says.
        variants: Further variants of the messages to restore beside the episodes, or ``all``.
        max_cost: US dollars that each run may cost.
        cards: TOML file of model cards, from the folder that the batch is run in.
        baseline: Row of the board that others are compared with.
        published: Whether the board shows the published models, too.
    """

    splits: Annotated[tuple[str, ...], Field(min_length=1)]
    agents: Annotated[tuple[BatchAgent, ...], Field(min_length=1)]
    backend: str = "chromium"
    workers: Annotated[int, Field(ge=1)] = 2
    chains: Annotated[int, Field(ge=1)] | None = None
    repeats: Annotated[int, Field(ge=1)] = 1
    budgets: tuple[Annotated[int, Field(ge=1)], ...] = ()
    variants: tuple[str, ...] = ()
    max_cost: Annotated[float, Field(gt=0)] | None = None
    cards: str | None = None
    baseline: str = ""
    published: bool = False

    @model_validator(mode="after")
    def _told_apart(self) -> Self:
        called = [name for name, n in Counter(agent.called for agent in self.agents).items() if n > 1]
        if called:
            raise ValueError(f"agents: two are called '{called[0]}', give each a name of its own")
        return self


def read_plan(path: Path) -> BatchPlan:
    """Return the batch that a TOML file describes.

    Raises:
        InputFileError: It cannot be read, or a field is unknown, missing or malformed.
    """
    return read_toml_model(path, BatchPlan, BatchAgent)
