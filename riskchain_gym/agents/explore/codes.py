"""Codes that pages print, to be typed into a field elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from riskchain_gym.agents.explore.words import means

_CODE = re.compile(
    r"(?<![A-Za-z0-9-])(?!\d{4}-\d\d-\d\d(?![A-Za-z0-9-]))"
    r"(?=[A-Za-z0-9-]*[0-9A-Z])[A-Za-z0-9][A-Za-z0-9-]{3,}(?![A-Za-z0-9])"
)
"""Four letters, figures or dashes, with a figure or a capital among them, that are no date."""


@dataclass(frozen=True)
class PrintedCodes:
    """The lines of a page that seem to print a code.

    Attributes:
        text: These lines in lower case, each with the line after it: a label and its value may be two lines.
        names_one: Whether one of them speaks of a code.
    """

    text: str
    names_one: bool

    def are_for(self, fields: Iterable[str], *, any_code: bool) -> bool:
        """Return whether one seems to be for one of some fields.

        Args:
            fields: Names of the fields; a line speaks of one when it holds the end of its name.
            any_code: Whether a line that speaks of any code will do.
        """
        endings = (_ending(name) for name in fields if len(name) > 1 and name.strip())
        return (any_code and self.names_one) or any("\n" not in end and end in self.text for end in endings)


def printed_codes(lines: Sequence[str]) -> PrintedCodes:
    """Return what some lines print that may be a code.

    Args:
        lines: The lines of a page.
    """
    pairs = [f"{line} {following}" for line, following in zip_longest(lines, lines[1:], fillvalue="")]
    coded = [pair for pair in pairs if _CODE.search(pair)]
    return PrintedCodes(
        "\n".join(pair.lower() for pair in coded), names_one=any(means("code_line", pair) for pair in coded)
    )


def _ending(name: str) -> str:
    """Return the last word of a name, or its last two characters where words are not set apart."""
    return name.lower().split()[-1] if name.isascii() else name[-2:]
