"""What a TOML file says of an agent, and how the classes it names are made."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, JsonValue, ValidationError, model_validator

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.hints import hint
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.toml_file import read_toml

Parameters = dict[str, str | int | float | bool]
AgentKind = Literal["control", "baseline", "oracle"]
Part = Literal["restorer", "investigator"]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
AgentName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+:@-]*$", max_length=120)]
"""A name that can be a folder's; what a model's name holds besides is replaced."""


S = TypeVar("S", bound=Frozen)


class PartSpec(Frozen):
    """A restorer or an investigator that can be combined with others.

    Attributes:
        name: The name it is combined by; only a restorer's may hold ``+``.
        part: Which half of the chain it answers.
        summary: One sentence for people.
        class_path: Its class, as ``module:Class``.
        parameters: Keyword arguments of the class.
    """

    name: Name
    part: Part
    summary: str
    class_path: str
    parameters: Parameters = Field(default_factory=dict)

    @model_validator(mode="after")
    def _can_be_told_apart(self) -> Self:
        if self.part == "investigator" and "+" in self.name:
            raise ValueError("name: an investigator's name holds no '+', which joins it to its restorer")
        return self


class AgentSpec(Frozen):
    """A whole agent: one class, or a restorer and an investigator.

    Attributes:
        name: Its name in tables and run folders.
        kind: A control and an oracle are marked in every table; an oracle is given gold before each episode.
        summary: One sentence for people.
        agent: Class of the whole agent, as ``module:Class``.
        parameters: Keyword arguments of that class.
        restorer: A registered restorer's name, ``llm:MODEL``, or a class path.
        restorer_parameters: Keyword arguments of a restorer given by class path.
        investigator: A registered investigator's name, ``llm:MODEL``, or a class path.
        investigator_parameters: Keyword arguments of an investigator given by class path.
        model: How the model is asked, for classes with ``asks_model = True``: fields of
            :class:`~riskchain_gym.llm.settings.ModelSettings`. The environment gives what is left out. ``base_url =
            "scripted"`` is the scripted endpoint of this process.
        options: Further keyword arguments of those classes; of the language-model agent
            :class:`~riskchain_gym.agents.llm.options.LLMOptions`.
    """

    name: AgentName
    kind: AgentKind = "baseline"
    summary: str = ""
    agent: str | None = None
    parameters: Parameters = Field(default_factory=dict)
    restorer: str | None = None
    restorer_parameters: Parameters = Field(default_factory=dict)
    investigator: str | None = None
    investigator_parameters: Parameters = Field(default_factory=dict)
    model: dict[str, JsonValue] = Field(default_factory=dict)
    options: Parameters = Field(default_factory=dict)

    @model_validator(mode="after")
    def _whole_or_halves(self) -> Self:
        halves = (self.restorer, self.investigator)
        if self.agent is not None and any(halves):
            raise ValueError("agent: give either 'agent', or 'restorer' and 'investigator', not both")
        if self.agent is None and not all(halves):
            raise ValueError("agent: give 'agent', or both 'restorer' and 'investigator'")
        if self.agent is None and self.parameters:
            raise ValueError(
                "parameters: they are those of 'agent'; halves have 'restorer_parameters' and 'investigator_parameters'"
            )
        return self


def read_spec(model: type[S], file: Path) -> S:
    """Read a TOML file as a spec.

    Raises:
        InputFileError: It cannot be read, is no TOML, or a field is missing, unknown or wrong.
    """
    raw = read_toml(file)
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputFileError(file, field, first["msg"].removeprefix("Value error, ")) from error


def find_class(class_path: str, file: Path, field: str) -> type[Any]:
    """Return the class at ``module:Class``.

    A module that is no installed package is looked for in the folder of the TOML file.

    Args:
        class_path: The class.
        file: The TOML file that names it, for errors.
        field: The field that names it, for errors.

    Raises:
        InputFileError: The path is malformed, or the module or the class is missing.
    """
    module_name, _, class_name = class_path.partition(":")
    if not module_name or not class_name or module_name.startswith("."):
        raise InputFileError(file, field, f"'{class_path}' is no class path, write 'module:Class'")
    try:
        with _importable_from(file.parent):
            module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # a user's module may raise anything; the cause goes along
        raise InputFileError(file, field, f"module '{module_name}' cannot be imported ({_said(error)})") from error
    factory = getattr(module, class_name, None)
    if not isinstance(factory, type):
        raise InputFileError(file, field, f"module '{module_name}' has no class '{class_name}'")
    return factory


def is_own(kind: type[Any]) -> bool:
    """Say whether a class is a user's own, and not one of this package."""
    return kind.__module__.partition(".")[0] != __name__.partition(".")[0]


def code_sha256(kind: type[Any]) -> str | None:
    """Return the hash of the file that a class is written in; ``None`` if there is no such file.

    What else the file imports is not covered.
    """
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except OSError:  # a module inside an archive has the name of a file, and none
        return None


def make(kind: type[Any], parameters: Mapping[str, Any], file: Path, field: str) -> object:
    """Make an instance of a class that a TOML file names.

    Args:
        kind: The class.
        parameters: Its keyword arguments.
        file: The file, for errors.
        field: The field that names it, for errors.

    Raises:
        InputFileError: The class refuses the parameters.
    """
    try:
        return kind(**parameters)
    except (Exception, SystemExit) as error:  # a user's constructor may raise anything; the cause goes along
        named = f"{kind.__module__}:{kind.__name__}"
        said = f"{named} cannot be made ({_said(error)}){_meant(kind, parameters)}"
        raise InputFileError(file, field, said) from error


def _meant(kind: type[Any], parameters: Mapping[str, Any]) -> str:
    """Return a hint on the first parameter that a class does not have; ``""`` if it has them all."""
    try:
        known = inspect.signature(kind).parameters
    except (TypeError, ValueError):
        return ""
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known.values()):
        return ""
    wrong = next((name for name in parameters if name not in known), None)
    others = [name for name in known if name not in ("model", *parameters)]
    return f": it has no '{wrong}', {hint(wrong, others)}" if wrong is not None and others else ""


def _said(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - a user's error may have no text that can be read; its class is told
        return type(error).__name__


@contextmanager
def _importable_from(folder: Path) -> Iterator[None]:
    entry = str(folder.resolve())
    if entry in sys.path:
        yield
        return
    sys.path.append(entry)
    try:
        yield
    finally:
        sys.path.remove(entry)
