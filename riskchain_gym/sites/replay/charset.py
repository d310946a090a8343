"""From the bytes of a page to its text: the charset it declares, by the rules that browsers follow."""

from __future__ import annotations

import codecs
import re

_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_AT_CHARSET = re.compile(rb"""^@charset\s+["']([\w.:-]{1,40})["']""", re.IGNORECASE)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_PRESCAN = 4096
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_CODECS: dict[str, str] = {
    "utf-8": "utf-8",
    "utf-16": "utf-16-le",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "big5hkscs": "big5hkscs",
    "shift_jis": "cp932",
    "cp932": "cp932",
    "euc_jp": "euc_jp",
    "iso2022_jp": "iso2022_jp",
    "euc_kr": "cp949",
    "cp949": "cp949",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    **{f"iso8859-{n}": f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"cp{n}": f"cp{n}" for n in (866, 874, *range(1250, 1259))},
}
"""Codecs that are used, by Python's name of the charset; no other codec is asked, whatever a page declares."""


def decode(body: bytes, content_type: str = "", *, css: bool = False) -> str:
    """Return the text of a page or a style sheet.

    A byte order mark decides, then the header, then what the text itself declares; without any, UTF-8, and GB 18030
    where it is not UTF-8. What cannot be decoded becomes U+FFFD.

    Args:
        body: The bytes.
        content_type: The header.
        css: Whether it is a style sheet, which declares its charset otherwise.
    """
    for bom, codec in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(codec, "replace")
    found = (_AT_CHARSET if css else _META).search(body[:_PRESCAN])
    said = _HEADER.search(content_type)
    for label, declared_inside in ((said[1] if said else "", False), (found[1].decode() if found else "", True)):
        known = codec_of(label)
        if known is not None:
            # Text that could be read as far as its declaration is no UTF-16.
            return body.decode("utf-8" if declared_inside and known.startswith("utf-16") else known, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("gb18030", "replace")


def codec_of(label: str) -> str | None:
    """Return the codec for a charset's label, or ``None`` where it is no charset that pages are written in."""
    try:
        return _CODECS.get(codecs.lookup(label).name)
    except (LookupError, ValueError):
        return None
