"""The view: what the workbench's page is told of the page of a site; the page itself never leaves the server."""

from __future__ import annotations

from typing import Literal

from riskchain_gym.annotation.deed import Deed
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.page import ObservedElement, ObservedLine, ObservedPage
from riskchain_gym.protocol.report import Region

VisitState = Literal["open", "diverged", "lost"]
"""``open``: browsing goes on. ``diverged``: after a restart of the server the site showed another page than before.
``lost``: browser or server failed for good. In the last two what was seen can still be cited."""


class ViewElement(Frozen):
    """An element that can be acted on.

    Attributes:
        element_id: Its id in the visit.
        role: Accessible role.
        name: Accessible name.
        type: ``type`` of an input, else ``""``.
        options: Labels to choose from.
        disabled: Whether it is greyed out.
        checked: Whether a box is checked.
        has_value: Whether a field is filled in.
        can: The actions among ``click``, ``fill``, ``check``, ``select`` and ``submit`` that it takes; ``press`` works
            on all.
        box: Where it stands in the document, in CSS pixels.
    """

    element_id: str
    role: str
    name: str
    type: str
    options: tuple[str, ...]
    disabled: bool
    checked: bool
    has_value: bool
    can: tuple[str, ...]
    box: Region | None

    @classmethod
    def of(cls, element: ObservedElement) -> ViewElement:
        """Return what is told of an element."""
        return cls(
            element_id=element.element_id,
            role=element.role,
            name=element.name,
            type=element.type,
            options=element.options,
            disabled=element.disabled,
            checked=element.checked,
            has_value=element.has_value,
            can=tuple(name for name, able in element.capabilities if able),
            box=element.box,
        )


class ViewPicture(Frozen):
    """A picture of the page that may hold text; pins name it by its key, as an element.

    Attributes:
        key: Unique on the page.
        box: Where it stands in the document, in CSS pixels.
    """

    key: str
    box: Region | None


class View(Frozen):
    """One browse observation, as JSON for the workbench.

    Attributes:
        task_id: The task that the visit belongs to.
        step: Number of the observation, which pins name; 0 is the landing view.
        title: Title of the page.
        path: Path and query on the site.
        status: HTTP status.
        feedback: What agents are told of the last action, ``""`` before the first.
        last: The last action in parts, ``None`` before the first.
        scroll_y: How far the page is scrolled down, in CSS pixels.
        height: Height of the document in CSS pixels.
        viewport: Width and height of the picture in CSS pixels.
        elements: What can be acted on, in document order.
        lines: Lines of text in document order; a pin may name one by its place, from 0.
        pictures: Pictures in document order.
        steps: Number of observations so far: ``step + 1``.
        state: Whether browsing goes on.
        notice: Why it does not, ``""`` while it does.
    """

    task_id: str
    step: int
    title: str
    path: str
    status: int
    feedback: str
    last: Deed | None
    scroll_y: int
    height: int
    viewport: tuple[int, int]
    elements: tuple[ViewElement, ...]
    lines: tuple[ObservedLine, ...]
    pictures: tuple[ViewPicture, ...]
    steps: int
    state: VisitState
    notice: str


def view_of(
    page: ObservedPage,
    *,
    task_id: str,
    step: int,
    viewport: tuple[int, int],
    feedback: str = "",
    last: Deed | None = None,
    state: VisitState = "open",
    notice: str = "",
) -> View:
    """Return the view of an observed page.

    Args:
        page: The page, scrolled as it is in the picture.
        task_id: The task.
        step: Number of the observation.
        viewport: Width and height of the picture in CSS pixels.
        feedback: What agents are told of the last action.
        last: The last action in parts.
        state: Whether browsing goes on.
        notice: Why it does not.
    """
    return View(
        task_id=task_id,
        step=step,
        title=page.title,
        path=page.path,
        status=page.status,
        feedback=feedback,
        last=last,
        scroll_y=page.scroll_y,
        height=page.height,
        viewport=viewport,
        elements=tuple(ViewElement.of(element) for element in page.elements),
        lines=page.lines,
        pictures=tuple(ViewPicture(key=picture.key, box=picture.box) for picture in page.pictures),
        steps=step + 1,
        state=state,
        notice=notice,
    )
