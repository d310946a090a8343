"""What a coordinator is shown of the answers that differ: each under a letter that stands for nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count, product
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from riskchain_gym.annotation.forms import form_of
from riskchain_gym.annotation.human_visit import HumanVisit
from riskchain_gym.annotation.pictures import MEDIA, Pictures
from riskchain_gym.annotation.pins import place_pin
from riskchain_gym.annotation.visit_errors import PinRefusedError
from riskchain_gym.annotation.visit_store import VisitStore
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Task
from riskchain_gym.benchmark.labels.state import ItemState
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.protocol.report import Citation


def shown_answers(project: Path, task: Task, state: ItemState) -> list[dict[str, Any]]:
    """Return passes and review of an item as forms, in an order that is the task's own and nobody's.

    Args:
        project: Folder of the labelling project.
        task: The adjudication.
        state: The item's answers.

    Raises:
        InputFileError: A visit is missing, or is not the one that its answer rests on.
    """
    events = [*state.passes.values(), *([state.review] if state.review is not None else [])]
    events.sort(key=lambda event: sha256_of([task.task_id, event.worker]))
    return [{"by": by, "form": answered_form(project, event)} for by, event in zip(_letters(), events, strict=False)]


def _letters() -> Iterator[str]:
    """Return A to Z, then AA to ZZ, and so on without end."""
    return ("".join(letters) for length in count(1) for letters in product(ascii_uppercase, repeat=length))


def answered_form(project: Path, event: Event) -> dict[str, Any]:
    """Return the form that an event was answered with; a thumbnail that cannot be made again is left out.

    Raises:
        InputFileError: The visit is missing, or is not the one that the answer rests on.
    """
    assert event.answer is not None, "a withdrawn answer is nobody's form"
    return form_of(event.answer, _thumbnails(project, event))


def _thumbnails(project: Path, event: Event) -> Mapping[Citation, str]:
    if event.site_answer is None or event.visit_file is None:
        return {}
    visit = VisitStore(project, event.worker).read(event.visit_file)
    pictures = Pictures(project / MEDIA)
    cited = (*event.site_answer.evidence, *event.site_answer.counterevidence)
    return {citation: _thumbnail(citation, visit, pictures) for citation in cited}


def _thumbnail(citation: Citation, visit: HumanVisit, pictures: Pictures) -> str:
    trajectory, name = visit.trajectory, visit.media.get(str(citation.step))
    viewport = trajectory.viewport
    if name is None or viewport is None or (citation.element_id is None and citation.region is None):
        return ""
    place = {"region": citation.region} if citation.element_id is None else {"element_id": citation.element_id}
    try:
        _, box = place_pin(trajectory.browse_steps(), viewport, citation.step, **place)
        return "" if box is None else pictures.thumbnail(name, box)
    except (PinRefusedError, InputFileError):
        return ""
