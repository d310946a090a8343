"""What wordings can read as, with the facts of a few sites filled in; whatever is alike is filled in once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from riskchain_gym.sites.expressions import ExpressionError
from riskchain_gym.sites.facts import Facts
from riskchain_gym.sites.library import Library
from riskchain_gym.sites.lines import LINE_FACT
from riskchain_gym.sites.spec import FactSpec, Lang, Scalar

_LINT_KEY = b"lint"
_DRAWINGS = ("1", "2", "3")
"""How often facts are drawn: a wording that ``say`` picks in none of these is not compared."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

_ASCII = frozenset(map(chr, range(128)))


def letters(text: str) -> frozenset[str]:
    """Return what no expression makes of other characters: all of a text that is not ASCII."""
    return frozenset(text) - _ASCII


class Filling:
    """What wordings become with certain facts.

    Args:
        drawings: The facts of a few sites.
    """

    def __init__(self, drawings: Iterable[Facts]) -> None:
        self._drawings = tuple(drawings)
        self._found: dict[str, tuple[tuple[str, str], ...]] = {}
        self._letters = letters("".join(str(value) for facts in self._drawings for value in facts.values.values()))

    def filled(self, text: str) -> tuple[tuple[str, str], ...]:
        """Return what a wording can be, each once, beside how that reads with its numbers left open."""
        if text not in self._found:
            self._found[text] = tuple((each, _NUMBER.sub("#", each)) for each in dict.fromkeys(self._fill(text)))
        return self._found[text]

    def can_be(self, text: str, wanted: Iterable[frozenset[str]]) -> bool:
        """Return whether a wording could become one that has certain letters, without filling it in.

        Args:
            text: The wording.
            wanted: The :func:`letters` of each.
        """
        known = letters(text) | self._letters if "[[" in text else letters(text)
        return any(known.issuperset(each) for each in wanted)

    def _fill(self, text: str) -> Iterator[str]:
        if "[[" not in text:
            yield from [text] if text.strip() else []
            return
        for facts in self._drawings:
            try:
                if filled := facts.fill(text):
                    yield filled
            except ExpressionError:
                continue


class Fillings:
    """The fillings of one language, by what their facts are drawn from: members of a family mostly have the same.

    Args:
        lang: The language.
        content: The content folder.
    """

    def __init__(self, lang: Lang, content: Library) -> None:
        self._banks = content.banks(lang)
        self._made: dict[str, Filling] = {}

    def of(self, facts: Iterable[Mapping[str, FactSpec]], given: Mapping[str, Scalar] | None = None) -> Filling:
        """Return the filling of some facts.

        Args:
            facts: The facts, in the order in which they are drawn. Those that hold the wordings of a line are left out:
                each wording is compared by itself.
            given: Facts that are there before.
        """
        drawn = [{name: spec for name, spec in each.items() if not name.startswith(LINE_FACT)} for each in facts]
        key = repr((drawn, given))
        if key not in self._made:
            self._made[key] = Filling(self._drawings(drawn, given))
        return self._made[key]

    def _drawings(self, facts: Iterable[Mapping[str, FactSpec]], given: Mapping[str, Scalar] | None) -> Iterator[Facts]:
        """Yield the facts of a few sites; those that cannot be drawn are told elsewhere and left out."""
        for label in _DRAWINGS:
            drawn = Facts(_LINT_KEY, (label,), self._banks, known=given)
            try:
                for each in facts:
                    drawn.draw(each)
            except ExpressionError:
                continue
            yield drawn
