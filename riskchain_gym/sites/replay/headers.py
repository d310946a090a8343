"""What a header says of the file that a body is offered as."""

from __future__ import annotations

import re
from urllib.parse import unquote

_EXTENDED = re.compile(r"filename\*\s*=\s*utf-8''([^;\s]+)", re.IGNORECASE)
_PLAIN = re.compile(r"filename\s*=\s*(?:\"([^\"]*)\"|([^;\s]+))", re.IGNORECASE)
_LONGEST = 100


def attachment_name(disposition: str) -> str:
    """Return the file name that a ``Content-Disposition`` header gives an attachment, ``""`` if it is none."""
    if not disposition.strip().lower().startswith("attachment"):
        return ""
    extended, plain = _EXTENDED.search(disposition), _PLAIN.search(disposition)
    name = unquote(extended[1]) if extended else (plain[1] or plain[2] or "") if plain else ""
    return safe_name(name) or "file"


def safe_name(name: str) -> str:
    """Return a file name without folders, control characters and excess."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(c for c in last if c.isprintable()).strip(" .")[:_LONGEST]
