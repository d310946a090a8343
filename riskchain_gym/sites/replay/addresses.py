"""Addresses: what a captured page names becomes a path of the replay site, or leads nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from riskchain_gym.protocol.keyed import keyed_id
from riskchain_gym.sites.replay.capture import Notes

NOTHING = "data:,"
"""Address of nothing: no request is made for it."""

_SAFE = "%/:@!$&'()*+,;=~-._"
_STRIPPED = re.compile(r"^[\x00-\x20]+|[\x00-\x20]+$|[\t\r\n]")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_PORTS = {"http": 80, "https": 443}
_INLINE_MEDIA = re.compile(
    r"data:(?:image|font|audio|video)/[\w.+-]+[,;]|data:application/(?:x-)?font[\w.+-]*[,;]", re.IGNORECASE
)


Spot = tuple[str, bool]
"""A local path, and whether it is posted to."""


class Address(NamedTuple):
    """A web address in one spelling; http and https are the same.

    Attributes:
        host: Host name in lower case, with its port where it is not the usual one.
        path: Path without dot segments, percent-encoded.
        query: Query, percent-encoded, ``""`` for none.
    """

    host: str
    path: str
    query: str

    @property
    def full_path(self) -> str:
        """Path and query."""
        return f"{self.path}?{self.query}" if self.query else self.path


def parse(url: str) -> Address | None:
    """Return the address that a URL names, or ``None`` if it is no web address."""
    try:
        parts = urlsplit(_STRIPPED.sub("", url).replace("\\", "/"))
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not name:
        return None
    try:
        name = name.encode("ascii" if name.isascii() else "idna").decode()
    except UnicodeError:
        return None
    host = name if port is None or port == _PORTS[parts.scheme] else f"{name}:{port}"
    return Address(host, _plain_path(parts.path), quote(parts.query, safe=f"{_SAFE}?[]|", errors="replace"))


def _plain_path(path: str) -> str:
    kept: list[str] = []
    segments = path.lstrip("/").split("/")
    for number, segment in enumerate(segments):
        dots = segment.lower().replace("%2e", ".")
        if dots == ".." and kept:
            kept.pop()
        if dots not in (".", ".."):
            kept.append(segment)
        elif number == len(segments) - 1:
            kept.append("")
    return quote("/" + "/".join(kept).lstrip("/"), safe=_SAFE, errors="replace")


@dataclass
class Addresses:
    """The addresses of one capture.

    Args:
        own: Host of the entry page; its paths stay as they are.
        key: What opaque names are drawn from.
        notes: Where whatever leads nowhere is listed.

    Attributes:
        pages: Local path of every captured GET, by address.
        posts: Local path of every captured POST, by address.
        asked: Local path of what answers a form that asks there, by address without query, where only answers with a
            query were captured.
        outside: Path of the page for what is outside.
        missing: Path of the page for what is missing.
    """

    own: str
    key: bytes
    notes: Notes
    pages: dict[Address, str] = field(default_factory=dict)
    posts: dict[Address, str] = field(default_factory=dict)
    asked: dict[Address, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._hosts = {self.own}
        prefix = keyed_id(self.key, "ours", length=8)
        self.outside, self.missing = (f"/{prefix}/{keyed_id(self.key, 'ours', name, length=6)}" for name in "om")

    def add(self, address: Address, *, post: bool = False, aliases: Iterable[Address] = ()) -> str:
        """Take in a captured address and return its local path."""
        path = self.local_path(address)
        table = self.posts if post else self.pages
        table[address] = path
        aliases = tuple(aliases)
        # Its path on the replay site names it too, so that what was rewritten once stays as it is.
        for alias in (*aliases, Address(self.own, path.partition("?")[0], address.query)):
            table.setdefault(alias, path)
        self._hosts |= {address.host, *(alias.host for alias in aliases)}
        return path

    def add_asked(self, bare: Address) -> str:
        """Take in an address without its query, as a form asks there, and return its local path."""
        path = self.local_path(bare)
        for each in (bare, Address(self.own, path, "")):
            self.asked.setdefault(each, path)
        return path

    def local_path(self, address: Address) -> str:
        """Return the path that an address has on the replay site: that of another host below an opaque prefix."""
        if address.host == self.own:
            return address.full_path
        return f"/{keyed_id(self.key, 'host', address.host, length=8)}{address.full_path}"

    def find(self, address: Address, *, post: bool = False) -> Spot | None:
        """Return where a captured address is: exactly, else without its query; a POST, else a GET."""
        bare = address._replace(query="")
        tables = ((self.posts, True), (self.pages, False)) if post else ((self.pages, False),)
        spots = ((table[each], posted) for table, posted in tables for each in (address, bare) if each in table)
        return next(spots, None)

    def note_absent(self, url: str, address: Address | None) -> str:
        """Note a reference to what was not captured, and return the path of the page that says so.

        Args:
            url: What is referred to.
            address: The same, or ``None`` if it is no web address. It is missing where anything of its host was
                captured, and outside otherwise.
        """
        is_missing = address is not None and address.host in self._hosts
        (self.notes.missing if is_missing else self.notes.outside)[url.partition("#")[0][:500]] += 1
        return self.missing if is_missing else self.outside


@dataclass
class References:
    """The references of one page or style sheet.

    Args:
        addresses: All addresses of the capture.
        base: Absolute address that references are relative to.

    Attributes:
        used: What was referred to, in order.
    """

    addresses: Addresses
    base: str
    used: dict[Spot, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._document = self.base

    def rebase(self, reference: str) -> None:
        """Make further references relative to what a base element names."""
        base = self._join(reference)
        if parse(base) is not None:
            self.base = base

    def load(self, reference: str, *, inline: bool = True) -> str | None:
        """Return what stands for a thing that the page loads by itself, or ``None``: then it must load nothing.

        Args:
            reference: As the page has it.
            inline: Whether the thing may be in the address itself.
        """
        plain = _STRIPPED.sub("", reference)
        if plain.startswith("#"):
            return plain
        if plain == NOTHING:
            return plain if inline else None
        if plain.lower().startswith("data:"):
            if inline and _INLINE_MEDIA.match(plain):
                return plain
            self.addresses.notes.dropped["data address"] += 1
            return None
        if not plain or plain.lower().startswith("about:"):
            return None
        url = self._join(plain)
        address = parse(url)
        found = self.addresses.find(address) if address is not None else None
        if found is None:
            self.addresses.note_absent(url, address)
            return None
        return self._use(found) + _fragment(plain)

    def ask_itself(self) -> None:
        """Count as used what answers a form that asks the page's own address: the form says nothing of where."""
        self._asked(parse(self._document))

    def follow(self, reference: str, *, post: bool = False, asks: bool = False) -> str:
        """Return the path or the fragment that a link or a form leads to instead.

        Args:
            reference: As the page has it.
            post: Whether a form is posted to it; without a reference it is posted to the page itself.
            asks: Whether a form asks there, with a query of its own in place of the address's.
        """
        plain = _STRIPPED.sub("", reference) or (self._document if post else "")
        if plain.startswith("#") or not plain:
            return plain
        if plain.lower().startswith("javascript:"):
            self.addresses.notes.dropped["script address"] += 1
            return "#"
        url = self._join(plain)
        address = parse(url)
        found = self._asked(address) if asks else None
        if found is None and address is not None:
            found = self.addresses.find(address, post=post)
        if found is not None:
            return self._use(found) + ("" if post else _fragment(plain))
        if address is not None and address.host == self.addresses.own and address.full_path in self._ours:
            return address.full_path
        return self.addresses.note_absent(url, address)

    @property
    def _ours(self) -> tuple[str, str]:
        return self.addresses.outside, self.addresses.missing

    def _asked(self, address: Address | None) -> Spot | None:
        bare = address._replace(query="") if address is not None else None
        path = self.addresses.pages.get(bare) or self.addresses.asked.get(bare) if bare is not None else None
        if path is None:
            return None
        self._use((path, False))
        return path, False

    def _use(self, spot: Spot) -> str:
        self.used[spot] = None
        return spot[0]

    def _join(self, reference: str) -> str:
        reference = reference.replace("\\", "/") if _scheme(reference) in ("", "http", "https") else reference
        try:
            return urljoin(self.base, reference)
        except ValueError:
            return reference


def _scheme(reference: str) -> str:
    found = _SCHEME.match(reference)
    return found[1].lower() if found else ""


def _fragment(reference: str) -> str:
    fragment = reference.partition("#")[2]
    return f"#{quote(fragment, safe=_SAFE + '?', errors='replace')}" if fragment else ""
