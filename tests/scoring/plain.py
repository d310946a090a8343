"""The published definitions as they read, slow and without NumPy: what the scorers are compared with.

Nothing here is shared with the package: text and entry normal forms are written out again (protocol B.1, B.3, C.10).
Rows are taken to be sound.
"""

from __future__ import annotations

import math
import random
import re
import unicodedata
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

BOTTOM = "__BOTTOM__"
DECISIONS = ("VIOLATION", "NON_VIOLATION", "INSUFFICIENT_EVIDENCE")
Row = dict[str, Any]
Figures = dict[str, float]


def linear(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    position = (len(ordered) - 1) * share
    low, high = math.floor(position), math.ceil(position)
    return ordered[low] * (1 - (position - low)) + ordered[high] * (position - low)


def nearest(values: Sequence[float], share: float) -> float:
    return sorted(values)[round((len(values) - 1) * share)]


# --- Task 2 -----------------------------------------------------------------------------------------------------------


def f1(pairs: Sequence[tuple[str, str]], label: str) -> float:
    true = sum(gold == label and said == label for gold, said in pairs)
    false = sum(gold != label and said == label for gold, said in pairs)
    missed = sum(gold == label and said != label for gold, said in pairs)
    return 2 * true / (2 * true + false + missed) if 2 * true + false + missed else 0.0


def read_label(row: Row, decision: str, kind: str) -> tuple[str, str]:
    label = (row[decision], row[kind])
    return ("INSUFFICIENT_EVIDENCE", "UNKNOWN") if label == ("INSUFFICIENT_EVIDENCE", "NONE") else label


def task2_point(rows: Sequence[Row], labels: Sequence[str]) -> Figures:
    golds = [read_label(row, "gold_decision", "gold_type") for row in rows]
    webs = [read_label(row, "web_pred_decision", "web_pred_type") for row in rows]
    gateds = [web if row["gate_pass"] else (BOTTOM, BOTTOM) for row, web in zip(rows, webs, strict=True)]
    figures = {"entry_gate_pass": sum(row["gate_pass"] for row in rows) / len(rows)}
    for name, said in (("web", webs), ("gated", gateds)):
        both = list(zip(golds, said, strict=True))
        decisions = [(gold[0], report[0]) for gold, report in both]
        types = [
            (gold[1], report[1] if report[0] == "VIOLATION" else BOTTOM)
            for gold, report in both
            if gold[0] == "VIOLATION"
        ]
        figures[f"{name}_decision_accuracy"] = sum(a == b for a, b in decisions) / len(rows)
        figures[f"{name}_decision_macro_f1"] = sum(f1(decisions, label) for label in DECISIONS) / 3
        if labels:
            figures[f"{name}_violation_type_macro_f1"] = sum(f1(types, label) for label in labels) / len(labels)
        figures[f"{name}_hierarchical_exact_match"] = sum(a == b for a, b in both) / len(rows)
        occurring = [label for label in DECISIONS if any(gold == label for gold, _ in decisions)]
        recalls = [
            sum(gold == said == label for gold, said in decisions) / sum(gold == label for gold, _ in decisions)
            for label in occurring
        ]
        figures[f"{name}_balanced_accuracy"] = sum(recalls) / len(recalls)
    figures["gate_loss"] = figures["web_decision_accuracy"] - figures["gated_decision_accuracy"]
    return figures


def task2(rows: Sequence[Row], *, replicates: int, seed: int) -> dict[str, tuple[Figures, dict[str, list[float]]]]:
    """Return point and ci95 of each model."""
    scored = {}
    for offset, model in enumerate(sorted({row["display_model"] for row in rows})):
        of_model = sorted((row for row in rows if row["display_model"] == model), key=lambda row: row["ordinal"])
        labels = sorted({row["gold_type"] for row in of_model if row["gold_decision"] == "VIOLATION"})
        rng = random.Random(seed + offset)
        n = len(of_model)
        samples = [task2_point([of_model[rng.randrange(n)] for _ in range(n)], labels) for _ in range(replicates)]
        ends = {
            name: [nearest([sample[name] for sample in samples], share) for share in (0.025, 0.975)]
            for name in samples[0]
        }
        scored[model] = (task2_point(of_model, labels), ends)
    return scored


# --- Task 1 -----------------------------------------------------------------------------------------------------------


def distance(a: Sequence[str], b: Sequence[str]) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return row[-1]


def text(value: str) -> str:
    value = re.sub(r"[ \t\r\f\v]+", " ", unicodedata.normalize("NFC", value))
    return re.sub(" *\n *", "\n", value).strip()


def intent(value: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", value).casefold()).strip()


def tokens(value: str) -> list[str]:
    return re.findall(r"[\u4e00-\u9fff]|[A-Za-z0-9]+|\S", value)


def entry(value: str) -> tuple[Any, ...]:
    value = unicodedata.normalize("NFC", value).strip()
    try:
        parts = urlsplit(value if "://" in value else f"https://{value}")
        port = parts.port
    except ValueError:
        return (value,)
    if not parts.hostname:
        return (value,)
    scheme = parts.scheme.casefold()
    host = parts.hostname.casefold()
    host = host[:-1] if host.endswith(".") else host
    port = None if port == {"http": 80, "https": 443}.get(scheme) else port
    return (scheme, host, port, parts.path or "/", parts.query, parts.fragment)


def task1_case(gold: Row, prediction: Row | None, top_k: int) -> dict[str, Any]:
    said = prediction or {
        "reconstructed_messages": [],
        "intent": "",
        "platform": "unknown",
        "entry_candidates": [],
        "abstain": True,
    }
    wanted = {m["message_id"] for m in gold["source_session"]["messages"] if m["transform"]}
    given = {m["message_id"]: m["text"] for m in said["reconstructed_messages"]}
    messages = [
        (text(given.get(m["message_id"], "")), text(m["text"]))
        for m in gold["gold_reconstruction"]["messages"]
        if m["message_id"] in wanted
    ]
    ranked = sorted(said["entry_candidates"], key=lambda candidate: candidate["rank"])[:top_k]
    right = [entry(candidate["value"]) == entry(gold["gold_reconstruction"]["entry_value"]) for candidate in ranked]
    return {
        "messages": messages,
        "exact": all(a == b for a, b in messages),
        "intent": intent(said["intent"]) == intent(gold["intent"]),
        "platform": said["platform"] == gold["platform"],
        "top1": bool(right) and right[0],
        "topk": any(right),
        "abstain": said["abstain"],
    }


def task1_point(cases: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    messages = [pair for case in cases for pair in case["messages"]]
    lengths = [(tokens(a), tokens(b)) for a, b in messages]

    def share(found: Sequence[bool]) -> float | None:
        return sum(found) / len(found) if found else None

    def full(case: dict[str, Any], found: str) -> bool:
        return bool(case["exact"] and case["intent"] and case["platform"] and case[found])

    def errors(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> float | None:
        total = sum(len(b) for _, b in pairs)
        return sum(distance(a, b) for a, b in pairs) / total if total else None

    return {
        "abstain_rate": share([case["abstain"] for case in cases]),
        "character_error_rate": errors(messages),
        "entry_top1_exact_rate": share([case["top1"] for case in cases]),
        "entry_topk_recall": share([case["topk"] for case in cases]),
        "full_reconstruction_success_rate": share([full(case, "topk") for case in cases]),
        "full_reconstruction_success_rate_top1": share([full(case, "top1") for case in cases]),
        "intent_accuracy": share([case["intent"] for case in cases]),
        "local_resolution_success_rate_at_k": share([case["topk"] for case in cases]),
        "message_exact_rate": share([case["exact"] for case in cases]),
        "message_exact_rate_per_message": share([a == b for a, b in messages]),
        "mixed_token_error_rate": errors(lengths),
        "platform_accuracy": share([case["platform"] for case in cases]),
    }


def task1(
    golds: Sequence[Row], predictions: Sequence[Row], *, replicates: int, seed: int, top_k: int
) -> tuple[dict[str, float | None], dict[str, list[float] | None]]:
    """Return aggregate (the rates) and ci95."""
    said = {row["sample_id"]: row for row in predictions}
    clusters: dict[str, list[dict[str, Any]]] = {}
    cases = []
    for gold in golds:
        case = task1_case(gold, said.get(gold["sample_id"]), top_k)
        cases.append(case)
        clusters.setdefault(re.sub(r"--v\d\d\d$", "", gold["sample_id"]), []).append(case)
    keys = sorted(clusters)
    rng = random.Random(seed)
    samples = []
    for _ in range(replicates):
        drawn = [keys[rng.randrange(len(keys))] for _ in keys]
        samples.append(task1_point([case for key in drawn for case in clusters[key]]))
    ends: dict[str, list[float] | None] = {}
    for name in samples[0]:
        values = [sample[name] for sample in samples]
        ends[name] = None if None in values else [linear(values, share) for share in (0.025, 0.975)]  # type: ignore[arg-type]
    point = task1_point(cases)
    if not any(case["messages"] for case in cases):
        point["message_exact_rate"] = ends["message_exact_rate"] = None
    return point, ends
