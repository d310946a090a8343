"""Versions of what the checks on the messages depend on; for manifests."""

from __future__ import annotations

from importlib.metadata import version


def versions() -> dict[str, str]:
    """Return name to version: pypinyin, whose readings change between releases."""
    return {"pypinyin": version("pypinyin")}
