"""What the tests of the published scorers share: rows in the published formats, and comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from riskchain_gym.messages.rows import row_sha256

ENTRY = "fixture.example.test"


def evaluator(
    sample_id: str,
    *texts: str,
    entry: str = ENTRY,
    platform: str = "qq",
    intent: str = "OPEN_SITE",
    flags: tuple[bool, ...] | None = None,
    types: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return an evaluator row; its messages are m000, m001 and so on, all transformed unless flags say otherwise."""
    ids = [f"m{n:03d}" for n in range(len(texts))]
    row = {
        "schema_version": "obfuscated-session-generation/v0.2",
        "sample_id": sample_id,
        "platform": platform,
        "intent": intent,
        "obfuscation_types": list(types),
        "source_session": {
            "messages": [
                {"message_id": name, "role": "sender", "transform": flag}
                for name, flag in zip(ids, flags or (True,) * len(ids), strict=True)
            ]
        },
        "gold_reconstruction": {
            "entry_type": "SITE",
            "entry_value": entry,
            "messages": [{"message_id": name, "text": text} for name, text in zip(ids, texts, strict=True)],
        },
    }
    return hashed(row)


def hashed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with the hash that fits it."""
    return {**row, "record_sha256": row_sha256(row, "record_sha256")}


def prediction(
    sample_id: str,
    *texts: str,
    entries: tuple[str, ...] = (ENTRY,),
    ranks: tuple[int, ...] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Return a prediction row for such messages, of rank 1, 2 and so on unless ranks are given."""
    return {
        "schema_version": "obfuscated-reconstruction-prediction/v0.1",
        "sample_id": sample_id,
        "model_id": "model-a",
        "run_id": "run-1",
        "input_view": "TOKEN_TEXT",
        "reconstructed_messages": [{"message_id": f"m{n:03d}", "text": text} for n, text in enumerate(texts)],
        "intent": "OPEN_SITE",
        "platform": "qq",
        "entry_candidates": [
            {"rank": rank, "value": value, "confidence": 0.5}
            for rank, value in zip(ranks or range(1, len(entries) + 1), entries, strict=True)
        ],
        "abstain": False,
        "uncertainties": [],
        **changes,
    }


def paired(
    ordinal: int,
    gold: tuple[str, str] = ("VIOLATION", "A"),
    web: tuple[str, str] | None = None,
    gate: Any = True,
    model: str = "Model A",
    **changes: Any,
) -> dict[str, Any]:
    """Return a paired row; the web report is right unless another is given."""
    web = gold if web is None else web
    return {
        "ordinal": ordinal,
        "task2_case_ref": f"CASE{ordinal}",
        "model": model.lower().replace(" ", "-"),
        "display_model": model,
        "gold_decision": gold[0],
        "gold_type": gold[1],
        "web_pred_decision": web[0],
        "web_pred_type": web[1],
        "gate_pass": gate,
        **changes,
    }


def close(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Assert that every wanted figure and interval is found, within 1e-12."""
    for name, value in wanted.items():
        if value is None:
            assert found[name] is None, name
        else:
            assert found[name] == pytest.approx(value, rel=0, abs=1e-12), name
