"""The label file of an imported site: what a person has decided about it, by the codebook."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from riskchain_gym.protocol.codebook import (
    CONCRETE_TYPES,
    DEPTHS,
    ENVIRONMENT_STATUSES,
    MIN_OTHER_NOTE,
    PSEUDO_TYPES,
    Decision,
    EnvironmentStatus,
    ViolationType,
    label_problem,
)
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen

LABEL = "label.toml"

_TYPES = "\n".join(f"#   {name}" for name in CONCRETE_TYPES)
_STATUSES = "\n".join(f"#   {status}  {words}" for status, words in ENVIRONMENT_STATUSES.items())
_DEPTHS = "\n".join(f"#   {depth}  {words}" for depth, words in DEPTHS.items())

TEMPLATE = f"""\
# The label of this site. Fill it in, then: riskchain build imported THIS_FOLDER --out SPLIT
# It is gold: no environment shows it to an agent.

# {", ".join(Decision)}
decision = ""

# The main type of a VIOLATION; leave it empty otherwise. One of:
{_TYPES}
type = ""

# Further types that a VIOLATION also shows; may stay empty.
secondary_types = []

# Who decided: a name, or a sign that stands for one.
annotator = ""

# Why, in your words; may stay empty, but {ViolationType.OTHER_PROHIBITED_ACTIVITY} needs {MIN_OTHER_NOTE} characters.
note = ""

# How much of the site the capture lets one look at. One of:
{_STATUSES}
environment_status = ""

# How far what decides lies from the landing page. Actions are counted from the last entry of the navigation. One of:
{_DEPTHS}
depth = ""
"""

_CHOICES: dict[str, tuple[str, ...]] = {
    "decision": tuple(Decision),
    "environment_status": tuple(EnvironmentStatus),
    "depth": tuple(DEPTHS),
}
_TO_FILL_IN: dict[str, str] = {
    "decision": f"give one of {', '.join(Decision)}",
    "annotator": "say who decided: a name, or a sign that stands for one",
    "environment_status": f"give one of {', '.join(EnvironmentStatus)}",
    "depth": f"give one of {', '.join(DEPTHS)}",
}
"""What a person must say of every site, and what to write there."""


class SiteLabel(Frozen):
    """A filled-in label file.

    Attributes:
        decision: The label.
        violation_type: Its type; that of a decision other than VIOLATION follows from it.
        secondary_types: Further concrete types.
        annotator: Who decided.
        note: Why.
        environment_status: How much of the site can be looked at.
        depth: How far what decides lies from the landing page.
    """

    decision: Decision
    violation_type: ViolationType
    secondary_types: Annotated[tuple[ViolationType, ...], Field(max_length=8)] = ()
    annotator: Annotated[str, Field(min_length=1)]
    note: str = ""
    environment_status: EnvironmentStatus
    depth: Literal["D0", "D1", "D2", "D3"]

    @model_validator(mode="after")
    def _follows_codebook(self) -> Self:
        problem = label_problem(self.decision, self.violation_type, self.secondary_types, self.note)
        if problem is not None:
            raise ValueError(problem.replace("primary_violation_type", "type").replace("violation_types", "types"))
        return self


def read_label(folder: Path) -> SiteLabel:
    """Return the label of an imported site.

    Raises:
        InputFileError: The file is missing, not filled in, or against the codebook.
    """
    path = folder / LABEL
    row = _read(path)
    _check_filled_in(path, row)
    _check_fields(path, row)
    violation_type = row.pop("type", "")
    if not violation_type and row["decision"] == Decision.VIOLATION:
        raise InputFileError(path, "type", "a VIOLATION needs one of the nine concrete types, which the file lists")
    if not violation_type and row["decision"] in PSEUDO_TYPES:
        violation_type = PSEUDO_TYPES[Decision(row["decision"])]
    try:
        return SiteLabel.model_validate({**row, "violation_type": violation_type})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        said = first["msg"].removeprefix("Value error, ")
        field, colon, problem = said.partition(": ")
        raise InputFileError(
            path, where or (field if colon else ""), problem if colon and not where else said
        ) from error


def read_said(folder: Path) -> dict[str, Any]:
    """Return what the label file of a site says that has its label from elsewhere: the fields that are filled in.

    The type is left out where it is that of no violation, which the decision says. Without a file nothing is said.

    Raises:
        InputFileError: The file cannot be read, or a field holds what it cannot.
    """
    path = folder / LABEL
    if not path.exists():
        return {}
    row = {name: value for name, value in _read(path).items() if value not in ("", [])}
    _check_fields(path, row)
    if row.get("type") in PSEUDO_TYPES.values():
        del row["type"]
    return row


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        problem = f"cannot be read ({error.strerror}), import the site again to get an empty one"
        raise InputFileError(path, "", problem) from error
    except ValueError as error:
        raise InputFileError(path, "", f"is no TOML ({error}), mend it") from error


def _check_filled_in(path: Path, row: Mapping[str, Any]) -> None:
    """Refuse a file in which something is not filled in that a person must say."""
    empty = [name for name in _TO_FILL_IN if row.get(name, "") == "" or not str(row[name]).strip()]
    if empty:
        rest = f"; still empty too: {', '.join(empty[1:])}" if empty[1:] else ""
        raise InputFileError(path, empty[0], f"is not filled in, {_TO_FILL_IN[empty[0]]}{rest}")


def _check_fields(path: Path, row: Mapping[str, Any]) -> None:
    """Refuse a field that is unknown, or that holds what it cannot."""
    for name, choices in _CHOICES.items():
        if name in row and row[name] not in choices:
            raise InputFileError(path, name, f"cannot be '{row[name]}', {_TO_FILL_IN[name]}")
    for name in ("annotator", "note"):
        if not isinstance(row.get(name, ""), str):
            raise InputFileError(path, name, f'is no text, put it in quotes: {name} = "{row[name]}"')
    main, further, types = row.get("type", ""), row.get("secondary_types", []), tuple(ViolationType)
    if main not in ("", *types):
        raise InputFileError(path, "type", f"cannot be '{main}', give one of the nine types that the file lists")
    if not isinstance(further, list) or not all(each in types for each in further):
        what = 'give a list of types that the file lists, e.g. ["PHISHING_CREDENTIAL_THEFT"], or an empty one: []'
        raise InputFileError(path, "secondary_types", f"cannot be {further!r}, {what}")
    known = {*SiteLabel.model_fields, "type"} - {"violation_type"}
    if unknown := sorted(row.keys() - known):
        raise InputFileError(path, unknown[0], f"is not known, take it out; known are {', '.join(sorted(known))}")
