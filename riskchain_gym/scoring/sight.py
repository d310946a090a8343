"""Sight: what an agent can have seen of an observed page, by the modalities it was given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.protocol.page import PICTURE_MARK, ObservedPage, ObservedPicture
from riskchain_gym.protocol.report import Region
from riskchain_gym.protocol.trajectory import Trajectory

MIN_SHARE = 0.5
"""Share of a line or a picture that must be in view for it to be seen. Scrolling brings that much of anything into view
wherever it stands, as long as the viewport is higher than a scroll is long."""


PICTURES = frozenset({"screenshot", "screenshot_som", "browsergym"})
"""The modalities that show the viewport as a picture."""

TREES = frozenset({"axtree", "dom", "browsergym"})
"""The modalities that give every line of a page, however long it is, and the alternative texts of its pictures."""


@dataclass(frozen=True)
class Sight:
    """How an agent looks at pages.

    Attributes:
        modalities: What it was given of each page.
        viewport: Width and height of screenshots in CSS pixels; without one nothing is seen in them.
    """

    modalities: frozenset[str] = frozenset({"text", "elements"})
    viewport: tuple[int, int] | None = None

    @classmethod
    def of(cls, trajectory: Trajectory) -> Self:
        """Return the sight of the agent of an episode."""
        return cls(frozenset(trajectory.modalities), trajectory.viewport)

    def shows(self, page: ObservedPage, atom: EvidenceAtom) -> bool:
        """Return whether the agent can have seen an atom on a page.

        A line of the page was seen where it was given as text: in the accessibility tree or the DOM, in the part of the
        page text that observations hold, or as the name of an element. By a screenshot alone it was seen where most of
        it was in the viewport. A line drawn in a picture was seen where a screenshot had most of the picture in the
        viewport, or where it was given as text by the picture's alternative text.

        Args:
            page: The page, scrolled as it was at that step.
            atom: The atom.
        """
        if page.path.partition("?")[0] != atom.path:
            return False
        if atom.picture:
            picture = picture_of(page, atom.picture)
            if picture is None:
                return False
            given = atom.text in picture.alt.split("\n") and self._reads_alt(page, atom.text)
            return given or self._in_view(page, [picture.box])
        boxes = [line.box for line in page.lines if line.text == atom.text]
        return bool(boxes) and (self._reads(page, atom.text) or self._in_view(page, boxes))

    def _reads(self, page: ObservedPage, line: str) -> bool:
        named = "elements" in self.modalities and any(element.name == line for element in page.elements)
        return bool(self.modalities & TREES) or named or self._is_in_text(page, line)

    def _reads_alt(self, page: ObservedPage, line: str) -> bool:
        return bool(self.modalities & (TREES | {"elements"})) or self._is_in_text(page, PICTURE_MARK + line)

    def _is_in_text(self, page: ObservedPage, line: str) -> bool:
        return "text" in self.modalities and f"\n{line}\n" in f"\n{page.shown_text}\n"

    def _in_view(self, page: ObservedPage, boxes: Iterable[Region | None]) -> bool:
        if self.viewport is None or not self.modalities & PICTURES:
            return False
        width, height = self.viewport
        view = Region(x=0, y=page.scroll_y, width=width, height=height)
        return any(in_view(box, view) for box in boxes if box is not None)


def picture_of(page: ObservedPage, key: str | None) -> ObservedPicture | None:
    """Return the picture of a page by its key, or ``None`` if there is none."""
    return next((picture for picture in page.pictures if picture.key == key), None)


def in_view(box: Region, view: Region) -> bool:
    """Return whether most of a box is in view; of one that is larger than the view, most of what the view can hold.

    Args:
        box: The box, in document coordinates.
        view: What the viewport shows of the document.
    """
    room = min(box.width, view.width) * min(box.height, view.height)
    return overlap(box, view) >= MIN_SHARE * room


def overlap(a: Region, b: Region) -> float:
    """Return the area that two rectangles have in common, in square pixels."""
    width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    return max(width, 0.0) * max(height, 0.0)
