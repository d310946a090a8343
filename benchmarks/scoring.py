"""How long the published Task 2 scoring takes: ours and a plain implementation of the definitions, on the same rows.

Usage: python benchmarks/scoring.py [--models 10] [--websites 600] [--replicates 2000] [--check] [--json]

Ten models, 600 websites each, 2,000 bootstrap replicates by default: 6,000 paired rows with the published mix of gold
labels and reports drawn at random. ``plain`` is ``tests/scoring/plain.py``, which reads as the definitions do: it draws
rows with ``random.Random`` and counts them in Python. Both are timed in this process, in full and one after the other,
in processor seconds of one thread, so that what else runs hardly counts; they must give the same points and interval
ends within 1e-12. ``ours`` is ``score_task2`` with all it does: reading and checking the rows, the control rows too. It
is the median of five runs. ``peak_mib`` is the largest resident size the process had until ours was done, the imports
and the rows in it. Takes about two minutes. ``--check`` ends with 1 if ours is less than 50 times as fast, takes 1 GB
or more, or differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "scoring"))

import plain

from riskchain_gym.protocol.codebook import CONCRETE_TYPES
from riskchain_gym.scoring.official import TASK2_SEED, score_task2

LEAST_RATIO = 50.0
MOST_MIB = 1000 * 1000 * 1000 / 2**20
TOLERANCE = 1e-12
RUNS = 5


def paired_rows(models: int, websites: int) -> list[dict[str, Any]]:
    """Return rows with the published share of each gold decision, six types, and random reports and gates."""
    rng = random.Random(0)
    types = [str(kind) for kind in CONCRETE_TYPES[:6]]
    gold = [
        ("VIOLATION", rng.choice(types)) if share < 394 else ("NON_VIOLATION", "NONE") if share < 575 else UNSURE
        for share in (rng.randrange(600) for _ in range(websites))
    ]
    said = [*(("VIOLATION", kind) for kind in types), ("NON_VIOLATION", "NONE"), UNSURE, (plain.BOTTOM, plain.BOTTOM)]
    rows = []
    for model in range(models):
        for ordinal, label in enumerate(gold, 1):
            web = label if rng.random() < 0.5 else rng.choice(said)
            rows.append(
                {
                    "ordinal": ordinal,
                    "model": f"model-{model}",
                    "display_model": f"Model {model}",
                    "gold_decision": label[0],
                    "gold_type": label[1],
                    "web_pred_decision": web[0],
                    "web_pred_type": web[1],
                    "gate_pass": rng.random() < 0.8,
                }
            )
    return rows


UNSURE = ("INSUFFICIENT_EVIDENCE", "UNKNOWN")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def largest_difference(ours: Mapping[str, Any], wanted: Mapping[str, Any]) -> float:
    found = 0.0
    for name, (point, ends) in wanted.items():
        model = ours["models"][name]
        points = model["point"] | model["beyond_published"]["point"]
        intervals = model["ci95"] | model["beyond_published"]["ci95"]
        for figure, value in point.items():
            found = max(found, abs(points[figure] - value))
            found = max(found, *(abs(a - b) for a, b in zip(intervals[figure], ends[figure], strict=True)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--websites", type=int, default=600)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows, replicates = paired_rows(arguments.models, arguments.websites), arguments.replicates

    runs = [timed(lambda: score_task2(rows, replicates=replicates, seed=TASK2_SEED)) for _ in range(RUNS)]
    ours, scored = statistics.median(seconds for seconds, _ in runs), runs[0][1]
    per_kib = 2**20 if sys.platform == "darwin" else 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / per_kib
    slow, wanted = timed(lambda: plain.task2(rows, replicates=replicates, seed=TASK2_SEED))

    figures = {
        "rows": len(rows),
        "replicates": replicates,
        "ours_s": ours,
        "plain_s": slow,
        "ratio": slow / ours,
        "peak_mib": peak,
        "largest_difference": largest_difference(scored, wanted),
    }
    if arguments.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:20} {value:,.4g}" if isinstance(value, float) else f"{name:20} {value:,}")
    missed = []
    if figures["ratio"] < LEAST_RATIO:
        missed.append(f"ratio is below {LEAST_RATIO:g}")
    if peak >= MOST_MIB:
        missed.append(f"peak_mib is not below {MOST_MIB:.0f}")
    if figures["largest_difference"] > TOLERANCE:
        missed.append(f"largest_difference is above {TOLERANCE:g}")
    for sentence in missed:
        print(sentence, file=sys.stderr)
    sys.exit(1 if arguments.check and missed else 0)


if __name__ == "__main__":
    main()
