"""Fits the reader's lexicon: ``python -m riskchain_gym.fitting.phrases [--check] [--sites FOLDER]``.

From the gold of the sites of ``train``, drawn from seed 2026 (or read from a built split), it is known of every line
whether it is a claim, an action, a disclaimer, a sign of an honest service, a limitation, or none of these. Phrases are
the runs of one to four characters, words and numbers that stand in three lines or more; of those that stand in the same
lines only the shortest is kept. What they say of a line's part, and of the anchor type of an atom, is fitted by
:mod:`riskchain_gym.fitting.hinge`, which gives a weight to few; what claims and actions say of the type of violation is
counted by :mod:`riskchain_gym.fitting.odds`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from riskchain_gym.agents.read.anchors import ANCHORS
from riskchain_gym.agents.read.lexicon import ANY_LINE, ANY_PHRASE, LEXICON, write_lexicon
from riskchain_gym.agents.read.phrases import phrases
from riskchain_gym.fitting.gold_lines import GoldLine, built_sites, gold_lines, read_sites
from riskchain_gym.fitting.hinge import fit
from riskchain_gym.fitting.odds import log_odds
from riskchain_gym.fitting.words import write_or_check
from riskchain_gym.protocol.codebook import Component

LEAST_LINES = 3
"""Lines in which a phrase must stand."""

COST = 0.3
"""What a misread line costs; of 0.3, 0.5 and 1 the one that read left-out families of train best."""

LEAST_WEIGHT = 5
"""Smallest weight that is kept, in hundredths."""

COMMENTS = (
    "What phrases of the sites of the split train say of the line they stand in: a phrase, a tab, what it speaks for",
    "(below 0: against) and how strongly, in hundredths. A line plays the part whose weights add up to more than 0.",
    "(line) stands for any line, (phrase) for any phrase that speaks for a type, # for any number.",
    "Made by `python -m riskchain_gym.fitting.phrases`; do not edit.",
)

Rows = dict[str, dict[str, float]]


def fitted_lexicon(lines: Sequence[GoldLine]) -> str:
    """Return the lexicon that lines of train give, as its file has it.

    Args:
        lines: The lines, sorted.
    """
    rows: Rows = {ANY_LINE: {}, ANY_PHRASE: {}}
    _fit_parts(rows, lines)
    atoms = [line for line in lines if line.part]
    _fit_anchors(rows, atoms)
    _count_types(rows, [line for line in atoms if line.violation_type])
    rounded = ((phrase, {name: round(100 * w) for name, w in said.items()}) for phrase, said in rows.items())
    kept = ((phrase, {name: w for name, w in said.items() if abs(w) >= LEAST_WEIGHT}) for phrase, said in rounded)
    return write_lexicon({phrase: said for phrase, said in kept if said}, COMMENTS)


def known_phrases(texts: Iterable[str]) -> dict[str, list[int]]:
    """Return the phrases of texts and the places of the texts that hold them.

    A phrase stands in :data:`LEAST_LINES` texts or more. Of phrases that stand in the same texts the shortest is kept,
    among equally long ones the first by code points.

    Args:
        texts: Lines in the lexicon's spelling.
    """
    places: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        for phrase in phrases(text):
            places.setdefault(phrase, []).append(number)
    shortest: dict[tuple[int, ...], str] = {}
    for phrase, numbers in places.items():
        if len(numbers) >= LEAST_LINES:
            key = tuple(numbers)
            other = shortest.get(key, phrase)
            shortest[key] = min(phrase, other, key=lambda each: (len(each), each))
    return {phrase: places[phrase] for phrase in sorted(shortest.values())}


def _fit_parts(rows: Rows, lines: Sequence[GoldLine]) -> None:
    distinct = sorted({(line.text, str(line.part)) for line in lines})
    known = known_phrases(text for text, _ in distinct)
    for part in Component:
        _fit_one(rows, known, part, [of == part for _, of in distinct])


def _fit_anchors(rows: Rows, atoms: Sequence[GoldLine]) -> None:
    distinct = sorted({(line.text, str(line.anchor)) for line in atoms})
    known = known_phrases(text for text, _ in distinct)
    cited = {str(anchor) for anchors in ANCHORS.values() for anchor in anchors}
    for anchor in sorted(cited & {of for _, of in distinct}):
        _fit_one(rows, known, anchor, [of == anchor for _, of in distinct])


def _fit_one(rows: Rows, known: Mapping[str, list[int]], name: str, is_positive: Sequence[bool]) -> None:
    fitted = fit(list(known.values()), is_positive, COST)
    rows[ANY_LINE][name] = fitted.bias
    for phrase, weight in zip(known, fitted.weights, strict=True):
        if weight:
            rows.setdefault(phrase, {})[name] = weight


def _count_types(rows: Rows, typed: Collection[GoldLine]) -> None:
    distinct = sorted({(line.text, str(line.violation_type)) for line in typed})
    known = known_phrases(text for text, _ in distinct)
    odds = log_odds(list(known.values()), [kind for _, kind in distinct])
    rows[ANY_PHRASE].update(odds.by_class)
    for phrase, gains in zip(known, odds.by_phrase, strict=True):
        rows.setdefault(phrase, {}).update(gains)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the lexicon, or check that it is as it would be written; return the exit code.

    Args:
        arguments: The command line without the program's name; that of the process by default.
    """
    parser = argparse.ArgumentParser(prog="python -m riskchain_gym.fitting.phrases", description="Fit the reader.")
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    parser.add_argument("--sites", type=Path, help="read the built split train from this folder instead of drawing it")
    options = parser.parse_args(arguments)
    sites = read_sites(options.sites) if options.sites else built_sites()
    return write_or_check({LEXICON: fitted_lexicon(gold_lines(sites)).encode()}, check=options.check)


if __name__ == "__main__":
    sys.exit(main())
