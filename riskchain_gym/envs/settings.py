"""Reading settings: explicit argument over config file over the id's own file."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from riskchain_gym.envs.config import ENV_IDS, FILE_ONLY, KEYWORDS, EnvConfig, Kind, RewardTerms, check_combination
from riskchain_gym.envs.suggest import did_you_mean, shown
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import ConfigError, InputFileError

_LISTS = ("variants", "recipes", "chains", "observe")


def resolve_config(kind: Kind, config: str | os.PathLike[str] | None, arguments: Mapping[str, Any]) -> EnvConfig:
    """Merge the three layers of settings and check that they go together.

    Args:
        kind: The environment.
        config: A name in the content folder ``envs/`` (without ``.toml``), a path, or ``None``.
        arguments: Explicit keyword arguments; ``None`` values count as not given, a path object as its text.

    Raises:
        ConfigError: An unknown key, a bad argument, or settings that contradict each other.
        InputFileError: A config file that is not TOML or holds a bad value.
    """
    given = {name: _plain(value) for name, value in arguments.items() if value is not None}
    for name in given:
        if name in FILE_ONLY:
            raise ConfigError(
                f"'{name}' is part of a protocol, no keyword argument: write it into a TOML file and pass config=PATH."
            )
        if name not in KEYWORDS:
            known = (*KEYWORDS, "config", "render_mode")
            raise ConfigError(
                f"{ENV_IDS[kind]} has no keyword argument '{name}'.{did_you_mean(name, known)} "
                f"Known: {', '.join(known)}."
            )
    for name, value in given.items():
        if (problem := _misread(name, value)) is not None:
            raise ConfigError(f"{name}: {problem}")
    layers: dict[str, Any] = {}
    for path in (
        content_dir("envs") / f"{ENV_IDS[kind].lower()}.toml",
        *([config_path(config)] if config is not None else []),
    ):
        layers.update(read_config_file(path))
    try:
        merged = EnvConfig.model_validate({**layers, **given})
    except ValidationError as error:
        field, problem = _first(error)
        raise ConfigError(f"{field}: {problem}") from error
    check_combination(merged, kind)
    return merged


def config_names() -> tuple[str, ...]:
    """Return the names that ``config=`` accepts: the TOML files of the content folder ``envs/``."""
    return tuple(sorted(path.stem for path in content_dir("envs").glob("*.toml")))


def config_path(config: str | os.PathLike[str]) -> Path:
    """Return the file a ``config=`` argument means.

    Raises:
        ConfigError: There is no such file.
    """
    config = _plain(config)
    if not isinstance(config, str):
        raise ConfigError(f"config is a name or the path of a TOML file, got {shown(config)}: give text or a path.")
    path = Path(config) if config.endswith(".toml") or "/" in config or "\\" in config else None
    named = content_dir("envs") / f"{config}.toml"
    found = path if path is not None else named
    if not os.path.isfile(found):  # noqa: PTH113 - Path.is_file raises for a name that no file can have
        raise ConfigError(
            f"There is no config {shown(config, 200)}.{did_you_mean(config, config_names())} "
            f"Known: {', '.join(config_names())}; or give the path of a TOML file."
        )
    return found


def read_config_file(path: Path) -> dict[str, Any]:
    """Read one TOML file of settings, checking every key and value of it.

    Raises:
        ConfigError: An unknown key.
        InputFileError: The file is not TOML, or a value does not fit.
    """
    try:
        layer = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}): give another file.") from error
    except (ValueError, RecursionError) as error:
        raise InputFileError(path, "", f"is not valid TOML: {error}") from error
    for name in layer:
        if name not in EnvConfig.model_fields:
            raise ConfigError(
                f"{path}: there is no setting '{name}'.{did_you_mean(name, EnvConfig.model_fields)} "
                f"Known: {', '.join(EnvConfig.model_fields)}."
            )
    for name, value in layer.items():
        if (problem := _misread(name, value)) is not None:
            raise InputFileError(path, name, problem)
    try:
        EnvConfig.model_validate(layer)
    except ValidationError as error:
        raise InputFileError(path, *_first(error)) from error
    return layer


def _plain(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _misread(name: str, value: Any) -> str | None:
    """Return what is wrong with a value that would be read as something it is not, else ``None``."""
    if isinstance(value, bytes | bytearray):
        return f"bytes are no setting, got {shown(value)}: give text"
    if name not in _LISTS or (name == "variants" and value == "all"):
        return None
    if isinstance(value, str) or not isinstance(value, Sequence):
        every = ", or 'all'" if name == "variants" else ""
        return f"give a list of names{every}, got {shown(value)}"
    return None


def _first(error: ValidationError) -> tuple[str, str]:
    """Return field, dotted, and problem of the first thing wrong."""
    errors = error.errors(include_url=False)
    setting = errors[0]["loc"][0]
    # Of the alternatives a setting has, the one that got furthest says what is wrong.
    first = max((e for e in errors if e["loc"][0] == setting), key=lambda e: len(e["loc"]))
    within = [part for part in first["loc"][1:] if setting == "terms" or isinstance(part, int)]
    field = ".".join(str(part) for part in (setting, *within))
    if first["type"] == "extra_forbidden":
        known = RewardTerms.model_fields
        return field, f"there is no such setting.{did_you_mean(str(within[-1]), known)} Known: {', '.join(known)}."
    near = ""
    if first["type"] == "literal_error" and isinstance(first["input"], str):
        near = did_you_mean(first["input"], re.findall(r"'([^']*)'", first["msg"]))
    return field, f"{first['msg']}, got {shown(first['input'], 80)}.{near}"
