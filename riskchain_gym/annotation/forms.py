"""What the page's forms hold, as answers; and answers as the forms that they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from riskchain_gym.benchmark.labels.answers import PairAnswer, SiteAnswer
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.invalid import first_problem
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation, Region, holds_address
from riskchain_gym.scoring.citations import citation_problem

_F = TypeVar("_F", bound=Frozen)

_MISSING = {
    "environment_status": "Say how much of the site could be looked at.",
    "decision": "Choose a decision.",
    "primary_violation_type": "A violation needs a main type.",
    "confidence": "Say how sure you are, from 1 to 5.",
    "answer": "Choose an answer.",
}
_NO_EVIDENCE = "Pin at least one thing that the decision rests on."
_ADDRESS = "Leave out addresses: no URL, domain, IP address or e-mail address may stand in your own words."


class FormError(ValueError):
    """A form that is no answer yet.

    Attributes:
        problems: What is wrong, each with its field.
    """

    def __init__(self, problems: list[dict[str, str]]) -> None:
        self.problems = problems
        super().__init__(str(problems))


class Pin(Frozen):
    """One thing that was pinned on a page; what it cites, on which side, and how it looked.

    Attributes:
        id: The page's own name for it.
        thumbnail: Name of a picture in the project's media, ``""`` for none.
        others: As in :class:`~riskchain_gym.protocol.report.Citation`.
    """

    id: str = ""
    side: Literal["evidence", "counterevidence"]
    step: int
    element_id: str | None = None
    region: Region | None = None
    quote: str = ""
    anchor_type: AnchorType
    observation: str = ""
    thumbnail: str = ""

    def citation(self) -> Citation:
        """Return what it cites.

        Raises:
            ValidationError: It points nowhere, or a text is too long.
        """
        return Citation.model_validate(self.model_dump(exclude={"id", "side", "thumbnail"}))


class SiteForm(Frozen):
    """The form of a site; whatever is not chosen yet is ``None``."""

    environment_status: EnvironmentStatus | None = None
    decision: Decision | None = None
    primary_violation_type: ViolationType | None = None
    secondary_violation_types: tuple[ViolationType, ...] = ()
    confidence: int | None = None
    note: str = ""
    pins: tuple[Pin, ...] = Field(default=(), max_length=100)


class PairForm(Frozen):
    """The form of a pair."""

    answer: Literal["yes", "no", "cannot_tell"] | None = None
    confidence: int | None = None
    note: str = ""


def site_answer(form: Mapping[str, Any], pages: Mapping[int, ObservedPage]) -> SiteAnswer:
    """Return the answer of a site's form.

    Args:
        form: The page's JSON.
        pages: What the person has seen, by step; empty where no page could be shown.

    Raises:
        FormError: It is no answer yet; every problem that a person can mend is named.
    """
    read = _read(SiteForm, form)
    problems = _missing(read, "environment_status", "decision", "confidence")
    primary = read.primary_violation_type
    if read.decision in PSEUDO_TYPES:
        primary = PSEUDO_TYPES[read.decision]
    elif read.decision is not None and (primary is None or primary in PSEUDO_TYPES.values()):
        problems.append(_problem("primary_violation_type", _MISSING["primary_violation_type"]))
    blind = not pages and read.environment_status is EnvironmentStatus.INACCESSIBLE
    if not blind and not any(pin.side == "evidence" for pin in read.pins):
        problems.append(_problem("pins", _NO_EVIDENCE))
    citations = _citations(read.pins, pages, problems)
    if holds_address(read.note):
        problems.append(_problem("note", _ADDRESS))
    if problems:
        raise FormError(problems)
    evidence = tuple(c for pin, c in citations if pin.side == "evidence")
    kinds = {citation.anchor_type for citation in evidence}
    values = {
        **read.model_dump(exclude={"pins"}),
        "primary_violation_type": primary,
        "secondary_violation_types": read.secondary_violation_types if read.decision is Decision.VIOLATION else (),
        "evidence_anchor_types": tuple(kind for kind in AnchorType if kind in kinds),
        "evidence": evidence,
        "counterevidence": tuple(c for pin, c in citations if pin.side == "counterevidence"),
    }
    try:
        return SiteAnswer.model_validate(values)
    except ValidationError as error:
        raise FormError([_said(error)]) from error


def pair_answer(form: Mapping[str, Any]) -> PairAnswer:
    """Return the answer of a pair's form.

    Raises:
        FormError: It is no answer yet.
    """
    read = _read(PairForm, form)
    if problems := _missing(read, "answer"):
        raise FormError(problems)
    try:
        return PairAnswer.model_validate(read.model_dump())
    except ValidationError as error:
        raise FormError([_said(error)]) from error


def form_of(answer: SiteAnswer | PairAnswer, thumbnails: Mapping[Citation, str]) -> dict[str, Any]:
    """Return the form that an answer was given in, as JSON.

    Args:
        answer: The answer.
        thumbnails: Names of pictures of what is cited.
    """
    if isinstance(answer, PairAnswer):
        return answer.model_dump(mode="json")
    fields = answer.model_dump(mode="json", include=set(SiteForm.model_fields) - {"pins"})
    sides: tuple[Literal["evidence", "counterevidence"], ...] = ("evidence", "counterevidence")
    pins = [(side, citation) for side in sides for citation in getattr(answer, side)]
    return {**fields, "pins": [_pin(f"p{i}", *pin, thumbnails) for i, pin in enumerate(pins, 1)]}


def _pin(name: str, side: str, citation: Citation, thumbnails: Mapping[Citation, str]) -> dict[str, Any]:
    return {
        "id": name,
        "side": side,
        **citation.model_dump(mode="json"),
        "thumbnail": thumbnails.get(citation, ""),
    }


def _citations(
    pins: tuple[Pin, ...], pages: Mapping[int, ObservedPage], problems: list[dict[str, str]]
) -> list[tuple[Pin, Citation]]:
    found = []
    for i, pin in enumerate(pins):
        try:
            citation = pin.citation()
        except ValidationError as error:
            said = _said(error)
            problems.append(_problem(f"pins.{i}.{said['field']}".rstrip("."), said["message"]))
            continue
        if (problem := citation_problem(citation, pages)) is not None:
            problems.append(_problem(f"pins.{i}", f"This pin does not fit the visit, pin it again: {problem}."))
        elif holds_address(citation.observation):
            problems.append(_problem(f"pins.{i}.observation", _ADDRESS))
        found.append((pin, citation))
    return found


def _read(model: type[_F], form: Mapping[str, Any]) -> _F:
    try:
        return model.model_validate(form)
    except ValidationError as error:
        raise FormError([_said(error)]) from error


def _missing(read: Frozen, *fields: str) -> list[dict[str, str]]:
    return [_problem(field, _MISSING[field]) for field in fields if getattr(read, field) is None]


def _said(error: ValidationError) -> dict[str, str]:
    """Return what a model refused; the codebook's own sentences begin with their field."""
    field, message = first_problem(error)
    sentence = str(error.errors(include_url=False)[0]["msg"]).removeprefix("Value error, ")
    named, _, rest = sentence.partition(": ")
    return _problem(field, message) if field else _problem(named, rest) if rest else _problem("", sentence)


def _problem(field: str, message: str) -> dict[str, str]:
    return {"field": field, "message": message}
