"""What the page may send, read strictly: JSON that can be stored as it is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from riskchain_gym.annotation.refusals import RefusedError
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.invalid import first_problem
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.report import Region

_R = TypeVar("_R", bound=Frozen)

_DEPTH = 16
"""How deep JSON may be nested; forms need five."""

_Id = Annotated[str, Field(min_length=1, max_length=128)]


class OnTask(Frozen):
    """A request about a task, so that it is refused once another is the current one."""

    task_id: _Id


class SaveDraft(OnTask):
    """A form to keep.

    Attributes:
        revision: The revision that the form was made from.
        tab: Which tab it is from.
        form: The form.
    """

    revision: Annotated[int, Field(ge=0)]
    tab: Annotated[str, Field(max_length=64)] = ""
    form: dict[str, Any]


class Submit(SaveDraft):
    """A form to be answered with.

    Attributes:
        seconds: How long the task was open and in use, as the page's clock says.
    """

    seconds: float | None = None


class Act(OnTask):
    """An action on the page of a step."""

    step: Annotated[int, Field(ge=0)]
    action: BrowserAction


class MakePin(OnTask):
    """A place on the page of a step: an element, a region or a line by its number."""

    step: Annotated[int, Field(ge=0)]
    element_id: Annotated[str, Field(max_length=64)] | None = None
    region: Region | None = None
    line: Annotated[int, Field(ge=0)] | None = None


class Undo(Frozen):
    """A request to take the last answer back.

    Attributes:
        done: How many answers the page counts, so that a request that comes twice takes back one; ``None`` counts none.
    """

    done: int | None = None


def read_request(body: bytes, model: type[_R]) -> _R:
    """Return the request that a body holds.

    Raises:
        RefusedError: 400; it is no JSON, or says something else.
    """
    try:
        value = json.loads(body)
        # What no file could hold is refused here: lone surrogates, numbers beyond all bounds.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "The body is not JSON that can be kept.") from error
    if _is_deeper(value, _DEPTH):
        raise RefusedError(400, f"The body is nested more than {_DEPTH} deep.")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        field, problem = first_problem(error)
        raise RefusedError(400, f"{field or 'The body'}: {problem}.") from error


def _is_deeper(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [inner for each in level for inner in _inner(each)]
    return bool(level)


def _inner(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
