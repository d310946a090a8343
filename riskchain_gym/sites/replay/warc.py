"""Reading a web archive (WARC), compressed or not."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.sites.replay.capture import Budget, Capture, Notes
from riskchain_gym.sites.replay.headers import attachment_name

_UNPACKED = frozenset({"", "identity", "gzip", "deflate"})
_METHODS = frozenset({"GET", "POST"})
_BLOCK = 64 * 1024


def read_warc(path: Path, budget: Budget, notes: Notes) -> list[Capture]:
    """Return the answers of an archive in its order.

    Raises:
        InputFileError: It is no archive, or one of its records is malformed.
    """
    found: list[tuple[Capture, str, str]] = []
    methods: dict[str, str] = {}
    records = 0
    with path.open("rb") as file, _naming(path, lambda: records):
        for record in _records(file):
            records += 1
            kind = record.rec_type
            if kind == "request" and record.http_headers is not None:
                for name in ("WARC-Concurrent-To", "WARC-Record-ID"):
                    if (other := record.rec_headers.get_header(name)) is not None:
                        methods[other] = str(record.http_headers.protocol).upper()
            elif kind in ("response", "resource"):
                capture = _capture(record, budget, notes)
                if capture is not None:
                    # A response may name its request, or the request its response.
                    own, asked = (record.rec_headers.get_header(n) for n in ("WARC-Record-ID", "WARC-Concurrent-To"))
                    found.append((capture, own or "", asked or ""))
            elif kind == "revisit":
                notes.dropped["revisit record"] += 1
    if not records:
        raise InputFileError(path, "", "holds no records, give a WARC")
    kept: list[Capture] = []
    for capture, own, asked in found:
        method = methods.get(own) or methods.get(asked) or "GET"
        if method in _METHODS:
            kept.append(replace(capture, post=method == "POST"))
        else:
            notes.dropped[f"method {method[:20]}"] += 1
    return kept


def _records(file: Any) -> Iterator[Any]:
    from warcio.archiveiterator import ArchiveIterator

    # The library warns on the root logger of records that are cut short; those are errors here.
    logging.getLogger("warcio").addHandler(logging.NullHandler())
    yield from ArchiveIterator(file)


@contextmanager
def _naming(path: Path, count: Any) -> Iterator[None]:
    """Turn what the library raises about a broken archive into an error that names file and record."""
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.statusandheaders import StatusAndHeadersParserException

    try:
        yield
    except (ArchiveLoadFailed, StatusAndHeadersParserException, EOFError, ValueError, zlib.error) as error:
        if isinstance(error, InputFileError):
            raise
        said = "".join(c for c in " ".join(str(error).split()) if c.isascii() and c.isprintable())[:120]
        problem = f"cannot be read as a WARC record ({said}), record the site again"
        raise InputFileError(path, f"record {count() + 1}", problem) from error
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror or error}), give another file") from error


def _capture(record: Any, budget: Budget, notes: Notes) -> Capture | None:
    url = str(record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
    if not url.lower().startswith(("http:", "https:")):
        notes.dropped["address of another scheme"] += 1
        return None
    headers = record.http_headers
    status = 200
    if headers is not None:
        code = headers.get_statuscode()
        status = int(code) if code.isdecimal() else 0
    if not 200 <= status <= 599 or status in (206, 304):
        notes.dropped["unanswered request" if status < 200 else f"status {status}"] += 1
        return None
    said = _header(headers, "content-type") if headers is not None else str(record.content_type or "")
    coding = _header(headers, "content-encoding").lower().strip()
    if coding not in _UNPACKED:
        notes.skipped[url] = f"is compressed as '{coding[:20]}', which is not read here"
        return None
    body, size = _read(record, budget.limit)
    if size <= budget.limit and getattr(record.raw_stream, "limit", 0) > 0:
        notes.skipped[url] = "is cut short: its record says that it is longer"
        return None
    if not budget.takes(url, size, notes):
        return None
    return Capture(
        url,
        status,
        content_type=said,
        body=body,
        redirect=_header(headers, "location") if 300 <= status < 400 else "",
        filename=attachment_name(_header(headers, "content-disposition")),
    )


def _header(headers: Any, name: str) -> str:
    return str(headers.get_header(name) or "") if headers is not None else ""


def _read(record: Any, limit: int) -> tuple[bytes, int]:
    """Return a record's body and its size; of one over the limit nothing is kept, and no more is unpacked."""
    stream, parts, size = record.content_stream(), [], 0
    while block := stream.read(_BLOCK):
        size += len(block)
        if size > limit:
            return b"", size
        parts.append(block)
    return b"".join(parts), size
