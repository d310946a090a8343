"""Where the strings of a spec are and what each of them means: one walk for linting, filling in and renaming."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, TypeVar

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import AtomSpec, FieldSpec, PanelsBlock
from riskchain_gym.sites.spec import ArchetypeSpec, CheckSpec, FactSpec, LabelSpec

M = TypeVar("M", bound=Frozen)


class Slot(StrEnum):
    """What a string is for.

    ``TEXT`` is shown and may hold both kinds of placeholder, ``EXPR`` is a bare expression over the state, ``VALUE`` is
    what a state variable is set to, ``RULE`` is a regular expression; the others are names.
    """

    TEXT = "text"
    EXPR = "expr"
    VALUE = "value"
    RULE = "rule"
    PAGE = "page"
    ACTION = "action"
    FIELD = "field"
    VAR = "var"


_BY_NAME: dict[str, Slot] = {
    "when": Slot.EXPR,
    "guard": Slot.EXPR,
    "to": Slot.PAGE,
    "go": Slot.PAGE,
    "entry": Slot.PAGE,
    "do": Slot.ACTION,
    "rule": Slot.RULE,
}
_BY_FIELD: dict[tuple[type[Frozen], str], Slot] = {
    (FieldSpec, "name"): Slot.FIELD,
    (CheckSpec, "field"): Slot.FIELD,
    (PanelsBlock, "name"): Slot.VAR,
}
_LITERAL = frozenset(
    {"kind", "level", "tone", "art", "style", "type", "who", "file", "status", "gate", "name", "lang", "code", "family"}
)
_OPAQUE = (AtomSpec, FactSpec, LabelSpec)

Visit = Callable[[Slot, str, str], Any]
"""Called with slot, string and dotted path; returns what to put in its place."""


def map_slots(model: M, visit: Visit, path: str = "") -> M:
    """Return a copy of the model with every slot replaced by what ``visit`` returns for it."""
    changed = {name: _map(type(model), name, getattr(model, name), visit, _join(path, name)) for name in _fields(model)}
    return model.model_copy(update=changed)


def iter_slots(model: Frozen, path: str = "") -> Iterator[tuple[Slot, str, str]]:
    """Yield slot, string and dotted path of every slot, in document order."""
    found: list[tuple[Slot, str, str]] = []

    def visit(slot: Slot, text: str, where: str) -> str:
        found.append((slot, text, where))
        return text

    map_slots(model, visit, path)
    yield from found


def _fields(model: Frozen) -> tuple[str, ...]:
    if isinstance(model, ArchetypeSpec):
        return ("pages", "actions", "state")
    return tuple(type(model).model_fields)


def _join(path: str, part: str) -> str:
    return f"{path}.{part}" if path else part


def _map(owner: type[Frozen], name: str, value: Any, visit: Visit, path: str) -> Any:
    if isinstance(value, _OPAQUE) or value is None:
        return value
    if isinstance(value, Frozen):
        return map_slots(value, visit, path)
    if isinstance(value, str):
        slot = _BY_FIELD.get((owner, name)) or _BY_NAME.get(name)
        if slot is None and name not in _LITERAL:
            slot = Slot.TEXT
        return visit(slot, value, path) if slot is not None else value
    if isinstance(value, tuple):
        return tuple(_map(owner, name, item, visit, f"{path}.{i}") for i, item in enumerate(value))
    if isinstance(value, dict):
        return _map_dict(owner, name, value, visit, path)
    return value


def _map_dict(owner: type[Frozen], name: str, value: dict[str, Any], visit: Visit, path: str) -> dict[str, Any]:
    if name == "facts":
        return value
    if name in ("state", "set"):
        return {
            visit(Slot.VAR, key, path): visit(Slot.VALUE, item, f"{path}.{key}") if isinstance(item, str) else item
            for key, item in value.items()
        }
    keys = {"pages": Slot.PAGE, "actions": Slot.ACTION}
    return {
        visit(keys[name], key, path) if name in keys else key: _map(owner, name, item, visit, f"{path}.{key}")
        for key, item in value.items()
    }
