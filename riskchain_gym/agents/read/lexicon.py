"""The reader's lexicon: what each phrase says of the line it stands in, and how strongly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from riskchain_gym.agents.read.folding import DATA, Folding, default_folding
from riskchain_gym.agents.read.phrases import phrases
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, AnchorType, Component, ViolationType
from riskchain_gym.protocol.errors import InputFileError

LEXICON = DATA / "phrases.tsv"
"""The lexicon that ships with the package; ``python -m riskchain_gym.fitting.phrases`` makes it."""

ANY_LINE = "(line)"
"""Stands in the place of a phrase for what holds of every line."""

ANY_PHRASE = "(phrase)"
"""Stands in the place of a phrase for what is added with every phrase that says something of types."""

SAYINGS: tuple[str, ...] = (*Component, *CONCRETE_TYPES, *AnchorType)
"""What a phrase can speak for: the part of a line, a type of violation, the anchor type of a line."""

Weights = Mapping[str, int]
"""Weight by what is said, in hundredths: whole numbers, so that sums are exact."""


@dataclass(frozen=True)
class LineWeights:
    """What the phrases of a line say together.

    Attributes:
        parts: Weight of each part it may play; above 0 it plays it.
        types: Weight of each concrete type; only differences count.
        anchors: Weight of each anchor type; only differences count.
    """

    parts: Mapping[Component, int]
    types: Mapping[ViolationType, int]
    anchors: Mapping[AnchorType, int]


@dataclass(frozen=True)
class Lexicon:
    """Phrases and what they say.

    Attributes:
        phrases: What each phrase says.
        any_line: What holds of every line.
        any_phrase: What is added for every phrase that says something of types.
        folding: Spellings that are read as one.
    """

    phrases: Mapping[str, Weights]
    any_line: Weights = field(default_factory=dict)
    any_phrase: Weights = field(default_factory=dict)
    folding: Folding = field(default_factory=default_folding)

    def weigh(self, line: str) -> LineWeights:
        """Add up what the phrases of a line say.

        Args:
            line: The line as shown.
        """
        total = {**dict.fromkeys(SAYINGS, 0), **self.any_line}
        for phrase in phrases(self.folding.fold(line)):
            said = self.phrases.get(phrase)
            if said is None:
                continue
            for name, weight in said.items():
                total[name] += weight
            if not said.keys().isdisjoint(CONCRETE_TYPES):
                for name, weight in self.any_phrase.items():
                    total[name] += weight
        return LineWeights(
            {part: total[part] for part in Component},
            {kind: total[kind] for kind in CONCRETE_TYPES},
            {anchor: total[anchor] for anchor in AnchorType},
        )


@cache
def default_lexicon() -> Lexicon:
    """Return the lexicon that ships with the package."""
    return read_lexicon(LEXICON)


def read_lexicon(path: Path) -> Lexicon:
    """Read a lexicon: a phrase a row, then a tab, then what it says with a weight, separated by commas.

    Args:
        path: The file; rows that begin with ``# `` are comments.

    Raises:
        InputFileError: A row is malformed.
        OSError: The file cannot be read.
    """
    rows: dict[str, Weights] = {}
    for number, row in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if row and not row.startswith("# "):
            phrase, tab, said = row.partition("\t")
            if not tab:
                raise InputFileError(path, f"line {number}", "needs a phrase, a tab and what the phrase says")
            rows[phrase] = _weights(said.split(", "), path, number)
    any_line, any_phrase = rows.pop(ANY_LINE, {}), rows.pop(ANY_PHRASE, {})
    return Lexicon(rows, any_line, any_phrase)


def write_lexicon(rows: Mapping[str, Weights], comments: Iterable[str]) -> str:
    """Return a lexicon as its file has it: phrases in order of code points, what they say in the order of SAYINGS.

    Args:
        rows: What each phrase says, :data:`ANY_LINE` and :data:`ANY_PHRASE` among them.
        comments: Rows for the head.
    """
    place = {name: number for number, name in enumerate(SAYINGS)}
    lines = [f"# {comment}" for comment in comments]
    for phrase in sorted(rows):
        said = sorted(rows[phrase].items(), key=lambda pair: place[pair[0]])
        lines.append(f"{phrase}\t" + ", ".join(f"{name} {weight:+d}" for name, weight in said))
    return "\n".join((*lines, ""))


def _weights(said: Iterable[str], path: Path, number: int) -> Weights:
    found: dict[str, int] = {}
    for each in said:
        name, _, weight = each.partition(" ")
        try:
            found[name] = int(weight)
        except ValueError as error:
            raise InputFileError(path, f"line {number}", f"'{each}' is no name with a whole number") from error
        if name not in SAYINGS:
            raise InputFileError(path, f"line {number}", f"there is no '{name}' to speak for")
    return found
