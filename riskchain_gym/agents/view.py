"""What an agent makes of an observation: the phase, and the page as it was shown at one step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from riskchain_gym.agents.base import Observation
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.page import ObservedElement, ObservedPicture
from riskchain_gym.protocol.report import Region
from riskchain_gym.protocol.trajectory import Phase

PHASES: tuple[Phase, ...] = tuple(Phase)
"""The phases by the number that stands in ``observation["phase"]``."""

_PICTURES = frozenset({"screenshot", "screenshot_som"})
_ELEMENT_FIELDS = frozenset(ObservedElement.model_fields) - {"box"}


@dataclass(frozen=True)
class Sighting:
    """One page as the agent saw it.

    Attributes:
        step: Browse step of the observation; citations use it.
        path: Path on the site.
        title: Document title.
        lines: Visible lines, exactly as shown.
        elements: Actionable elements in document order.
        feedback: What the environment said about the last action.
        steps_left: Browse actions left, this observation's action included.
        pictures: Pictures that may hold text, in document order.
        view: The part of the page that the screenshot shows, in CSS pixels from the top left of the page; ``None``
            without a screenshot.
    """

    step: int
    path: str
    title: str
    lines: tuple[str, ...]
    elements: tuple[ObservedElement, ...]
    feedback: str = ""
    steps_left: int = 0
    pictures: tuple[ObservedPicture, ...] = ()
    view: Region | None = None


def phase_of(observation: Observation) -> Phase:
    """Return the phase an observation belongs to."""
    return PHASES[int(observation["phase"])]


def sighting_of(observation: Observation) -> Sighting:
    """Read a browse observation.

    Raises:
        ConfigError: ``elements`` is not the JSON object that the browse phase promises.
    """
    try:
        shown: dict[str, Any] = json.loads(observation["elements"])
        elements = tuple(
            ObservedElement.model_validate({k: v for k, v in raw.items() if k in _ELEMENT_FIELDS})
            for raw in shown["elements"]
        )
        pictures = tuple(ObservedPicture.model_validate(raw) for raw in shown.get("pictures", ()))
        view = _view(shown["view"]) if "view" in shown and _PICTURES & observation.keys() else None
        step, path, title = int(shown["step"]), str(shown["path"]), str(shown["title"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigError(
            f"A browse observation's 'elements' must be JSON with step, path, title and elements, got "
            f"{str(observation.get('elements'))[:80]!r}: pass the environment's observations on unchanged."
        ) from error
    text = str(observation["text"])
    return Sighting(
        step=step,
        path=path,
        title=title,
        lines=tuple(text.split("\n")) if text else (),
        elements=elements,
        feedback=str(observation.get("feedback", "")),
        steps_left=int(observation["steps_left"]),
        pictures=pictures,
        view=view,
    )


def _view(shown: dict[str, Any]) -> Region:
    return Region(x=0, y=shown["scroll_y"], width=shown["width"], height=shown["height"])
