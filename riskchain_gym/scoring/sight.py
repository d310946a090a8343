"""Sight: what an agent can have seen of an observed page, by the modalities it was given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from riskchain_gym.protocol.gold import EvidenceAtom
from riskchain_gym.protocol.page import ObservedPage, ObservedPicture
from riskchain_gym.protocol.report import Region
from riskchain_gym.protocol.trajectory import Trajectory

_READ = frozenset({"text", "elements", "axtree"})
"""Modalities that give all lines of a page, whatever of it is in view."""


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

    @property
    def reads(self) -> bool:
        """Whether the agent was given the lines of pages."""
        return bool(self.modalities & _READ)

    def shows(self, page: ObservedPage, atom: EvidenceAtom) -> bool:
        """Return whether the agent can have seen an atom on a page.

        A line of the page was seen where the lines were given; by a screenshot alone, where it was in the viewport. A
        line drawn in a picture was seen where a screenshot had the picture in the viewport, or where the lines were
        given and it is in the picture's alternative text.

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
            return (self.reads and atom.text in picture.alt.split("\n")) or self._in_view(page, [picture.box])
        boxes = [line.box for line in page.lines if line.text == atom.text]
        return bool(boxes) and (self.reads or self._in_view(page, boxes))

    def _in_view(self, page: ObservedPage, boxes: Iterable[Region | None]) -> bool:
        if "screenshot" not in self.modalities or self.viewport is None:
            return False
        width, height = self.viewport
        view = Region(x=0, y=page.scroll_y, width=width, height=height)
        return any(overlap(view, box) > 0 for box in boxes if box is not None)


def picture_of(page: ObservedPage, key: str | None) -> ObservedPicture | None:
    """Return the picture of a page by its key, or ``None`` if there is none."""
    return next((picture for picture in page.pictures if picture.key == key), None)


def overlap(a: Region, b: Region) -> float:
    """Return the area that two rectangles have in common, in square pixels."""
    width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    return max(width, 0.0) * max(height, 0.0)
