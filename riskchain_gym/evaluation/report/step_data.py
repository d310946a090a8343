"""What the viewer shows of the steps of an episode: each view, and everything that was done on it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from riskchain_gym.evaluation.report.marking import Json, box
from riskchain_gym.protocol.page import ObservedElement, ObservedPage
from riskchain_gym.protocol.trajectory import Phase, Step, Trajectory

UNREADABLE = "unreadable action"
"""What an action is called that is no JSON object."""


def pages_and_views(
    trajectory: Trajectory, pages: Mapping[int, ObservedPage], media: Mapping[str, str]
) -> tuple[list[Json], list[Json]]:
    """Return the distinct pages, and one view a browse observation with the actions that were taken on it.

    Args:
        trajectory: The episode.
        pages: Its pages by browse step.
        media: File name of the screenshot of each browse step.
    """
    numbers: dict[str, int] = {}
    distinct: list[Json] = []
    for page in pages.values():
        if page.state_hash() not in numbers:
            numbers[page.state_hash()] = len(distinct)
            distinct.append(_page(page))
    acts = _acts(trajectory, pages)
    views: list[Json] = [
        {
            "step": number,
            "page": numbers[page.state_hash()],
            "image": media.get(str(number)),
            "scroll": page.scroll_y,
            "acts": acts.get(number, []),
        }
        for number, page in pages.items()
    ]
    return distinct, views


def outside(trajectory: Trajectory, phase: Phase) -> list[Json]:
    """Return what was sent in the phase before or after browsing.

    Args:
        trajectory: The episode.
        phase: The phase.
    """
    return [_act(step, None) for step in trajectory.steps if step.phase is phase]


def _acts(trajectory: Trajectory, pages: Mapping[int, ObservedPage]) -> dict[int, list[Json]]:
    """Return the actions of the browse phase by the browse step whose view they were taken on."""
    acts: dict[int, list[Json]] = {}
    current = 0
    for step in trajectory.steps:
        if step.phase is Phase.BROWSE:
            acts.setdefault(current, []).append(_act(step, pages.get(current)))
            current = current if step.browse_step is None else step.browse_step
    return acts


def _act(step: Step, page: ObservedPage | None) -> Json:
    action = _read(step.action)
    target = next((e for e in page.elements if e.element_id == action.get("element_id")), None) if page else None
    return {
        "index": step.index,
        "sent": step.action,
        "action": str(action.get("action", UNREADABLE if step.phase is Phase.BROWSE else step.phase)),
        "reason": str(action.get("reason", "")),
        "target": {"id": target.element_id, "role": target.role, "name": target.name} if target else None,
        "box": box(target.box) if target else None,
        "valid": step.result.status != "invalid",
        "result": step.result.error or step.result.status,
        "feedback": step.feedback,
        "strikes": step.strikes,
        "leads": step.browse_step,
    }


def _read(text: str) -> Json:
    """Return the fields of an action; none of a text that is no JSON object: the viewer shows what it can."""
    try:
        action = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return action if isinstance(action, dict) else {}


def _page(page: ObservedPage) -> Json:
    return {
        "path": page.path,
        "title": page.title,
        "status": page.status,
        "text": page.text,
        "elements": [_element(element) for element in page.elements],
        "height": page.height,
    }


def _element(element: ObservedElement) -> Json:
    states = {"checked": element.checked, "disabled": element.disabled, "filled in": element.has_value}
    further = {"type": element.type, "placeholder": element.placeholder, "options": list(element.options)}
    return {
        "id": element.element_id,
        "role": element.role,
        "name": element.name,
        **{name: value for name, value in further.items() if value},
        "is": [name for name, value in states.items() if value],
        "can": [name for name, value in element.capabilities.model_dump().items() if value],
        "box": box(element.box),
    }
