"""A bundle as the rule judge reads it: the text of every view once, blanks folded."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from riskchain_gym.protocol.page import PICTURE_MARK
from riskchain_gym.scoring.judge.bundle import Bundle, CitedItem, View
from riskchain_gym.scoring.text import fold_blanks

_folded = lru_cache(maxsize=8192)(fold_blanks)


@dataclass(frozen=True)
class ReadView:
    """One view, folded.

    Attributes:
        view: The view.
        text: Its lines and alternative texts, one space between.
        lowered: The same in lower case.
        lines: Each of them.
        names: Names of its controls by element id.
        keys: Keys of its pictures.
    """

    view: View
    text: str
    lowered: str
    lines: tuple[str, ...]
    names: dict[str, str]
    keys: frozenset[str]

    @classmethod
    def of(cls, view: View) -> ReadView:
        """Read a view."""
        alts = (line for picture in view.pictures for line in picture.alt.split("\n") if line)
        lines = tuple(_folded(line) for line in (*view.lines, *(PICTURE_MARK + alt for alt in alts)))
        text = " ".join(filter(None, lines))
        return cls(
            view=view,
            text=text,
            lowered=text.lower(),
            lines=lines,
            names={control.element_id: _folded(control.name) for control in view.controls},
            keys=frozenset(picture.key for picture in view.pictures),
        )

    def shows(self, quote: str, element_id: str | None = None) -> bool:
        """Return whether a folded quote stands in the view, or in the name of an element of it."""
        return quote in self.text or (element_id is not None and quote in self.names.get(element_id, ""))

    def line_of(self, quote: str) -> str:
        """Return the line that holds a folded quote, or the quote itself where it spans several or stands in none."""
        return next((line for line in self.lines if quote in line), quote)


@dataclass(frozen=True)
class Reading:
    """A bundle, every view read once.

    Attributes:
        bundle: The bundle.
        views: Its views by browse step.
        by_state: The first view of every distinct page state.
    """

    bundle: Bundle
    views: dict[int, ReadView] = field(default_factory=dict)
    by_state: dict[int, ReadView] = field(default_factory=dict)

    @classmethod
    def of(cls, bundle: Bundle) -> Reading:
        """Read a bundle."""
        by_state: dict[int, ReadView] = {}
        views: dict[int, ReadView] = {}
        for view in bundle.views:
            if view.state not in by_state:
                by_state[view.state] = ReadView.of(view)
            views[view.step] = by_state[view.state]
        return cls(bundle, views, by_state)

    def first_shown(self, line: str) -> int | None:
        """Return the step of the first view with a line, or ``None`` if none has it."""
        return next((view.view.step for view in self.by_state.values() if line in view.lines), None)

    def cited(self, place: str) -> tuple[CitedItem | None, ReadView | None]:
        """Return a citation by its place and the view that it cites; ``None`` for what is not there."""
        citation = self.bundle.citation(place)
        return citation, self.views.get(citation.step) if citation is not None else None


def is_drawn(citation: CitedItem, view: ReadView) -> bool:
    """Return whether a citation may mean what is drawn in a picture: its words are recorded nowhere."""
    if citation.element_id is not None:
        return citation.element_id in view.keys
    return citation.region is not None and bool(view.keys)
