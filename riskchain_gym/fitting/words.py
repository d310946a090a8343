"""Fits the words of the rule restorer: ``python -m riskchain_gym.fitting.words [--check]``.

Both tables come from the first sessions of the message split ``train``, drawn from seed 2026: ``train_words.txt``
counts the words of their canonical texts, each wording once; ``hidden_words.txt`` lists the words that their disguises
put a sound-alike or a reading in the place of, each of which counts at least once.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, islice
from pathlib import Path

from riskchain_gym.agents.restore import tables
from riskchain_gym.agents.restore.sounds import is_known_phrase
from riskchain_gym.messages.session import Session
from riskchain_gym.messages.splits import iter_sessions
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.keyed import key_from_seed

SEED = 2026
"""The public seed of the splits."""

SESSIONS = 6_000
"""Sessions that are drawn; more bring hardly a new sentence."""

DATA = Path(tables.__file__).resolve().parent / "data"
"""Where the tables of the rule restorer lie."""

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_SOUND_RULES = frozenset({"homophone", "near_homophone", "full_pinyin", "tone_digits", "pinyin_initials"})
_LONGEST_WORD = 5
_LONGEST_NEW_WORD = 3
_UNLISTED = 12.0
_PHRASE = 12.0
_HIDDEN_COUNT = 400
"""What a hidden word counts for while texts are cut, if it is no everyday word: about as much as one of those."""


def train_sessions(seed: int = SEED, sessions: int = SESSIONS) -> Iterator[Session]:
    """Yield the first sessions of the message split ``train``.

    Args:
        seed: Public seed of the split.
        sessions: How many.
    """
    return islice(iter_sessions("train", key_from_seed(seed)), sessions)


def hidden_words(sessions: Iterable[Session]) -> set[str]:
    """Return the words that disguises by sound have taken the place of."""
    return {
        edit.before
        for session in sessions
        for trace in session.gold.traces.values()
        for stages in trace.stages.values()
        for stage in stages
        for edit in stage.edits
        if edit.rule in _SOUND_RULES and _HAN.fullmatch(edit.before)
    }


def count_words(texts: Iterable[str], hidden: Iterable[str]) -> Counter[str]:
    """Count the words of texts; texts with the same Chinese characters count once.

    A run of characters that are all no words by themselves counts as one word.

    Args:
        texts: Any texts; all but runs of Chinese characters is passed over.
        hidden: Words that are known beside the everyday ones.
    """
    known = {**dict.fromkeys(sorted(hidden), _HIDDEN_COUNT), **tables.general_counts()}
    total = sum(known.values())
    costs = {word: -math.log(count / total) for word, count in known.items()}
    counts: Counter[str] = Counter()
    for runs in dict.fromkeys(tuple(_HAN.findall(text)) for text in texts):
        for run in runs:
            counts.update(_merged(_cut(run, costs), costs))
    return counts


def _cut(run: str, costs: Mapping[str, float]) -> list[str]:
    """Return the cheapest row of words that a run is written as."""
    best: list[tuple[float, list[str]]] = [(0.0, [])]
    for end in range(1, len(run) + 1):
        ways = []
        for start in range(max(0, end - _LONGEST_WORD), end):
            word = run[start:end]
            cost = costs.get(word, _UNLISTED if len(word) == 1 else _PHRASE if is_known_phrase(word) else math.inf)
            ways.append((best[start][0] + cost, [*best[start][1], word]))
        best.append(min(ways))
    return best[-1][1]


def _merged(words: Iterable[str], costs: Mapping[str, float]) -> Iterator[str]:
    for is_loose, group in groupby(words, lambda word: len(word) == 1 and word not in costs):
        run = list(group)
        if is_loose and 1 < len(run) <= _LONGEST_NEW_WORD:
            yield "".join(run)
        else:
            yield from run


@cache
def fitted_tables() -> dict[str, bytes]:
    """Return the content of both files by name: the same bytes each time."""
    sessions = list(train_sessions())
    hidden = hidden_words(sessions)
    counts = count_words((m.text for session in sessions for m in session.gold.messages), hidden)
    counts.update(hidden.difference(counts))
    by_count: dict[int, list[str]] = {}
    for word, count in sorted(counts.items()):
        by_count.setdefault(count, []).append(word)
    rows = [f"{count} {' '.join(by_count[count])}" for count in sorted(by_count, reverse=True)]
    return {
        "train_words.txt": _file("Words of the messages of train: a count, then the words that occur so often.", rows),
        "hidden_words.txt": _file(
            "Words that messages of train hide behind sound-alikes or readings.", [" ".join(sorted(hidden))]
        ),
    }


def _file(title: str, rows: Sequence[str]) -> bytes:
    made = "# Made by `python -m riskchain_gym.fitting.words`; do not edit."
    return "\n".join((f"# {title}", made, "", *rows, "")).encode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables, or check that they are as they would be written; return the exit code.

    Args:
        arguments: The command line without the program's name; that of the process by default.
    """
    parser = argparse.ArgumentParser(prog="python -m riskchain_gym.fitting.words", description="Fit the rules' words.")
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    options = parser.parse_args(arguments)
    return write_or_check({DATA / name: content for name, content in fitted_tables().items()}, check=options.check)


def write_or_check(files: Mapping[Path, bytes], *, check: bool) -> int:
    """Write files, or compare them with what is there; return the exit code and say on stderr what was done.

    Args:
        files: Content by path.
        check: Whether to compare only.
    """
    stale = [path for path, content in files.items() if not path.is_file() or path.read_bytes() != content]
    for path, content in files.items():
        if not check:
            write_atomically(path, content)
        state = "is out of date, fit it without --check" if check and path in stale else "is up to date"
        sys.stderr.write(f"{path} {state}.\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
