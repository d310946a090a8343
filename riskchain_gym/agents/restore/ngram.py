"""A word trigram model with interpolated Kneser-Ney smoothing, read from a table of counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from riskchain_gym.agents.restore.vocabulary import word_cost
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError

Words = tuple[str, ...]

HEADER = "riskchain-trigrams/v1"
"""First line of a table."""

_COMMENT = "# "
_MADE = f"{_COMMENT}Made by `python -m riskchain_gym.fitting.ngram` from the split train; do not edit."

START = "^"
"""Stands for what comes before the first word of a run; it is no word itself."""

_VOCABULARY = 0.3
"""What the vocabulary counts for in the probability of a single word; chosen on messages of ``dev``."""

_MOST_KEPT = 200_000
_NO_ESTIMATE = 0.5
"""Discount where nothing was counted once, or nothing twice."""


def model_file(name: str) -> Path:
    """Return where a table of that name lies: in ``baselines/models/``."""
    return content_dir("baselines") / "models" / name


class _Order:
    """The n-grams of one length, and of each context how often it was seen and before how many different words.

    Args:
        counts: Count by n-gram; the context of an n-gram is what stands before its last word.
    """

    def __init__(self, counts: Mapping[Words, int]) -> None:
        self._counts = counts
        self._totals: dict[Words, int] = {}
        self._kinds: dict[Words, int] = {}
        for words, count in counts.items():
            context = words[:-1]
            self._totals[context] = self._totals.get(context, 0) + count
            self._kinds[context] = self._kinds.get(context, 0) + 1
        of = Counter(counts.values())
        self._discount = of[1] / (of[1] + 2 * of[2]) if of[1] and of[2] else _NO_ESTIMATE

    def kinds_before(self) -> Counter[Words]:
        """Return, for every n-gram one word shorter, how many different words were seen before it."""
        return Counter(words[1:] for words in self._counts)

    def probability(self, words: Words, lower: float) -> float:
        """Return the probability of the last word after the others.

        Args:
            words: As many words as these n-grams have.
            lower: Its probability after fewer words.
        """
        context = words[:-1]
        total = self._totals.get(context)
        if total is None:
            return lower
        seen = max(self._counts.get(words, 0) - self._discount, 0.0)
        return (seen + self._discount * self._kinds[context] * lower) / total


class TrigramModel:
    """Says how likely a word is after the two before it.

    Interpolated Kneser-Ney (Kneser and Ney 1995, in the interpolated form of Chen and Goodman 1999)::

        p(w | u v) = max(c(u v w) - D3, 0) / c(u v .) + D3 * N(u v .) / c(u v .) * p(w | v)

    N(u v .) is the number of different words seen after u v. p(w | v) is alike, with the number of different words
    seen before ``v w`` in the place of its count, and D2. The discount of either is D = n1 / (n1 + 2 * n2), n1 and n2
    being the numbers of its n-grams counted once and twice (Ney, Essen and Kneser 1994). p(w) is 0.7 times w's share in
    the number of different words before a word, and 0.3 times its share in the vocabulary. So a word of the vocabulary
    that was never counted costs 1.2 nats more than without the model.

    Args:
        counts: How often each trigram was seen; the first word of a run stands after ``("^", "^")``.
    """

    def __init__(self, counts: Mapping[Words, int]) -> None:
        self._three = _Order(counts)
        self._two = _Order(self._three.kinds_before())
        self._kinds_before = self._two.kinds_before()
        self._pairs = sum(self._kinds_before.values())
        self._known: dict[Words, float] = {}

    def word(self, previous: tuple[str, ...], word: str) -> float:
        """Return the natural logarithm of the probability of a word.

        Args:
            previous: The words before it in the run; only the last two count, and fewer mean that the run begins there.
            word: The word.
        """
        first, second = (START, START, *previous)[-2:]
        trigram = (first, second, word)
        known = self._known.get(trigram)
        if known is None:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            known = self._known[trigram] = math.log(self._probability(trigram))
        return known

    def _probability(self, trigram: Words) -> float:
        word = trigram[2]
        counted, known = self._kinds_before[word,] / self._pairs, math.exp(-word_cost(word))
        share = (1 - _VOCABULARY) * counted + _VOCABULARY * known
        return self._three.probability(trigram, self._two.probability(trigram[1:], share))


def write_counts(counts: Mapping[Words, int]) -> str:
    """Return counts as a table: two words a line, then those that come after them, a count above 1 behind ``:``."""
    rows: dict[tuple[str, str], list[str]] = {}
    for (first, second, word), count in sorted(counts.items()):
        rows.setdefault((first, second), []).append(word if count == 1 else f"{word}:{count}")
    lines = [" ".join((*context, *words)) for context, words in rows.items()]
    return "\n".join((HEADER, _MADE, *lines, ""))


def read_counts(path: Path) -> dict[Words, int]:
    """Read the table that :func:`write_counts` wrote; lines that begin with ``# `` are comments.

    Raises:
        InputFileError: The file cannot be read or is no such table.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputFileError(path, "", f"it cannot be read ({error}): fit it again, or reinstall") from error
    header, *lines = text.splitlines() or [""]
    if header != HEADER:
        raise InputFileError(path, "line 1", f"a table of trigrams begins with '{HEADER}', fit it again")
    counts: dict[Words, int] = {}
    for number, line in enumerate(lines, start=2):
        if line.startswith(_COMMENT):
            continue
        try:
            counts |= _read_row(line)
        except ValueError as error:
            raise InputFileError(path, f"line {number}", "it is no row of trigrams, fit the table again") from error
    return counts


def _read_row(line: str) -> dict[Words, int]:
    first, second, *words = line.split(" ")
    row: dict[Words, int] = {}
    for item in words:
        word, colon, count = item.partition(":")
        row[first, second, word] = int(count) if colon else 1
    return row


@cache
def load_model(name: str) -> TrigramModel:
    """Return the model of a table in ``baselines/models/``, made once in a process.

    Args:
        name: File name of the table.

    Raises:
        InputFileError: The file is missing or is no such table.
    """
    return TrigramModel(read_counts(model_file(name)))
