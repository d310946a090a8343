"""Putting an agent together from its spec: classes, parameters, and the models that they ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.agents.base import Agent, Investigator, Restorer
from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.models import Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.spec import AgentSpec, Part, PartSpec, code_sha256, find_class, is_own, make
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.errors import ConfigError, InputFileError, RiskChainError, UnknownNameError

FindPart = Callable[[Part, str], tuple[PartSpec, Path]]

_UNSEEN = frozenset({"base_url", "endpoint", "timeout", "concurrency"})
"""Settings of a model that say where it is and how patiently it is waited for, and nothing of what it answers."""

_PARAMETERS = frozenset({"parameters", "restorer_parameters", "investigator_parameters"})
"""Fields of a spec that the parts are told of with what is laid over them."""


@dataclass(frozen=True)
class Assembled:
    """An agent and what made it.

    Attributes:
        agent: The agent.
        config: Everything that can change what it does.
        models: How its models are asked.
        asked: What it asks them through.
    """

    agent: Agent
    config: dict[str, JsonValue]
    models: tuple[ModelSettings, ...]
    asked: tuple[AskedModel, ...]


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
    try:
        agent = bench.agent()
        if not bench.models and (overrides.table or overrides.options or spec.model or spec.options):
            raise ConfigError(f"Agent '{spec.name}' asks no model: leave out model, address, settings and options.")
    except BaseException:
        bench.close()
        raise
    return Assembled(agent, bench.config(), tuple(bench.models), tuple(bench.asked))


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
        self._desks: list[Models] = []
        self.models: list[ModelSettings] = []
        self.asked: list[AskedModel] = []

    def agent(self) -> Agent:
        if self._spec.agent is None:
            return ChainAgent(self._restorer(), self._investigator())
        made = self._make(self._spec.agent, self._spec.parameters, self._file, "agent")
        if not isinstance(made, Agent):
            raise InputFileError(self._file, "agent", f"{self._spec.agent} is no agent: it needs reset, act and close")
        return made

    def close(self) -> None:
        """Let go of what was opened for this agent alone."""
        for desk in self._desks:
            desk.close()

    def _restorer(self) -> Restorer:
        made = self._half(self._spec.restorer, self._spec.restorer_parameters, "restorer")
        if not isinstance(made, Restorer):
            raise InputFileError(self._file, "restorer", f"{self._spec.restorer} is no restorer: it needs restore")
        return made

    def _investigator(self) -> Investigator:
        made = self._half(self._spec.investigator, self._spec.investigator_parameters, "investigator")
        if not isinstance(made, Investigator):
            named = self._spec.investigator
            problem = f"{named} is no investigator: it needs reset and investigate"
            raise InputFileError(self._file, "investigator", problem)
        return made

    def config(self) -> dict[str, JsonValue]:
        """Return what makes the agent what it is; how it is described is no part of that."""
        said = self._spec.model_dump(mode="json", exclude={"summary", "model", "options"} | _PARAMETERS)
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
            return self._make(named, parameters, self._file, part)
        if parameters:
            raise InputFileError(
                self._file, f"{part}_parameters", f"only a class path takes them, '{named}' brings its own"
            )
        return self._make(found.class_path, found.parameters, part_file, "class_path", model=model)

    def _make(
        self, class_path: str, parameters: Mapping[str, Any], file: Path, field: str, *, model: str = ""
    ) -> object:
        """Make an instance; what asks a model is given one, and the options."""
        kind = find_class(class_path, file, field)
        asks_model = getattr(kind, "asks_model", False)
        options = {**self._spec.options, **self._overrides.options} if asks_model else {}
        if is_own(kind):
            told = {"parameters": {**parameters, **options}, "code_sha256": code_sha256(kind)}
        else:
            # Options of the package's own classes are in what these say of themselves, defaults among them.
            told = {"parameters": dict(parameters)}
        self._parts.append({"class_path": class_path, **told})
        if not asks_model:
            return make(kind, parameters, file, field)
        desk = self._shared or self._desk()
        try:
            settings = desk.settings(self._table(model))
            asked = desk.asked(settings, closing=None if desk is self._shared else desk.close)
            made = make(kind, {**parameters, **options, "model": asked}, file, field)
        except RiskChainError as error:
            # What a class says of options that a command line gives is no fault of its file.
            if options and isinstance(error.__cause__, ConfigError):
                raise error.__cause__ from None
            raise
        self.models.append(settings)
        self.asked.append(asked)
        self._identities.append(getattr(made, "identity", None))
        return made

    def _desk(self) -> Models:
        self._desks.append(Models())
        return self._desks[-1]

    def _table(self, model: str) -> dict[str, Any]:
        table = {**self._spec.model, **self._overrides.table}
        if model and table.get("model", model) != model:
            raise ConfigError(f"The model is named twice, as '{model}' and as '{table['model']}': name it once.")
        return {**table, "model": model} if model else table
