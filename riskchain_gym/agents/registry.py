"""The agents of ``baselines/``, their parts, and agents of one's own from a TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Literal

from riskchain_gym.agents.base import Agent, Investigator, Restorer
from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.spec import AgentSpec, Parameters, PartSpec, make, read_spec
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import ConfigError, InputFileError, UnknownNameError
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.model import sha256_of

Part = Literal["restorer", "investigator"]

PARTS_FOLDER = "parts"
"""Folder of ``baselines/`` that holds restorers and investigators."""


@dataclass(frozen=True)
class LoadedAgent:
    """An agent ready to run, one episode at a time.

    Attributes:
        spec: What its file says, or what stands for its combined name.
        agent: The agent.
        sha256: Hash of its configuration, parts included.
    """

    spec: AgentSpec
    agent: Agent
    sha256: str

    def prepare(self, gold: GoldChain) -> None:
        """Give an oracle the gold of its next episode.

        Raises:
            ConfigError: The agent is no oracle; nobody else is shown gold.
        """
        prepare = getattr(self.agent, "prepare", None)
        if self.spec.kind != "oracle" or prepare is None:
            raise ConfigError(f"Agent '{self.spec.name}' is no oracle: only kind = \"oracle\" is given gold.")
        prepare(gold)


def agent_names() -> tuple[str, ...]:
    """Return the names of the agents in ``baselines/``, sorted; parts can be combined to more (``rules+explorer``)."""
    return tuple(sorted(_agents()))


def part_names(part: Part) -> tuple[str, ...]:
    """Return the names of the registered parts of one half, sorted."""
    return tuple(sorted(name for name, (spec, _) in _parts().items() if spec.part == part))


def load_agent(name_or_path: str) -> LoadedAgent:
    """Make an agent.

    Args:
        name_or_path: A name of :func:`agent_names`, ``RESTORER+INVESTIGATOR`` by part names, or the path of a TOML
            file (see :class:`~riskchain_gym.agents.spec.AgentSpec`).

    Raises:
        UnknownNameError: There is no agent or part of that name; near matches are listed.
        InputFileError: The TOML file, or a class it names, is wrong.
    """
    if name_or_path.endswith(".toml"):
        file = Path(name_or_path)
        return _load(read_spec(AgentSpec, file), file)
    if name_or_path in _agents():
        return _load(*_agents()[name_or_path])
    restorer, plus, investigator = name_or_path.partition("+")
    if not plus:
        raise _unknown("agent", name_or_path, agent_names())
    halves: tuple[tuple[str, Part], ...] = ((restorer, "restorer"), (investigator, "investigator"))
    for name, part in halves:
        if name not in part_names(part):
            raise _unknown(part, name, part_names(part))
    summary = f"The restorer '{restorer}' with the investigator '{investigator}'."
    spec = AgentSpec(name=name_or_path, summary=summary, restorer=restorer, investigator=investigator)
    return _load(spec, content_dir("baselines") / f"{name_or_path}.toml")


def load_restorer(name: str) -> Restorer:
    """Make a registered restorer on its own, for restoring files of messages.

    Raises:
        UnknownNameError: There is no restorer of that name; near matches are listed.
        InputFileError: Its class is wrong.
    """
    if name not in part_names("restorer"):
        raise _unknown("restorer", name, part_names("restorer"))
    spec, file = _parts()[name]
    restorer = make(spec.class_path, spec.parameters, file, "class_path")
    if not isinstance(restorer, Restorer):
        raise InputFileError(file, "class_path", f"{spec.class_path} is no restorer: it needs restore")
    return restorer


def _load(spec: AgentSpec, file: Path) -> LoadedAgent:
    used: list[PartSpec] = []
    if spec.agent is not None:
        agent = make(spec.agent, spec.parameters, file, "agent")
        if not isinstance(agent, Agent):
            raise InputFileError(file, "agent", f"{spec.agent} is no agent: it needs reset, act and close")
    else:
        restorer = _half(spec.restorer, spec.restorer_parameters, "restorer", file, used)
        investigator = _half(spec.investigator, spec.investigator_parameters, "investigator", file, used)
        if not isinstance(restorer, Restorer):
            raise InputFileError(file, "restorer", f"{spec.restorer} is no restorer: it needs restore")
        if not isinstance(investigator, Investigator):
            raise InputFileError(
                file, "investigator", f"{spec.investigator} is no investigator: it needs reset and investigate"
            )
        agent = ChainAgent(restorer, investigator)
    if spec.kind == "oracle" and not hasattr(agent, "prepare"):
        raise InputFileError(file, "kind", "an oracle needs a method prepare(gold)")
    content = [spec.model_dump(mode="json"), *(part.model_dump(mode="json") for part in used)]
    return LoadedAgent(spec, agent, sha256_of(content))


def _half(
    named: str | None,
    parameters: Parameters,
    part: Part,
    file: Path,
    used: list[PartSpec],
) -> object:
    assert named is not None
    if ":" in named:
        return make(named, parameters, file, part)
    if named not in part_names(part):
        raise InputFileError(file, part, str(_unknown(part, named, part_names(part))))
    if parameters:
        raise InputFileError(file, f"{part}_parameters", f"only a class path takes them, '{named}' brings its own")
    spec, part_file = _parts()[named]
    used.append(spec)
    return make(spec.class_path, spec.parameters, part_file, "class_path")


def _unknown(what: str, name: str, known: tuple[str, ...]) -> UnknownNameError:
    near = get_close_matches(name, known, n=3)
    hint = f"did you mean {', '.join(near)}?" if near else f"known are {', '.join(known)}."
    return UnknownNameError(f"There is no {what} '{name}': {hint} A TOML file of your own is given by its path.")


@cache
def _agents() -> dict[str, tuple[AgentSpec, Path]]:
    files = sorted(content_dir("baselines").glob("*.toml"))
    specs = [(read_spec(AgentSpec, file), file) for file in files]
    return {spec.name: (spec, file) for spec, file in specs}


@cache
def _parts() -> dict[str, tuple[PartSpec, Path]]:
    files = sorted((content_dir("baselines") / PARTS_FOLDER).glob("*.toml"))
    specs = [(read_spec(PartSpec, file), file) for file in files]
    return {spec.name: (spec, file) for spec, file in specs}
