"""The files of the page, read once: what is not among them cannot be asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

INDEX = "index.html"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


class Asset(NamedTuple):
    """One file of the page."""

    content: bytes
    media_type: str


def read_assets() -> Mapping[str, Asset]:
    """Return the files of the page by name."""
    folder = Path(__file__).with_name("static")
    return {
        path.name: Asset(path.read_bytes(), _TYPES[path.suffix])
        for path in sorted(folder.iterdir())
        if path.suffix in _TYPES and path.is_file()
    }
