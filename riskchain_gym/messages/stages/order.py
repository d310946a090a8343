"""Characters in another order: words and clauses backwards, neighbours swapped, columns read from right to left."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from riskchain_gym.messages.stages.base import Context, pick
from riskchain_gym.messages.stages.places import cells, clauses, found_words, han_gaps, share
from riskchain_gym.protocol.gold import Edit
from riskchain_gym.protocol.keyed import KeyedRandom

_REVERSED_CUES = ("（倒着读）", "（这句反着念）", "（从后往前看）")
_COLUMN_HEIGHTS = (3, 4, 5)
_WIDE_SPACE = "\u3000"


@dataclass(frozen=True)
class ReversedWords:
    """Write a share of the words that have a reading backwards, at least one.

    Attributes:
        part: The share of the words, 0 to 1.
    """

    part: float
    name: str = "word_reversal"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a word."""
        found = found_words(context.lexicon.pattern("readings"), text, context)
        turned = [i for i, word in found.items() if word != word[::-1]]
        return tuple(
            Edit(start=i, before=found[i], after=found[i][::-1], rule=self.name) for i in share(turned, self.part, rng)
        )


@dataclass(frozen=True)
class SwappedCharacters:
    """Swap neighbouring Chinese characters; nothing is swapped twice.

    Attributes:
        part: The share of the neighbours that are swapped, 0 to 1; at least one pair is.
    """

    part: float
    name: str = "swapped_characters"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a pair."""
        edits: list[Edit] = []
        for gap in share([i for i in han_gaps(text, context) if text[i - 1] != text[i]], self.part, rng):
            if not edits or edits[-1].start + 2 < gap:
                pair = text[gap - 1 : gap + 1]
                edits.append(Edit(start=gap - 1, before=pair, after=pair[::-1], rule=self.name))
        return tuple(edits)


@dataclass(frozen=True)
class ReversedClauses:
    """Write clauses backwards, with a cue before each that says so.

    Attributes:
        count: How many clauses, where there are that many.
    """

    count: int
    name: str = "sentence_reversal"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return two edits a clause: the cue and the clause."""
        ends = dict(clauses(text, context, least=3))
        edits: list[Edit] = []
        for start in pick(list(ends), self.count, rng):
            clause = text[start : ends[start]]
            edits.append(Edit(start=start, before="", after=rng.choice(_REVERSED_CUES), rule=self.name))
            edits.append(Edit(start=start, before=clause, after="".join(reversed(cells(clause))), rule=self.name))
        return tuple(edits)


@dataclass(frozen=True)
class Columns:
    """Lay the wording out in columns that are read from top to bottom, the rightmost first.

    Each stretch of wording is a block of its own; addresses stay whole, each on a line of its own. Letters, digits and
    spaces take their full-width forms, so that the columns stand straight.

    Attributes:
        least: How long a stretch is that becomes a block, in characters; the longest one always does.
    """

    least: int
    name: str = "columns_text"

    def __call__(self, text: str, context: Context, rng: KeyedRandom) -> tuple[Edit, ...]:
        """Return one edit a block, and one a line break beside an address."""
        height = rng.choice(_COLUMN_HEIGHTS)
        spans = context.outside(text)
        longest = max(spans, key=lambda span: span[1] - span[0], default=None)
        edits: list[Edit] = []
        for start, end in spans:
            head = text[start] if text[start] in " \n" and start else ""
            tail = text[end - 1] if text[end - 1] in " \n" and end < len(text) and end - start > len(head) else ""
            core = text[start + len(head) : end - len(tail)]
            if start and head != "\n":
                edits.append(Edit(start=start, before=head, after="\n", rule=self.name))
            if len(core) >= self.least or (start, end) == longest:
                block = "\n".join(_block(line, height) for line in core.split("\n"))
                edits.append(Edit(start=start + len(head), before=core, after=block, rule=self.name))
            if end < len(text) and tail != "\n" and core:
                edits.append(Edit(start=end - len(tail), before=tail, after="\n", rule=self.name))
        return tuple(edits)


def _block(line: str, height: int) -> str:
    """Return a line in columns of a height."""
    found = [_widened(cell) for cell in cells(line)]
    columns = [found[i : i + height] for i in range(0, len(found), height)]
    rows = zip_longest(*columns, fillvalue=_WIDE_SPACE)
    return "\n".join("".join(reversed(row)) for row in rows)


def _widened(cell: str) -> str:
    if cell == " ":
        return _WIDE_SPACE
    return chr(ord(cell) + 0xFEE0) if len(cell) == 1 and "!" <= cell <= "~" else cell
