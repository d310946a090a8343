"""Where the strings of a spec are and what each of them means: one walk for linting, filling in and renaming."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import cache
from operator import is_not
from typing import Any, TypeVar

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.blocks import DownloadBlock, FieldSpec, PanelsBlock
from riskchain_gym.sites.spec import ArchetypeSpec, CheckSpec

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
    (DownloadBlock, "name"): Slot.VAR,
}
_LITERAL = frozenset(
    {
        "kind",
        "level",
        "tone",
        "art",
        "style",
        "type",
        "who",
        "file",
        "status",
        "gate",
        "name",
        "lang",
        "code",
        "family",
        "transform",
    }
)
_OPAQUE = frozenset({"atom", "facts", "host"})
"""Fields that hold no slot at any depth."""
_VALUES = frozenset({"state", "set"})
"""Mappings from state variables to values."""
_KEYS = {"pages": Slot.PAGE, "actions": Slot.ACTION}
"""Mappings whose keys are names."""

Visit = Callable[[Slot, str], Any]
"""Called with slot and string; returns what to put in its place."""


def map_slots(model: M, visit: Visit) -> M:
    """Return the model with every slot replaced by what ``visit`` returns for it; what does not change is shared."""
    values = model.__dict__
    changed: dict[str, Any] = {}
    for name, slot in slots_of(type(model)):
        value = values[name]
        if value is None or value == ():
            continue
        new = visit(slot, value) if slot is not None and type(value) is str else _map(name, slot, value, visit)
        if new is not value:
            changed[name] = new
    return model.model_copy(update=changed) if changed else model


def iter_slots(model: Frozen, path: str = "") -> Iterator[tuple[Slot, str, str]]:
    """Yield slot, string and dotted path of every slot, in document order."""
    for name, slot in slots_of(type(model)):
        yield from _below(name, slot, getattr(model, name), f"{path}.{name}" if path else name)


def slot_texts(model: Frozen, wanted: Slot) -> list[str]:
    """Return the strings of one kind of slot, in document order."""
    found: list[str] = []

    def visit(slot: Slot, text: str) -> str:
        if slot is wanted:
            found.append(text)
        return text

    map_slots(model, visit)
    return found


@cache
def slots_of(owner: type[Frozen]) -> tuple[tuple[str, Slot | None], ...]:
    """Return the fields of a model that are slots or may hold some, each with what a string in it means."""
    if issubclass(owner, ArchetypeSpec):
        return tuple((name, None) for name in ("pages", "actions", "state"))
    found: list[tuple[str, Slot | None]] = []
    for name in owner.model_fields:
        slot = _BY_FIELD.get((owner, name)) or _BY_NAME.get(name)
        if slot is None and name not in _LITERAL:
            slot = Slot.TEXT
        if slot is not None and name not in _OPAQUE:
            found.append((name, slot))
    return tuple(found)


def _map(name: str, slot: Slot | None, value: Any, visit: Visit) -> Any:
    if isinstance(value, Frozen):
        return map_slots(value, visit)
    if isinstance(value, tuple):
        items = [_map(name, slot, item, visit) for item in value]
        return tuple(items) if any(map(is_not, items, value)) else value
    if isinstance(value, str):
        return visit(slot, value) if slot is not None else value
    if isinstance(value, dict):
        return _map_dict(name, value, visit)
    return value


def _map_dict(name: str, value: dict[str, Any], visit: Visit) -> dict[str, Any]:
    keys = _KEYS.get(name)
    if name in _VALUES:
        return {
            visit(Slot.VAR, key): visit(Slot.VALUE, item) if isinstance(item, str) else item
            for key, item in value.items()
        }
    return {(visit(keys, key) if keys else key): _map(name, None, item, visit) for key, item in value.items()}


def _below(name: str, slot: Slot | None, value: Any, path: str) -> Iterator[tuple[Slot, str, str]]:
    if isinstance(value, str):
        if slot is not None:
            yield slot, value, path
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from _below(name, slot, item, f"{path}.{i}")
    elif isinstance(value, Frozen):
        yield from iter_slots(value, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            if name in _VALUES:
                yield Slot.VAR, key, path
                yield from _below(name, Slot.VALUE, item, f"{path}.{key}")
            else:
                if name in _KEYS:
                    yield _KEYS[name], key, path
                yield from _below(name, None, item, f"{path}.{key}")
