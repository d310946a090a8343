"""What a captured body is: a page, a style sheet, a script, something a page shows, or a file to download."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

Kind = Literal["page", "style", "script", "shown", "file"]

_BY_ENDING = {
    "html": "text/html", "htm": "text/html", "xhtml": "text/html", "shtml": "text/html",
    "css": "text/css", "js": "text/javascript", "mjs": "text/javascript",
    "txt": "text/plain", "json": "application/json", "xml": "application/xml",
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "avif": "image/avif", "bmp": "image/bmp", "ico": "image/x-icon", "svg": "image/svg+xml",
    "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
    "mp3": "audio/mpeg", "ogg": "audio/ogg", "wav": "audio/wav", "mp4": "video/mp4", "webm": "video/webm",
}  # fmt: skip
_VAGUE = frozenset({"", "application/octet-stream", "binary/octet-stream", "x-unknown", "application/x-unknown"})
_SHOWN = ("image/", "font/", "audio/", "video/", "application/font", "application/x-font")
_PLAIN = frozenset({"text/plain", "application/json", "application/xml", "text/xml"})
_SCRIPTS = frozenset({"text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript"})


def media_type(content_type: str, url: str, body: bytes) -> str:
    """Return the media type of a body, in lower case: what was sent, else what its address or its first bytes say."""
    sent = content_type.partition(";")[0].strip().lower()
    if sent not in _VAGUE:
        return sent
    ending = urlsplit(url).path.rpartition("/")[2].rpartition(".")
    if ending[0] and (known := _BY_ENDING.get(ending[2].lower())):
        return known
    start = body[:512].lstrip(b"\xef\xbb\xbf \t\r\n\f").lower()
    return "text/html" if start.startswith((b"<!doctype html", b"<html")) else sent or "application/octet-stream"


def kind_of(media: str) -> Kind:
    """Return what a body of a media type is."""
    if media in ("text/html", "application/xhtml+xml"):
        return "page"
    if media == "text/css":
        return "style"
    if media in _SCRIPTS:
        return "script"
    return "shown" if media.startswith(_SHOWN) or is_plain(media) else "file"


def is_plain(media: str) -> bool:
    """Say whether a media type is text that a browser shows as it is."""
    return media in _PLAIN or (media.startswith("application/") and media.endswith(("+json", "+xml")))
