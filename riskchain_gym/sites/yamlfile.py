"""YAML content files: read strictly, merged key by key, and blamed by file and field when wrong."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.raw_checks import raw_problem

M = TypeVar("M", bound=Frozen)

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _StrictLoader(_Base):  # type: ignore[misc]
    """A safe loader that refuses the same key twice in one mapping, and aliases, which can make a file without end."""

    def construct_document(self, node: yaml.Node) -> Any:
        seen: set[int] = set()
        pending = [node]
        while pending:
            here = pending.pop()
            if id(here) in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, "an alias ('*name') is used; write the content out instead", here.start_mark
                )
            seen.add(id(here))
            if isinstance(here, yaml.MappingNode):
                pending += [part for pair in here.value for part in pair]
            elif isinstance(here, yaml.SequenceNode):
                pending += here.value
        return super().construct_document(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                continue  # the base class refuses it
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' stands twice", key_node.start_mark
                )
            seen.add(key)
        result: dict[Any, Any] = super().construct_mapping(node, deep)
        return result


def read_yaml(path: Path) -> dict[str, Any]:
    """Return the mapping a YAML file holds.

    Raises:
        InputFileError: The file is missing, no regular file, not UTF-8, not YAML, not a mapping with text keys, nested
            too deep, or has a text with characters that nobody sees.
    """
    try:
        if not path.is_file() and os.path.lexists(path):
            what = "no regular file" if path.exists() else "a link that leads nowhere"
            raise InputFileError(path, "", f"is {what}; put a YAML file there")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputFileError(path, "", "the file does not exist; check the name") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputFileError(path, "", f"the file cannot be read as UTF-8 text ({error})") from None
    try:
        data = yaml.load(text, Loader=_StrictLoader)  # noqa: S506  (a subclass of the safe loader)
    except (yaml.YAMLError, ValueError, KeyError, AttributeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark is not None else ""
        raise InputFileError(path, where, f"not valid YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise InputFileError(path, "", "the file must hold a mapping with text keys")
    if (problem := raw_problem(data)) is not None:
        raise InputFileError(path, *problem)
    return data


def deep_merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with ``over`` laid on top: mappings are merged key by key, everything else is replaced."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = deep_merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def field_path(data: Any, loc: Iterable[str | int]) -> str:
    """Return a pydantic error location as the dotted path an author would write.

    Parts that name a union member instead of a key of the data are left out.
    """
    parts: list[str] = []
    pending = ""
    for part in loc:
        data = None if isinstance(data, str) else data  # a text has no parts, though Python can index it
        try:
            data = data[part]
        except (LookupError, TypeError):
            pending = str(part)
            continue
        parts.append(str(part))
        pending = ""
    if pending and isinstance(data, dict):
        parts.append(pending)
    return ".".join(parts)


def _untagged(data: Any, loc: Iterable[str | int]) -> Iterator[str | int]:
    """Yield a pydantic error location without the kinds of blocks, which may be called like a field of theirs."""
    inside, tagged = False, False
    for part in loc:
        if inside and not tagged and isinstance(data, dict) and data.get("kind") == part:
            tagged = True
            continue
        yield part
        inside, tagged = True, False
        try:
            data = None if isinstance(data, str) else data[part]
        except (LookupError, TypeError):
            data = None


def parse(model: type[M], data: Mapping[str, Any], path: Path, layers: Mapping[Path, Any] | None = None) -> M:
    """Return ``data`` as a model.

    Args:
        model: What it should be.
        data: The mapping, files merged.
        path: The file to blame.
        layers: Other files whose mappings went into ``data``; a field that stands only in one of them blames that one.

    Raises:
        InputFileError: The first field that is wrong.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = max(error.errors(), key=lambda e: len(e["loc"]))
        field = field_path(data, _untagged(data, first["loc"]))
        blamed = path
        for file, layer in (layers or {}).items():
            if field and field_path(layer, field_parts(field)) == field:
                blamed = file
                break
        raise InputFileError(blamed, field, first["msg"]) from None


def field_parts(field: str) -> tuple[str | int, ...]:
    """Return a dotted path as its parts, list positions as integers."""
    return tuple(int(part) if part.isascii() and part.isdecimal() else part for part in field.split("."))
