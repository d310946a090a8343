"""How the scripted agent reports: no violation, by the first line that it saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def report(blocks: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report that cites the first line in the block ``seen``; without one, there is not enough evidence."""
    page = next((page for page in blocks["seen"]["pages"] if page["lines"]), None)
    cited = {
        "step": page["step"] if page else 0,
        "quote": page["lines"][0] if page else "",
        "element_id": None,
        "anchor_type": "BENIGN_SERVICE_CONSISTENCY" if page else "ENVIRONMENT_LIMITATION",
        "observation": "It was shown." if page else "No line was shown.",
    }
    return {
        "environment_status": "COMPLETE" if page else "INACCESSIBLE",
        "evidence": [cited],
        "counterevidence": [],
        "risk_reason": "Nothing was looked for: a script wrote this.",
        "decision": "NON_VIOLATION" if page else "INSUFFICIENT_EVIDENCE",
        "primary_violation_type": "NONE" if page else "UNKNOWN",
        "secondary_violation_types": [],
        "evidence_sufficiency": "SUFFICIENT" if page else "INSUFFICIENT",
        "confidence": 1,
        "note": "",
    }
