"""Log-odds of classes by phrase: how much more often a phrase stands in lines of one class than in other lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

UNSEEN = 0.3
"""What is added to every count, so that what was never seen is unlikely and not impossible."""


@dataclass(frozen=True)
class Odds:
    """Log-odds of classes.

    Attributes:
        by_phrase: What each phrase adds to the classes in whose lines it stands.
        by_class: What every phrase adds to each class, whatever the phrase: the fewer phrases are known of a class,
            the more it means to meet one. The greatest is 0.
    """

    by_phrase: tuple[Mapping[str, float], ...]
    by_class: Mapping[str, float]


def log_odds(rows_of: Sequence[Sequence[int]], classes: Sequence[str]) -> Odds:
    """Count phrases in lines.

    With n the lines that hold a phrase and c those of a class among them, the phrase adds
    log((c + u) / (n − c + u)) − log(u / (n + u)) to the class, which is nothing where c is 0.

    Args:
        rows_of: Lines that hold each phrase.
        classes: Class of each line.
    """
    counts = [Counter(classes[row] for row in rows) for rows in rows_of]
    of_class: Counter[str] = Counter()
    for count in counts:
        of_class.update(count)
    whole = of_class.total()
    by_class = {name: -log(known / max(whole - known, 1)) for name, known in sorted(of_class.items())}
    highest = max(by_class.values(), default=0.0)
    return Odds(
        tuple(
            {name: _gain(count[name], len(rows)) for name in sorted(count)}
            for rows, count in zip(rows_of, counts, strict=True)
        ),
        {name: value - highest for name, value in by_class.items()},
    )


def _gain(count: int, lines: int) -> float:
    return log((count + UNSEEN) / (lines - count + UNSEEN)) - log(UNSEEN / (lines + UNSEEN))
