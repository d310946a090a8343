"""Fits the weights of the rule restorer's intents: ``python -m riskchain_gym.fitting.intents [--check]``.

A multinomial logistic regression with an L2 penalty on the canonical texts of the first sessions of the message split
``train``, drawn from seed 2026. All wordings of one skeleton together count once: they differ in a few words only.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.agents.restore.intent import ALWAYS, hints
from riskchain_gym.fitting.words import DATA, SESSIONS, train_sessions, write_or_check
from riskchain_gym.messages.session import Session
from riskchain_gym.protocol.codebook import Intent

PENALTY = 1.0
"""Factor of half the squared weights; chosen by cross-validation over the skeletons of ``train``."""

_LEAST_SKELETONS = 2
"""Hints that fewer skeletons give have no weight."""
_STEPS = 4000
_DIGITS = 2

Array = NDArray[np.float64]
Example = tuple[dict[str, float], Intent]
"""One skeleton: the share of its wordings that give each hint, and its intent."""


def examples(sessions: Iterable[Session]) -> dict[str, Example]:
    """Return one example a skeleton.

    Args:
        sessions: Sessions with their gold.
    """
    seen: dict[str, list[tuple[str, ...]]] = {}
    intents: dict[str, Intent] = {}
    for session in sessions:
        gold = session.gold
        texts = [message.text for message in gold.messages]
        seen.setdefault(gold.skeleton, []).append(hints(texts, [gold.entry] if gold.entry else []))
        intents[gold.skeleton] = Intent(gold.intent)
    shares = {
        name: {hint: count / len(found) for hint, count in Counter(h for one in found for h in one).items()}
        for name, found in seen.items()
    }
    return {name: (shares[name], intents[name]) for name in sorted(seen)}


def fit(rows: Sequence[Example], penalty: float = PENALTY) -> dict[str, tuple[float, ...]]:
    """Return the weights of every hint, one an intent.

    They minimise the summed negative log-likelihood plus half the penalty times the sum of squared weights, by
    Nesterov's accelerated gradient method; the weights of :data:`~riskchain_gym.agents.restore.intent.ALWAYS` are free.

    Args:
        rows: The examples.
        penalty: Factor of the squared weights.
    """
    counts = Counter(hint for shares, _ in rows for hint in shares)
    names = sorted(hint for hint, count in counts.items() if count >= _LEAST_SKELETONS)
    given = np.array([[shares.get(name, 0.0) for name in names] for shares, _ in rows])
    wanted = np.array([[float(intent is other) for other in Intent] for _, intent in rows])
    factors = np.array([[0.0 if name == ALWAYS else penalty] for name in names])
    step = 1.0 / (0.5 * float(np.square(given).sum(axis=1).max()) * len(rows) + penalty)
    weights = ahead = np.zeros((len(names), len(Intent)))
    for turn in range(_STEPS):
        slope = given.T @ (_softmax(given @ ahead) - wanted) + factors * ahead
        moved = ahead - step * slope
        ahead = moved + turn / (turn + 3) * (moved - weights)
        weights = moved
    return {name: tuple(round(float(w), _DIGITS) + 0.0 for w in row) for name, row in zip(names, weights, strict=True)}


def _softmax(scores: Array) -> Array:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Array = raised / raised.sum(axis=1, keepdims=True)
    return shares


def fitted_weights() -> bytes:
    """Return the content of ``intent_weights.txt``: the same bytes each time."""
    weights = fit(list(examples(train_sessions(sessions=SESSIONS)).values()))
    lines = [
        "# What each hint says for each intent: where it stands and its group, then a weight an intent, in this order:",
        f"# {' '.join(Intent)}",
        "# Made by `python -m riskchain_gym.fitting.intents`; do not edit.",
        "",
        *(" ".join((name, *(f"{weight:.{_DIGITS}f}" for weight in row))) for name, row in weights.items()),
        "",
    ]
    return "\n".join(lines).encode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the weights, or check that they are as they would be written; return the exit code.

    Args:
        arguments: The command line without the program's name; that of the process by default.
    """
    parser = argparse.ArgumentParser(prog="python -m riskchain_gym.fitting.intents", description="Fit the intents.")
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    options = parser.parse_args(arguments)
    return write_or_check({DATA / "intent_weights.txt": fitted_weights()}, check=options.check)


if __name__ == "__main__":
    sys.exit(main())
