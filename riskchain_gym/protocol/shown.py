"""What the key ``elements`` of an observation holds, phase by phase, as models that read it."""

from __future__ import annotations

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.page import ObservedElement, ObservedPicture


class Progress(Frozen):
    """How far the investigation has come.

    Attributes:
        executed_action_count: Browse actions so far that were carried out; those count against ``max_steps``.
        observed_state_count: Different page states seen so far, the landing view included.
    """

    executed_action_count: int
    observed_state_count: int


class View(Frozen):
    """The part of the page that the viewport shows, in CSS pixels.

    Attributes:
        scroll_y: How far the page is scrolled down.
        width: Width of the viewport.
        height: Height of the viewport.
        page_height: Height of the whole page.
    """

    scroll_y: int
    width: int
    height: int
    page_height: int


class BrowseElements(Frozen):
    """``elements`` in the browse phase: ``BrowseElements.model_validate_json(observation["elements"])``.

    Attributes:
        step: Number of the observation, which citations name; 0 is the landing view.
        path: Path and query of the page on the episode's site.
        title: Title of the page.
        elements: The inventory: what can be acted on, in document order.
        pictures: Pictures that may hold text, in document order.
        view: What the viewport shows; ``None`` where the backend has no geometry.
        progress: How far the investigation has come.
        coverage_objectives: The scaffold, the same words on every page; empty where it is switched off.
    """

    step: int
    path: str
    title: str
    elements: tuple[ObservedElement, ...]
    pictures: tuple[ObservedPicture, ...] = ()
    view: View | None = None
    progress: Progress
    coverage_objectives: tuple[str, ...] = ()


class ObservedStep(Frozen):
    """A browse observation that a report may cite.

    Attributes:
        step: Its number.
        path: Path and query of the page.
        title: Title of the page.
    """

    step: int
    path: str
    title: str


class Revision(Frozen):
    """What the report phase says of a revised commit, where the protocol takes one.

    Attributes:
        lines: How many first lines of the observation's ``text`` are not the page's: the message and the committed
            restoration, each as JSON, and where the protocol tells it, whether the committed entry was right.
        open: Whether a revised commit may still be sent.
    """

    lines: int
    open: bool


class ReportElements(Frozen):
    """``elements`` in the report phase: ``ReportElements.model_validate_json(observation["elements"])``.

    Attributes:
        observed_steps: The observations of the browse phase, in order.
        revision: What is said of a revised commit; ``None`` where the protocol takes none.
    """

    observed_steps: tuple[ObservedStep, ...]
    revision: Revision | None = None
