"""One row of another tool read as an answer: forgiving where nothing can be mistaken, strict everywhere else."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.confused import NOTE as SIMULATED_NOTE
from riskchain_gym.benchmark.labels.plan import Layer, checked_name
from riskchain_gym.benchmark.labels.rows import has_half_character
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.invalid import first_problem
from riskchain_gym.protocol.report import Citation

E = TypeVar("E", bound=StrEnum)
D = TypeVar("D")
T = TypeVar("T")

LAYERS: tuple[Layer, ...] = get_args(Layer)
FIELDS = (
    "item_id",
    "annotator",
    "layer",
    "decision",
    "primary_violation_type",
    "secondary_violation_types",
    "environment_status",
    "evidence_anchor_types",
    "confidence",
    "note",
    "seconds",
    "at",
    "simulated",
    "evidence",
    "counterevidence",
)
"""What a row can say, in the order of columns."""

ALIASES = {"site_id": "item_id", "chain_id": "item_id"}
"""Other names of fields."""

REQUIRED = ("item_id", "annotator", "decision", "environment_status", "confidence")
"""What every row must say."""

_CITATIONS = TypeAdapter(tuple[Citation, ...])
_UTC = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z")
_SHOWN = 60


@dataclass(frozen=True)
class ItemNames:
    """The project's name of each item, by whatever a file may call it.

    Attributes:
        named: The names.
    """

    named: Mapping[str, str]

    @cached_property
    def some(self) -> str:
        """The first few of the project's names, for a message."""
        return ", ".join(sorted(set(self.named.values()))[:3])


@dataclass(frozen=True)
class Given:
    """One answer of a file.

    Attributes:
        line: Line that its row begins on.
        item_id: The item, as the project calls it.
        annotator: Who gave it.
        layer: The part it plays.
        answer: The answer.
        seconds: How long it took, ``None`` where nobody measured.
        at: When it was given, ``""`` where nobody says.
        simulated: Whether a program gave it.
        unknown_for_none: Whether its type was ``NONE`` and was read as ``UNKNOWN``.
    """

    line: int
    item_id: str
    annotator: str
    layer: Layer
    answer: SiteAnswer
    seconds: float | None
    at: str
    simulated: bool
    unknown_for_none: bool


class CellError(ValueError):
    """A cell that cannot be read; says what was given and what may be.

    Attributes:
        column: Field of the cell, ``""`` for the row.
    """

    def __init__(self, name: str, problem: str) -> None:
        self.column = name
        super().__init__(problem)


@dataclass
class Cells:
    """The cells of one row by field, each read once; what is wrong is gathered and not raised.

    Attributes:
        cells: What the file says.
        problems: What is wrong, by field.
    """

    cells: Mapping[str, Any]
    problems: list[tuple[str, str]] = field(default_factory=list)

    def given(self, line: int, items: ItemNames) -> Given | None:
        """Return the answer, ``None`` where something is wrong with it.

        Args:
            line: Line that the row begins on.
            items: What the items are called.
        """
        for name in REQUIRED:
            if _is_empty(self.cells.get(name)):
                self.problems.append((name, "is empty, and every row needs it"))
        item = self._read("item_id", lambda value: _item(value, items), "")
        annotator = self._read("annotator", _person, "")
        layer = self._read("layer", _layer, None) or "pass"
        decision = self._read("decision", lambda value: _choice("decision", Decision, value), None)
        values: dict[str, Any] = {
            "environment_status": self._read(
                "environment_status", lambda value: _choice("environment_status", EnvironmentStatus, value), None
            ),
            "secondary_violation_types": self._read("secondary_violation_types", _types, ()),
            "evidence_anchor_types": self._read("evidence_anchor_types", _anchors, ()),
            "confidence": self._read("confidence", _confidence, None),
            "note": self._read("note", lambda value: _text("note", value), ""),
            "evidence": self._read("evidence", lambda value: _citations("evidence", value), ()),
            "counterevidence": self._read("counterevidence", lambda value: _citations("counterevidence", value), ()),
        }
        kind = self._read(
            "primary_violation_type", lambda value: _choice("primary_violation_type", ViolationType, value), None
        )
        seconds = self._read("seconds", _seconds, None)
        at = self._read("at", _time, "")
        simulated = self._read("simulated", _flag, False)
        if values["note"].strip() == SIMULATED_NOTE and not simulated:
            self.problems.append(("note", "says that a program answered: say so in the field simulated, too"))
        if self.problems:
            return None
        pseudo = None if decision is None else PSEUDO_TYPES.get(decision)
        corrected = pseudo is ViolationType.UNKNOWN and kind is ViolationType.NONE
        values |= {"decision": decision, "primary_violation_type": pseudo if corrected or kind is None else kind}
        if values["primary_violation_type"] is None:
            self.problems.append(("primary_violation_type", "is empty, and a VIOLATION needs one of the nine types"))
            return None
        if values["evidence"] and not values["evidence_anchor_types"]:
            cited = {citation.anchor_type for citation in values["evidence"]}
            values["evidence_anchor_types"] = tuple(anchor for anchor in AnchorType if anchor in cited)
        try:
            answer = SiteAnswer(**values)
        except ValidationError as error:
            name, problem = _refused(error)
            self.problems.append((name, problem))
            return None
        return Given(line, item, annotator, layer, answer, seconds, at, simulated, corrected)

    def _read(self, name: str, read: Callable[[Any], T], default: D) -> T | D:
        value = self.cells.get(name)
        if value is None or (name != "note" and _is_empty(value)):
            return default
        try:
            _check_characters(name, value)
            return read(value)
        except CellError as error:
            self.problems.append((name, str(error)))
            return default


def _refused(error: ValidationError) -> tuple[str, str]:
    """Return the field that an answer was refused for, and why."""
    name, problem = first_problem(error)
    if not name:
        problem = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        name, _, problem = problem.partition(": ")
    return name, problem


def _is_empty(value: object) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def _check_characters(name: str, value: object) -> None:
    if has_half_character(value):
        raise CellError(name, f"holds half a character, which no file can keep, got {_short(value)}")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise CellError(name, f"is no text, got {_short(value)}")
    return value


def _item(value: object, items: ItemNames) -> str:
    text = _text("item_id", value).strip()
    if text not in items.named:
        raise CellError("item_id", f"{_short(value)} is none of the sites, whose ids are like {items.some}")
    return items.named[text]


def _person(value: object) -> str:
    text = _text("annotator", value).strip()
    try:
        return checked_name(text)
    except ConfigError as error:
        raise CellError("annotator", str(error).removesuffix(".")) from error


@lru_cache(maxsize=1024)
def _plain(text: str) -> str:
    """Return a name as the codebook writes it, whichever case, spaces or hyphens it came with."""
    return re.sub(r"[\s_-]+", "_", text.strip()).upper()


def _choice(name: str, kind: type[E], value: object) -> E:
    text = _text(name, value)
    try:
        return kind(_plain(text))
    except ValueError as error:
        raise CellError(name, f"cannot be {_short(value)}, give one of {', '.join(kind)}") from error


def _choices(name: str, kind: type[E], value: object) -> tuple[E, ...]:
    parts = value if isinstance(value, list) else _text(name, value).split("|")
    found = [_choice(name, kind, part) for part in parts if not _is_empty(part)]
    if len(set(found)) < len(found):
        raise CellError(name, f"names something twice, got {_short(value)}")
    return tuple(found)


def _types(value: object) -> tuple[ViolationType, ...]:
    return _choices("secondary_violation_types", ViolationType, value)


def _anchors(value: object) -> tuple[AnchorType, ...]:
    found = _choices("evidence_anchor_types", AnchorType, value)
    return tuple(anchor for anchor in AnchorType if anchor in found)


def _layer(value: object) -> Layer:
    text = _text("layer", value).strip().lower()
    for layer in LAYERS:
        if text == layer:
            return layer
    raise CellError("layer", f"cannot be {_short(value)}, give one of {', '.join(LAYERS)}")


def _number(name: str, value: object, allowed: str) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise CellError(name, f"cannot be {_short(value)}, {allowed}")
    return number


def _confidence(value: object) -> int:
    allowed = "give a whole number from 1 (a guess) to 5 (certain)"
    number = _number("confidence", value, allowed)
    if number not in range(1, 6):
        raise CellError("confidence", f"cannot be {_short(value)}, {allowed}")
    return int(number)


def _seconds(value: object) -> float:
    allowed = "give a number of seconds, 0 or more"
    number = _number("seconds", value, allowed)
    if number < 0:
        raise CellError("seconds", f"cannot be {_short(value)}, {allowed}")
    return number


def _time(value: object) -> str:
    text = _text("at", value).strip()
    try:
        if not _UTC.fullmatch(text):
            raise ValueError
        datetime.fromisoformat(text)
    except ValueError as error:
        raise CellError("at", f"cannot be {_short(value)}, give UTC time as 2026-01-31T12:00:00Z") from error
    return text


def _flag(value: object) -> bool:
    text = str(value).strip().lower()
    if text not in ("true", "false"):
        raise CellError("simulated", f"cannot be {_short(value)}, give true or false")
    return text == "true"


def _citations(name: str, value: object) -> tuple[Citation, ...]:
    try:
        found = json.loads(value) if isinstance(value, str) else value
        _check_characters(name, found)
        return _CITATIONS.validate_python(found)
    except CellError:
        raise
    except ValidationError as error:
        where, problem = first_problem(error)
        raise CellError(name, f"is no list of citations ({where}: {problem})") from error
    except (ValueError, RecursionError) as error:
        raise CellError(name, f"is no list of citations in JSON, got {_short(value)}") from error


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
