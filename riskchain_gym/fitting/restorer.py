"""Trains the learned restorer: ``python -m riskchain_gym.fitting.restorer [--steps N] [--out FILE]``.

It is trained on the message split ``train`` alone, drawn from seed 2026. Weights may differ in their last digits from
one machine to another, as sums do; settings and hashes lie in the file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path

from riskchain_gym.agents.restore.learned_model import MODEL, write_model
from riskchain_gym.agents.restore.learned_network import Shape
from riskchain_gym.agents.restore.learned_text import SPECIALS
from riskchain_gym.agents.restore.ngram import model_file
from riskchain_gym.fitting.restorer_data import iter_examples
from riskchain_gym.protocol.errors import MissingExtraError
from riskchain_gym.protocol.keyed import key_from_seed

SEED = 2026
"""The public seed of the splits."""

_SESSIONS = 4000
_LEAST = 4
_HASHED = 500


def vocabulary_of(key: bytes) -> dict[str, int]:
    """Return the characters that are common in ``train``, each with its row in the table of characters.

    Args:
        key: Key of the whole set.
    """
    counts: Counter[str] = Counter()
    for _, example in islice(iter_examples(key, {}, seed=0), _SESSIONS):
        counts.update(example.row.text)
    known = sorted(char for char, count in counts.items() if count >= _LEAST and char != "\0")
    return {char: SPECIALS + place for place, char in enumerate(known)}


def stream_sha256(key: bytes, vocabulary: Mapping[str, int]) -> str:
    """Return a hash of the first sessions that the model is trained on.

    Args:
        key: Key of the whole set.
        vocabulary: Row of each known character.
    """
    digest = hashlib.sha256()
    for recipe, example in islice(iter_examples(key, vocabulary, seed=0), _HASHED):
        digest.update(f"{recipe}\n{example.row.text}\n{example.spelled}\n".encode())
    return digest.hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the model and write it; return the exit code.

    Args:
        arguments: The command line without the program's name; that of the process by default.
    """
    parser = argparse.ArgumentParser(prog="python -m riskchain_gym.fitting.restorer", description="Train the restorer.")
    parser.add_argument("--steps", type=int, help="updates in all, those of cooling included")
    parser.add_argument("--out", type=Path, default=model_file(MODEL), help="where to write it")
    options = parser.parse_args(arguments)
    try:
        from riskchain_gym.fitting.restorer_training import Settings, Weights, train
    except ImportError as error:
        raise MissingExtraError("rllib", "Training the learned restorer") from error
    key = key_from_seed(SEED)
    vocabulary, settings, shape = vocabulary_of(key), Settings(), Shape()
    if options.steps:
        settings = replace(settings, steps=options.steps)
    made = {
        "command": f"python -m riskchain_gym.fitting.restorer --steps {settings.steps}",
        "seed": str(SEED),
        "settings": json.dumps(asdict(settings), sort_keys=True),
        "stream_sha256": stream_sha256(key, vocabulary),
    }

    def save(step: int, weights: Weights) -> None:
        write_model(options.out, weights, shape, list(vocabulary), {**made, "steps": str(step)})
        sys.stderr.write(f"{options.out}: written after {step} updates.\n")

    train(key, vocabulary, shape, settings, save)
    return 0


if __name__ == "__main__":
    sys.exit(main())
