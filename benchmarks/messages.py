"""How many messages a second are generated, beside a reader of the same texts.

Usage: python benchmarks/messages.py [--repeats 5] [--sessions 600] [--json]

``test`` writes sessions under the six published recipes with their traces, ``test rows`` builds the whole split with
rows, hashes and alignments, ``train`` draws training sessions on the fly, ceilings included. The peer is pypinyin,
which converts what ``test`` and ``train`` have written: a ratio to it says more than a rate, which changes with the
machine. Each repetition runs all of them in turn (A B A B …) over sessions that no repetition has made before, so that
nothing is answered from a cache. Prints medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Callable

from pypinyin import lazy_pinyin

from riskchain_gym.messages.build import build_messages
from riskchain_gym.messages.session import Session
from riskchain_gym.messages.splits import session_of
from riskchain_gym.protocol.keyed import key_from_seed

KEY = key_from_seed(2026)
GOALS = {"test rows": 360.0, "train": 2000.0}
"""Messages a second that a core should make: 3,600 in ten seconds, and 2,000."""


def contents(sessions: list[Session]) -> list[str]:
    """Return the text of every message of every variant."""
    return [chat.content for s in sessions for message in s.variants.values() for chat in message.messages]


def timed(rates: dict[str, list[float]], name: str, work: Callable[[], list[str]]) -> list[str]:
    """Note how many messages a second some work makes, and return them."""
    start = time.perf_counter()
    texts = work()
    rates[name].append(len(texts) / (time.perf_counter() - start))
    return texts


def repeat(rates: dict[str, list[float]], number: int, sessions: int) -> None:
    """Run everything once, on sessions of its own."""
    # A session of ``test`` is six messages; the split ends, and six repetitions of the default size use it up.
    spans = {"test": sessions // 6, "train": sessions}
    for split, count in spans.items():
        span = [i % 600 if split == "test" else i for i in range(number * count, (number + 1) * count)]
        texts = timed(rates, split, lambda: contents([session_of(split, KEY, i) for i in span]))  # noqa: B023
        timed(rates, f"pypinyin on {split}", lambda: ["".join(lazy_pinyin(text)) for text in texts])  # noqa: B023
    built = timed(rates, "test rows", lambda: [row.sample_id for row in build_messages(KEY, splits=["test"])[0].inputs])
    assert len(built) == 3600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sessions", type=int, default=600, help="training sessions a repetition")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    repeat(defaultdict(list), arguments.repeats, 60)
    rates: dict[str, list[float]] = defaultdict(list)
    for number in range(arguments.repeats):
        repeat(rates, number, arguments.sessions)
    medians = {name: statistics.median(found) for name, found in rates.items()}
    ratios = {name: medians[name] / medians[f"pypinyin on {name}"] for name in ("test", "train")}
    if arguments.json:
        print(json.dumps({"messages_per_second": medians, "ratio_to_pypinyin": ratios}, indent=1))
        return
    for name, rate in medians.items():
        goal = f"   goal {GOALS[name]:.0f}" if name in GOALS else ""
        print(f"{name:<20}{rate:10,.0f} messages/s{goal}")
    for name, ratio in ratios.items():
        print(f"{name} / pypinyin on the same texts: {ratio:.2f}")


if __name__ == "__main__":
    main()
