"""Putting an agent together from its spec: classes, parameters, and the models that they ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from riskchain_gym.agents.base import Agent, Investigator, Restorer
from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.models import Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.spec import AgentSpec, Part, PartSpec, find_class, make
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.errors import ConfigError, InputFileError, RiskChainError, UnknownNameError

FindPart = Callable[[Part, str], tuple[PartSpec, Path]]

_UNSEEN = frozenset({"base_url", "timeout", "attempts", "concurrency", "max_reply_bytes"})
"""Settings of a model that say where it is and how patiently it is asked, and nothing of what it answers."""


@dataclass(frozen=True)
class Assembled:
    """An agent and what made it.

    Attributes:
        agent: The agent.
        config: Everything that can change what it does.
        models: How its models are asked.
    """

    agent: Agent
    config: dict[str, JsonValue]
    models: tuple[ModelSettings, ...]


def assemble(
    spec: AgentSpec, file: Path, find_part: FindPart, models: Models | None, overrides: Overrides
) -> Assembled:
    """Make the agent of a spec.

    Args:
        spec: What is said of it.
        file: The file that says so.
        find_part: Finds a registered part.
        models: Opens models; else each agent has its own.
        overrides: Settings that win.

    Raises:
        InputFileError: A class is missing or refuses its parameters.
        ConfigError: A model is not named, or a setting or an option cannot be.
        MissingExtraError: A model is asked, and the ``llm`` extra is not installed.
    """
    bench = _Bench(spec, file, find_part, models, overrides)
    if spec.agent is not None:
        agent = bench.make(spec.agent, spec.parameters, file, "agent")
        if not isinstance(agent, Agent):
            raise InputFileError(file, "agent", f"{spec.agent} is no agent: it needs reset, act and close")
    else:
        agent = ChainAgent(bench.restorer(), bench.investigator())
    if not bench.models and (overrides.table or overrides.options or spec.model or spec.options):
        raise ConfigError(f"Agent '{spec.name}' asks no model: leave out model, address, settings and options.")
    return Assembled(agent, bench.config(), tuple(bench.models))


class _Bench:
    """Makes the parts of one agent and keeps account of them."""

    def __init__(
        self, spec: AgentSpec, file: Path, find_part: FindPart, models: Models | None, overrides: Overrides
    ) -> None:
        self._spec = spec
        self._file = file
        self._find_part = find_part
        self._shared = models
        self._overrides = overrides
        self._parts: list[JsonValue] = []
        self._identities: list[JsonValue] = []
        self.models: list[ModelSettings] = []

    def restorer(self) -> Restorer:
        made = self._half(self._spec.restorer, self._spec.restorer_parameters, "restorer")
        if not isinstance(made, Restorer):
            raise InputFileError(self._file, "restorer", f"{self._spec.restorer} is no restorer: it needs restore")
        return made

    def investigator(self) -> Investigator:
        made = self._half(self._spec.investigator, self._spec.investigator_parameters, "investigator")
        if not isinstance(made, Investigator):
            named = self._spec.investigator
            problem = f"{named} is no investigator: it needs reset and investigate"
            raise InputFileError(self._file, "investigator", problem)
        return made

    def config(self) -> dict[str, JsonValue]:
        """Return what makes the agent what it is; how it is described is no part of that."""
        said = self._spec.model_dump(mode="json", exclude={"summary", "model", "options"})
        asked: list[JsonValue] = [each.model_dump(mode="json", exclude=set(_UNSEEN)) for each in self.models]
        return {"spec": said, "parts": self._parts, "models": asked, "identities": self._identities}

    def _half(self, named: str | None, parameters: Mapping[str, Any], part: Part) -> object:
        assert named is not None
        name, _, model = named.partition(":")
        try:
            found, part_file = self._find_part(part, name)
        except UnknownNameError as error:
            if ":" not in named:
                raise InputFileError(self._file, part, str(error)) from error
            return self.make(named, parameters, self._file, part)
        if parameters:
            raise InputFileError(
                self._file, f"{part}_parameters", f"only a class path takes them, '{named}' brings its own"
            )
        self._parts.append(found.model_dump(mode="json", exclude={"summary"}))
        return self.make(found.class_path, found.parameters, part_file, "class_path", model=model)

    def make(
        self, class_path: str, parameters: Mapping[str, Any], file: Path, field: str, *, model: str = ""
    ) -> object:
        """Make an instance; what asks a model is given one, and the options."""
        kind = find_class(class_path, file, field)
        if not getattr(kind, "asks_model", False):
            return make(kind, parameters, file, field)
        options = {**self._spec.options, **self._overrides.options}
        desk = self._shared or Models()
        closing = None if desk is self._shared else desk.close
        try:
            settings = desk.settings(self._table(model))
            asked = desk.asked(settings, closing=closing)
            made = make(kind, {**parameters, **options, "model": asked}, file, field)
        except RiskChainError as error:
            if closing is not None:
                closing()
            # What a class says of options that a command line gives is no fault of its file.
            if options and isinstance(error.__cause__, ConfigError):
                raise error.__cause__ from None
            raise
        self.models.append(settings)
        self._identities.append(getattr(made, "identity", None))
        return made

    def _table(self, model: str) -> dict[str, Any]:
        table = {**self._spec.model, **self._overrides.table}
        if model and table.get("model", model) != model:
            raise ConfigError(f"The model is named twice, as '{model}' and as '{table['model']}': name it once.")
        return {**table, "model": model} if model else table
