"""The agents of ``baselines/``, their parts, and agents of one's own from a TOML file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from pydantic import JsonValue

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.agents.assembly import assemble
from riskchain_gym.agents.base import Agent, Restorer
from riskchain_gym.agents.models import Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.spec import AgentSpec, Parameters, Part, PartSpec, find_class, make, read_spec
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError, InputFileError, UnknownNameError
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.model import sha256_of

PARTS_FOLDER = "parts"
"""Folder of ``baselines/`` that holds restorers and investigators."""


@dataclass(frozen=True)
class LoadedAgent:
    """An agent ready to run, one episode at a time.

    Attributes:
        spec: What its file says, or what stands for its combined name.
        agent: The agent.
        config: Everything that can change what it does: spec, parts, models, prompts. No address, and no key.
        models: How the models that it asks are asked, the restorer's first; empty if it asks none.
        options: Options of the parts that ask a model, those that were laid over the spec's among them.
        asked: What it asks its models through, in the same order; they keep account of it, and not the agent.
    """

    spec: AgentSpec
    agent: Agent
    config: dict[str, JsonValue]
    models: tuple[ModelSettings, ...] = ()
    options: Parameters = field(default_factory=dict)
    asked: tuple[AskedModel, ...] = ()

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """What it asked since :meth:`begin_episode`, the restorer's calls first; failed ones are among them."""
        return tuple(call for each in self.asked for call in each.episode_calls)

    @property
    def lost(self) -> InfrastructureError | ConfigError | None:
        """What asking raised since :meth:`begin_episode`: there is no result then, whatever the agent made of it."""
        return next((each.lost for each in self.asked if each.lost is not None), None)

    def begin_episode(self) -> None:
        """Forget what was asked in the last episode."""
        for each in self.asked:
            each.begin_episode()

    @property
    def sha256(self) -> str:
        """Hash of its configuration."""
        return sha256_of(self.config)

    @property
    def asks_model(self) -> bool:
        """Whether it asks a model."""
        return bool(self.models)

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
    return tuple(sorted(name for kind, name in _parts() if kind == part))


def find_spec(name_or_path: str) -> tuple[AgentSpec, Path]:
    """Return what is said of an agent, and the file that says it or would.

    Args:
        name_or_path: A name of :func:`agent_names`, ``RESTORER+INVESTIGATOR`` by part names, the path of a TOML file,
            or ``llm:MODEL`` in place of ``llm`` in any of these names.

    Raises:
        UnknownNameError: There is no agent or part of that name; near matches are listed.
        InputFileError: The TOML file is wrong.
    """
    if name_or_path.endswith(".toml"):
        file = Path(name_or_path)
        return read_spec(AgentSpec, file), file
    if name_or_path in _agents():
        return _agents()[name_or_path]
    halves = _halves(name_or_path)
    if halves is None and _asking(name_or_path, "restorer") and _asking(name_or_path, "investigator"):
        halves = name_or_path, name_or_path
    if halves is None:
        raise _unknown_combination(name_or_path)
    summary = f"The restorer '{halves[0]}' with the investigator '{halves[1]}'."
    spec = AgentSpec(name=_folder_name(name_or_path), summary=summary, restorer=halves[0], investigator=halves[1])
    return spec, content_dir("baselines") / f"{spec.name}.toml"


def load_agent(name_or_path: str, *, models: Models | None = None, overrides: Overrides | None = None) -> LoadedAgent:
    """Make an agent.

    Args:
        name_or_path: See :func:`find_spec`.
        models: Opens the models that the agent asks; else the agent has a client of its own, closed with it.
        overrides: Settings that win over those of its file.

    Raises:
        UnknownNameError: There is no agent or part of that name; near matches are listed.
        InputFileError: The TOML file, or a class it names, is wrong.
        ConfigError: It asks a model and none is named, or a setting or an option cannot be.
        MissingExtraError: It asks a model, and the ``llm`` extra is not installed.
    """
    spec, file = find_spec(name_or_path)
    overrides = overrides or Overrides()
    made = assemble(spec, file, find_part, models, overrides)
    if spec.kind == "oracle" and not hasattr(made.agent, "prepare"):
        raise InputFileError(file, "kind", "an oracle needs a method prepare(gold)")
    return LoadedAgent(spec, made.agent, made.config, made.models, {**spec.options, **overrides.options}, made.asked)


def load_restorer(name: str) -> Restorer:
    """Make a registered restorer on its own, for restoring files of messages.

    Raises:
        UnknownNameError: There is no restorer of that name; near matches are listed.
        InputFileError: Its class is wrong.
    """
    known = tuple(name for name in part_names("restorer") if not _asking(name, "restorer"))
    if name not in known:
        raise _unknown("restorer", name, known)
    spec, file = _parts()["restorer", name]
    restorer = make(find_class(spec.class_path, file, "class_path"), spec.parameters, file, "class_path")
    if not isinstance(restorer, Restorer):
        raise InputFileError(file, "class_path", f"{spec.class_path} is no restorer: it needs restore")
    return restorer


def find_part(part: Part, name: str) -> tuple[PartSpec, Path]:
    """Return a registered part.

    Raises:
        UnknownNameError: There is none of that name; near matches are listed.
    """
    if (part, name) not in _parts():
        raise _unknown(part, name, part_names(part))
    return _parts()[part, name]


def parts_of(spec: AgentSpec) -> tuple[PartSpec, ...]:
    """Return the registered parts that an agent is made of, its restorer first; none where classes are its own."""
    halves: tuple[tuple[Part, str | None], ...] = (("restorer", spec.restorer), ("investigator", spec.investigator))
    found = (_parts().get((part, (named or "").partition(":")[0])) for part, named in halves)
    return tuple(each[0] for each in found if each is not None)


def asks_model(part: PartSpec) -> bool:
    """Say whether a registered part asks a model."""
    return _asking(part.name, part.part)


def _halves(name: str) -> tuple[str, str] | None:
    """Split a name at the last ``+`` that leaves a restorer before it and an investigator behind it."""
    for place in (i for i in reversed(range(len(name))) if name[i] == "+"):
        restorer, investigator = name[:place], name[place + 1 :]
        if _is_part(restorer, "restorer") and _is_part(investigator, "investigator"):
            return restorer, investigator
    return None


def _is_part(name: str, part: Part) -> bool:
    return (part, name) in _parts() or _asking(name, part)


def _asking(name: str, part: Part) -> bool:
    """Say whether a name is that of a part that asks a model, with or without ``:MODEL``."""
    plain, colon, model = name.partition(":")
    if (part, plain) not in _parts() or (colon and not model[:1].isalnum()):
        return False
    spec, file = _parts()[part, plain]
    return bool(getattr(find_class(spec.class_path, file, "class_path"), "asks_model", False))


def _folder_name(name: str) -> str:
    return "".join(char if char.isascii() and (char.isalnum() or char in "._+-@:") else "-" for char in name)[:120]


def _unknown_combination(name: str) -> UnknownNameError:
    if ".toml" in name:
        return UnknownNameError(
            f"There is no agent '{name}': a part of your own is named in a TOML file (restorer = \"module:Class\", "
            'investigator = "explorer"), and that file is the agent.'
        )
    restorer, plus, investigator = name.rpartition("+")
    if not plus:
        return _unknown("agent", name, agent_names())
    if not _is_part(investigator, "investigator"):
        return _unknown("investigator", investigator, part_names("investigator"))
    return _unknown("restorer", restorer, part_names("restorer"))


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
def _parts() -> dict[tuple[Part, str], tuple[PartSpec, Path]]:
    return {(spec.part, spec.name): (spec, file) for spec, file in _part_files()}


def _part_files() -> Iterator[tuple[PartSpec, Path]]:
    for file in sorted((content_dir("baselines") / PARTS_FOLDER).glob("*.toml")):
        yield read_spec(PartSpec, file), file
