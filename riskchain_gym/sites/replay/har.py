"""Reading an HTTP archive (HAR 1.2), as browsers and recorders write it."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.replay.capture import Budget, Capture, Notes
from riskchain_gym.sites.replay.headers import attachment_name

MAX_HAR_BYTES = 1024 * 1024 * 1024
"""Largest archive that is read."""

_METHODS = frozenset({"GET", "POST"})


def read_har(path: Path, budget: Budget, notes: Notes) -> Iterator[Capture]:
    """Yield the answers of an archive in its order.

    Raises:
        InputFileError: It is no archive, or one of its entries is malformed.
    """
    for number, entry in enumerate(_entries(path)):
        where = f"log.entries.{number}"
        request, response = (_part(path, where, entry, name, dict) for name in ("request", "response"))
        url = _part(path, f"{where}.request", request, "url", str)
        method = _part(path, f"{where}.request", request, "method", str).upper()
        status = _part(path, f"{where}.response", response, "status", int)
        if method not in _METHODS or not url.lower().startswith(("http:", "https:")):
            notes.dropped[f"method {method[:20]}" if method not in _METHODS else "address of another scheme"] += 1
            continue
        headers = _headers(response.get("headers"))
        redirect = response.get("redirectURL") or headers.get("location", "")
        if not 200 <= status <= 599 or status in (206, 304):
            notes.dropped["unanswered request" if status < 200 else f"status {status}"] += 1
            continue
        content = response.get("content")
        body, said = _body(path, f"{where}.response.content", content if isinstance(content, dict) else {})
        if budget.takes(url, len(body), notes):
            yield Capture(
                url,
                status,
                content_type=said or headers.get("content-type", ""),
                body=body,
                redirect=str(redirect) if 300 <= status < 400 else "",
                post=method == "POST",
                filename=attachment_name(headers.get("content-disposition", "")),
            )


def _entries(path: Path) -> list[Any]:
    try:
        size = path.stat().st_size
        if size > MAX_HAR_BYTES:
            raise InputFileError(path, "", f"is larger than {MAX_HAR_BYTES:,} bytes, record a smaller part of the site")
        whole = json.loads(path.read_bytes())
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}), give another file") from error
    except (ValueError, RecursionError) as error:
        problem = f"is no JSON ({error}), give a HAR that was written to its end"
        raise InputFileError(path, "", problem) from error
    log = _part(path, "", whole, "log", dict)
    entries: list[Any] = _part(path, "log", log, "entries", list)
    if not entries:
        raise InputFileError(path, "log.entries", "is empty, record the site while it loads")
    return entries


def _part(path: Path, where: str, whole: Any, name: str, kind: type) -> Any:
    """Return a member of a JSON object that must be there."""
    field = f"{where}.{name}" if where else name
    value = whole.get(name) if isinstance(whole, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        words = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
        raise InputFileError(path, field, f"must be {words[kind]} in a HAR, got {value!r:.80}")
    return value


def _headers(given: Any) -> dict[str, str]:
    pairs = [pair for pair in given if isinstance(pair, dict)] if isinstance(given, list) else []
    return {str(pair.get("name", "")).lower(): str(pair.get("value", "")) for pair in reversed(pairs)}


def _body(path: Path, where: str, content: dict[str, Any]) -> tuple[bytes, str]:
    """Return a body and its content type; a body that is given as text is UTF-8 from here on."""
    text, said = content.get("text", ""), content.get("mimeType", "")
    if not isinstance(text, str) or not isinstance(said, str):
        raise InputFileError(path, f"{where}.text", "text and mimeType must be texts in a HAR")
    if content.get("encoding") == "base64":
        try:
            return base64.b64decode(re.sub(r"\s", "", text), validate=True), said
        except (binascii.Error, ValueError) as error:
            raise InputFileError(path, f"{where}.text", f"is said to be base64 and is not ({error})") from error
    media = said.partition(";")[0].strip()
    return text.encode("utf-8", "replace"), f"{media}; charset=utf-8" if media else ""
