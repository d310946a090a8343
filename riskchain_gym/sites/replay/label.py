"""The label file of an imported site: what a person has decided about it, by the codebook."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.report import MIN_OTHER_NOTE

LABEL = "label.toml"

_CHOICES = "\n".join(f"#   {name}" for name in CONCRETE_TYPES)

TEMPLATE = f"""\
# The label of this site. Fill it in, then: riskchain build imported THIS_FOLDER --out SPLIT
# It is gold: no environment shows it to an agent.

# {", ".join(Decision)}
decision = ""

# The main type of a VIOLATION; leave it empty otherwise. One of:
{_CHOICES}
type = ""

# Further types that a VIOLATION also shows.
secondary_types = []

# Who decided.
annotator = ""

# Why, in your words; {ViolationType.OTHER_PROHIBITED_ACTIVITY} needs at least {MIN_OTHER_NOTE} characters.
note = ""

# How much of the site the capture lets one look at: {", ".join(EnvironmentStatus)}
environment_status = "COMPLETE"

# How far from the landing view what decides is seen: D0 on it, D1 one action away, D2 two or three, D3 more.
depth = "D1"
"""


class SiteLabel(Frozen):
    """A filled-in label file.

    Attributes:
        decision: The label.
        violation_type: Its type; that of a decision other than VIOLATION follows from it.
        secondary_types: Further concrete types.
        annotator: Who decided.
        note: Why.
        environment_status: How much of the site can be looked at.
        depth: How far from the landing view what decides is seen.
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
        pseudo = PSEUDO_TYPES.get(self.decision)
        if pseudo is None and self.violation_type not in CONCRETE_TYPES:
            raise ValueError("type: a VIOLATION needs one of the nine concrete types")
        if pseudo is not None and self.violation_type is not pseudo:
            raise ValueError(f"type: belongs to a VIOLATION, leave it empty with {self.decision}")
        secondary = self.secondary_types
        if secondary and (pseudo is not None or not set(secondary) <= set(CONCRETE_TYPES)):
            raise ValueError("secondary_types: concrete types only, and only with a VIOLATION")
        if len(set(secondary)) != len(secondary) or self.violation_type in secondary:
            raise ValueError("secondary_types: must be distinct and differ from the main type")
        other = ViolationType.OTHER_PROHIBITED_ACTIVITY
        if self.violation_type is other and len(self.note.strip()) < MIN_OTHER_NOTE:
            raise ValueError(f"note: {other} needs at least {MIN_OTHER_NOTE} characters that name the policy")
        return self


def read_label(folder: Path) -> SiteLabel:
    """Return the label of an imported site.

    Raises:
        InputFileError: The file is missing, not filled in, or against the codebook.
    """
    path = folder / LABEL
    try:
        row = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        problem = f"cannot be read ({error.strerror}), import the site again to get an empty one"
        raise InputFileError(path, "", problem) from error
    except ValueError as error:
        raise InputFileError(path, "", f"is no TOML ({error}), mend it") from error
    if not row.get("decision"):
        raise InputFileError(path, "decision", f"is not filled in, give one of {', '.join(Decision)}")
    if "violation_type" in row:
        raise InputFileError(path, "violation_type", "is not known, the main type is called 'type'")
    violation_type = row.pop("type", "")
    if not violation_type and row["decision"] == Decision.VIOLATION:
        raise InputFileError(path, "type", "a VIOLATION needs one of the nine concrete types, which the file lists")
    if not violation_type and row["decision"] in set(PSEUDO_TYPES):
        violation_type = PSEUDO_TYPES[Decision(row["decision"])]
    try:
        return SiteLabel.model_validate({**row, "violation_type": violation_type})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]).replace("violation_type", "type")
        said = first["msg"].removeprefix("Value error, ")
        field, colon, problem = said.partition(": ")
        raise InputFileError(
            path, where or (field if colon else ""), problem if colon and not where else said
        ) from error
