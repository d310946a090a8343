"""What the report is written from: the redacted record of the episode, cut to a length, with every cut stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from riskchain_gym.agents.llm.notes import Notes
from riskchain_gym.agents.llm.page import MAX_TITLE, described, picture_block
from riskchain_gym.agents.llm.quotes import as_shown
from riskchain_gym.agents.view import Sighting
from riskchain_gym.llm.fence import within
from riskchain_gym.scoring.redaction.text import Redactor

MAX_LINES = 32_000
"""Code points of the lines in a report prompt; long pages share what short ones leave."""

MAX_CONTROLS = 8_000
"""Code points of the controls in a report prompt."""

MAX_ACTIONS = 12_000
"""Code points of the list of actions."""


class Record:
    """One episode, redacted with one table of tokens (protocol C.7).

    Args:
        notes: What was seen and done.
    """

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        pages = notes.pages.values()
        self.redactor = Redactor((text for page in pages for text in _texts(page)), (page.title for page in pages))

    def block(self) -> dict[str, Any]:
        """Return the block ``seen``: each different page at its first step, and what was done."""
        pages: dict[object, Sighting] = {}
        for page in self._notes.pages.values():
            pages.setdefault((page.path, page.title, page.lines, page.elements, page.pictures), page)
        lines = [[self.redactor.mask(line) for line in page.lines] for page in pages.values()]
        room = shares([sum(len(line) + 4 for line in each) for each in lines], MAX_LINES)
        each = MAX_CONTROLS // max(1, len(pages))
        shown = [
            self._page(page, masked, most, each) for page, masked, most in zip(pages.values(), lines, room, strict=True)
        ]
        done = [deed.masked(self.redactor.mask) for deed in self._notes.deeds]
        return {"pages": shown, **within("actions", done, MAX_ACTIONS)}

    def with_quotes_as_shown(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return a filled-in report form whose quotes hold, where they have tokens, what the tokens stand for."""
        sides = {side: [self._cited(cited) for cited in fields[side]] for side in ("evidence", "counterevidence")}
        return {**fields, **sides}

    def _cited(self, cited: Mapping[str, Any]) -> dict[str, Any]:
        page = self._notes.pages.get(int(cited["step"]))
        source = "\n".join(page.lines) if page is not None else ""
        return {**cited, "quote": as_shown(str(cited["quote"]), source, self.redactor)}

    def _page(self, page: Sighting, lines: Sequence[str], characters: int, controls: int) -> dict[str, Any]:
        mask = self.redactor.mask
        named = [f"{e.element_id} {mask(described(e))}{' (disabled)' if e.disabled else ''}" for e in page.elements]
        block = {
            "step": page.step,
            "title": mask(page.title)[:MAX_TITLE],
            "path": mask(page.path)[:MAX_TITLE],
            **within("lines", lines, characters),
            **within("controls", named, controls),
        }
        if page.pictures:
            pictures = [picture.model_copy(update={"alt": mask(picture.alt)}) for picture in page.pictures]
            block |= within("pictures", [picture_block(picture) for picture in pictures], controls)
        return block


def shares(wanted: Sequence[int], total: int) -> list[int]:
    """Return how much of a total each gets: an equal part, and of what others leave of theirs as much as it wants."""
    given = [0] * len(wanted)
    left = total
    for rank, i in enumerate(sorted(range(len(wanted)), key=lambda i: (wanted[i], i))):
        given[i] = left // (len(wanted) - rank)
        left -= min(given[i], wanted[i])
    return given


def _texts(page: Sighting) -> list[str]:
    alts = [line for picture in page.pictures for line in picture.alt.split("\n")]
    return [*page.lines, *alts, *(element.name for element in page.elements)]
