"""Style sheets rewritten: every address in them becomes a local one, or loads nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

from riskchain_gym.sites.replay.addresses import NOTHING

Load = Callable[[str], str | None]

_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|\\(\r\n|[\r\n\f])|\\(.)", re.DOTALL)
_TOKEN = re.compile(
    r"""(?P<comment>/\*.*?(?:\*/|\Z)|<!--|-->|<!\[CDATA\[|\]\]>)
    |(?P<string>"(?:\\.|[^"\\\r\n\f])*"?|'(?:\\.|[^'\\\r\n\f])*'?)
    |(?P<name>@?(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}(?:\r\n|[ \t\r\n\f])?|\\[^\r\n\f])+)(?P<open>\()?
    |(?P<mark>[(){}\[\];])
    |(?P<space>\s+)
    |(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
_QUOTED = re.compile(r"""\s*("(?:\\.|[^"\\\r\n\f])*"?|'(?:\\.|[^'\\\r\n\f])*'?)""", re.DOTALL)
_BARE = re.compile(r"((?:\\.|[^)\\])*)(?:\)|\Z)", re.DOTALL)
_MALFORMED = re.compile(r"""["'(\s]""")
_CLOSE = re.compile(r"\s*\)")
_NONE = "/**/"
"""What stands for what was taken out, so that its neighbours do not grow together."""
_RISKY = re.compile(r"<(?=[a-zA-Z/!?])|&(?=[a-zA-Z#])")
_FUNCTIONS = frozenset({"url", "url-prefix", "domain", "src"})
_LISTS = frozenset({"image-set", "-webkit-image-set", "image"})
_LEFT_OUT = frozenset({"@charset", "@namespace"})


def rewrite_css(text: str, load: Load) -> str:
    """Return a style sheet, or the content of a style attribute, that loads only what it is told to.

    Comments go, and nothing in the result reads as markup, so that it can stand in a page's style element.

    Args:
        text: The style sheet.
        load: Returns what stands for an address, or ``None`` for none.
    """
    return _Reader(text.replace("\x00", ""), load).read()


class _Reader:
    def __init__(self, text: str, load: Load) -> None:
        self._text = text
        self._load = load
        self._at = 0
        self._out: list[str] = []
        self._in_list: list[bool] = []

    def read(self) -> str:
        while self._at < len(self._text):
            found = _TOKEN.match(self._text, self._at)
            assert found is not None, "the last alternative takes anything"
            self._at = found.end()
            self._take(found)
        return _harmless("".join(self._out))

    def _take(self, found: re.Match[str]) -> None:
        if found["comment"] is not None:
            self._out.append(_NONE)
        elif found["string"] is not None:
            listed = bool(self._in_list) and self._in_list[-1]
            self._out.append(_quoted(self._local(_inside(found[0]))) if listed else found[0])
        elif found["name"] is not None:
            self._name(unescape(found["name"]).lower(), found)
        else:
            self._mark(found[0])

    def _name(self, name: str, found: re.Match[str]) -> None:
        if name == "@import" or name in _LEFT_OUT:
            self._at = found.end("name")
            statement = self._statement()
            self._out.append((self._import(statement) if name == "@import" else "") or _NONE)
        elif found["open"] and name in _FUNCTIONS:
            reference, closed = self._address()
            self._out.append(f"url({_quoted(self._local(reference))}{')' if closed else ''}")
            if not closed:
                self._in_list.append(False)
        else:
            if found["open"]:
                self._in_list.append(name in _LISTS)
            self._out.append(found[0])

    def _mark(self, mark: str) -> None:
        if mark == "(":
            self._in_list.append(False)
        elif mark == ")" and self._in_list:
            self._in_list.pop()
        elif mark in "{};":
            self._in_list.clear()
        self._out.append(mark)

    def _address(self) -> tuple[str, bool]:
        """Read the address of a ``url(`` and say whether its bracket was closed; a malformed one names nothing."""
        quoted = _QUOTED.match(self._text, self._at)
        if quoted is not None:
            self._at = quoted.end()
            return _inside(quoted[1]), False
        bare = _BARE.match(self._text, self._at)
        if bare is None:
            self._at = len(self._text)
            return "", True
        self._at = bare.end()
        reference = bare[1].strip(" \t\r\n\f")
        return "" if _MALFORMED.search(reference) else unescape(reference), True

    def _import(self, statement: str) -> str:
        found = _TOKEN.match(statement)
        while found is not None and (found["space"] is not None or found["comment"] is not None):
            found = _TOKEN.match(statement, found.end())
        if found is None:
            return ""
        end = found.end()
        if found["string"] is not None:
            reference = _inside(found[0])
        elif found["open"] and unescape(found["name"]).lower() in _FUNCTIONS:
            inner = _Reader(statement, self._load)
            inner._at = end
            reference, closed = inner._address()
            close = None if closed else _CLOSE.match(statement, inner._at)
            if not closed and close is None:
                return ""
            end = close.end() if close is not None else inner._at
        else:
            return ""
        local = self._load(reference)
        if local is not None and local != NOTHING:
            conditions = rewrite_css(statement[end:], self._load).strip()
            return f"@import url({_quoted(local)}){' ' + conditions if conditions else ''};"
        return ""

    def _statement(self) -> str:
        """Return the text up to the end of a statement, and go on behind it."""
        start = self._at
        while self._at < len(self._text):
            found = _TOKEN.match(self._text, self._at)
            assert found is not None, "the last alternative takes anything"
            if found["open"] and unescape(found["name"]).lower() in _FUNCTIONS:
                self._at = found.end()
                self._address()
                continue
            if found[0] in ("{", "}"):
                break
            self._at = found.end()
            if found[0] == ";":
                return self._text[start : found.start()]
        return self._text[start : self._at]

    def _local(self, reference: str) -> str:
        return self._load(reference) or NOTHING


def unescape(text: str) -> str:
    """Return a piece of a style sheet with its escapes resolved."""
    return _ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    if found[1]:
        code = int(found[1], 16)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return found[3] or ""


def _inside(string: str) -> str:
    return unescape(string[1:-1] if len(string) > 1 and string[-1] == string[0] else string[1:])


def _quoted(address: str) -> str:
    escaped = re.sub(r"[\"\\\r\n\f]", lambda found: f"\\{ord(found[0]):x} ", address)
    return f'"{escaped}"'


def _harmless(text: str) -> str:
    return _RISKY.sub(lambda found: f"\\{ord(found[0]):x} ", text)
