"""Versions of what the messages and the checks on them depend on; for manifests."""

from __future__ import annotations

import unicodedata
from importlib.metadata import version


def versions() -> dict[str, str]:
    """Return name to version: pypinyin's readings and Unicode's tables change between releases."""
    return {
        "pypinyin": version("pypinyin"),
        "riskchain-gym": version("riskchain-gym"),
        "unicode": unicodedata.unidata_version,
    }
