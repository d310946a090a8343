"""Addresses laid out over lines: in columns read downwards, and as the first or last characters of lines."""

from __future__ import annotations

from dataclasses import dataclass

from riskchain_gym.messages.techniques.base import ZH, Family, Phase, Piece, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.cues import NO_CUE, Cue
from riskchain_gym.messages.techniques.exact import QUOTES, ExactCode, clusters, is_mark
from riskchain_gym.messages.techniques.word_files import acrostic_lines
from riskchain_gym.protocol.keyed import KeyedRandom

_EMPTY = "□"
_OWN = "\n/" + _EMPTY + QUOTES


class Lines(ExactCode):
    """A code that lays a text out over lines of its own.

    A text that has line breaks already stays as it is, and so does one with a slash, which a line break after it
    would make look like an emoji code.
    """

    def leaves(self, text: str) -> bool:
        """Leave a text that cannot be laid out."""
        return is_mark(text[:1]) or any(c in _OWN for c in text)


def _block(lines: list[str], cue: str) -> str:
    return "".join(f"\n{line}" for line in lines) + "\n" + cue


def _lines(block: str) -> list[str] | None:
    if not block.startswith("\n") or not block.endswith("\n") or len(block) < 2:
        return None
    return block[1:-1].split("\n")


@dataclass(frozen=True)
class Columns(Lines):
    """Lay a text out in columns, read downwards and from right to left; the last column is filled up with ``□``.

    Attributes:
        rows: How many rows.
        cue: What is said about it.
    """

    rows: int
    cue: Cue

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece."""
        return (Piece(text, _block(self._grid(text), self.cue.draw(rng))),)

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the characters in the order of the columns."""
        found = self.cue.strip(shown)
        rows = _lines(found[0]) if found else None
        if found is None or rows is None:
            return None
        cells = [clusters(row) for row in rows]
        columns = zip(*(row[::-1] for row in cells), strict=False)
        source = "".join(cell for column in columns for cell in column).rstrip(_EMPTY)
        return (source, found[1]) if source and self._grid(source) == rows else None

    def _grid(self, text: str) -> list[str]:
        cells = clusters(text)
        cells += [_EMPTY] * (-len(cells) % self.rows)
        return ["".join(cells[row :: self.rows][::-1]) for row in range(self.rows)]


@dataclass(frozen=True)
class Acrostic(Lines):
    """Write one line a character, which opens or ends it.

    Attributes:
        opening: Whether the character opens its line.
        cue: What is said about it.
    """

    opening: bool
    cue: Cue

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece a character, and the cue."""
        pieces: list[Piece] = []
        for part in clusters(text):
            line = rng.choice(acrostic_lines())
            pieces.append(Piece(part, "\n" + (part + line if self.opening else line + part)))
        return (*pieces, Piece("", "\n" + self.cue.draw(rng)))

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return what opens, or ends, each line."""
        found = self.cue.strip(shown)
        rows = _lines(found[0]) if found else None
        if found is None or rows is None:
            return None
        parts = [self._part(row) for row in rows]
        if any(len(clusters(part)) != 1 or is_mark(part[0]) for part in parts):
            return None
        return "".join(parts), found[1] * float(len(acrostic_lines())) ** -len(parts)

    def _part(self, row: str) -> str:
        """Return what a line holds beside a line of the list; ``""`` when it holds none."""
        if self.opening:
            return next((row.removesuffix(line) for line in acrostic_lines() if row.endswith(line)), "")
        return next((row.removeprefix(line) for line in acrostic_lines() if row.startswith(line)), "")


_COLUMNS = (
    Columns(rows=2, cue=Cue("columns")),
    Columns(rows=3, cue=Cue("columns")),
    Columns(rows=4, cue=NO_CUE),
)
_ACROSTICS = (
    Acrostic(opening=True, cue=Cue("acrostic")),
    Acrostic(opening=True, cue=NO_CUE),
    Acrostic(opening=False, cue=NO_CUE),
)

TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="columns",
        summary="The entry laid out in columns that are read downwards, from right to left.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.ACROSTIC_OR_GRID",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("columns", _COLUMNS[severity - 1]),
        languages=ZH,
    ),
    Technique(
        name="acrostic",
        summary="A line that says nothing for each character of the entry, which opens it or, at severity 3, ends it.",
        family=Family.LAYOUT_NOISE,
        types=("LAYOUT.ACROSTIC_OR_GRID",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("acrostic", _ACROSTICS[severity - 1]),
        languages=ZH,
        held_out=True,
    ),
)
