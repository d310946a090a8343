"""Screenshots in run folders: the same bytes are stored once."""

from __future__ import annotations

import hashlib


def media_name(data: bytes) -> str:
    """Return the file name of an encoded screenshot: the first 32 digits of the SHA-256 of its bytes."""
    return f"{hashlib.sha256(data).hexdigest()[:32]}.webp"
