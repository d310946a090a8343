"""What is put around a whole address: a scheme in front, a port or a path behind.

The plain address still stands in what these codes show; what must be restored is the address alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from riskchain_gym.messages.entries import EntryStyle, entry_prior, new_entry
from riskchain_gym.messages.techniques.base import Family, Phase, Piece, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.exact import ExactCode
from riskchain_gym.protocol.keyed import KeyedRandom

_SHORTEST = 13
_LIKE_A_CODE = re.compile(r"[^\W_]{1,8}\s")

HOST = r"[a-z0-9]{5,8}\.[a-z]{2,4}\.test"
"""An invented address."""

PAGES = ("index", "page", "list", "notice", "guide", "about", "start", "view", "detail", "share", "info", "main")
"""Names of pages and folders in an invented path."""


class Wrapper(ExactCode):
    """A code that puts something around a whole address, plain or rewritten, and leaves the parts of a split entry.

    A text counts as whole when it is as long as the shortest address, and when a slash before it would not make its
    beginning look like an emoji code.
    """

    def leaves(self, text: str) -> bool:
        """Leave what is too short for a whole address."""
        return len(text) < _SHORTEST or _LIKE_A_CODE.match(text) is not None


def invented_address(rng: KeyedRandom) -> str:
    """Return an address in the open style that leads nowhere; its probability is the entry prior's."""
    return new_entry(rng.below(1 << 64).to_bytes(8, "big"), "invented", style=EntryStyle.OPEN)


@dataclass(frozen=True)
class Scheme(Wrapper):
    """Put a scheme that no program follows before the address: the address is what comes after it.

    Attributes:
        schemes: The schemes; none opens another.
    """

    schemes: Sequence[str]

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the scheme and the address."""
        return Piece("", rng.choice(self.schemes)), Piece(text, text)

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return what comes after the scheme."""
        scheme = next((scheme for scheme in self.schemes if shown.startswith(scheme)), None)
        return None if scheme is None else (shown.removeprefix(scheme), 1 / len(self.schemes))


_USUAL_PORTS = ("80", "443", "8000", "8080", "8443", "8888")
_PORTS = (1024, 65535)


@dataclass(frozen=True)
class Port(Wrapper):
    """Put a port behind the address: the address is what comes before the last colon, without a dot at its end.

    Attributes:
        severity: 1: a usual port; 2: any port; 3: a dot, then any port filled up with zeros to eight digits.
    """

    severity: int

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the address and the port."""
        if self.severity == 1:
            return Piece(text, text), Piece("", f":{rng.choice(_USUAL_PORTS)}")
        port = rng.integer(*_PORTS)
        return Piece(text, text), Piece("", f":{port}" if self.severity == 2 else f".:{port:08d}")

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return what comes before the port."""
        source, _, port = shown.rpartition(":")
        if self.severity == 1:
            return (source, 1 / len(_USUAL_PORTS)) if port in _USUAL_PORTS else None
        low, high = _PORTS
        width = "{4,5}" if self.severity == 2 else "{8}"
        if not re.fullmatch(f"[0-9]{width}", port) or not low <= int(port) <= high:
            return None
        if self.severity == 2:
            return (source, 1 / (high - low + 1)) if port[0] != "0" else None
        return (source[:-1], 1 / (high - low + 1)) if source.endswith(".") else None


_KEYS = ("id", "from", "tab", "step")
_PATHS = (
    re.compile(r"/([a-z]+)\.html\Z"),
    re.compile(r"/([a-z]+)/([a-z]+)\.html\?([a-z]+)=([0-9]{4})\Z"),
    re.compile(rf"/([a-z]+)/([a-z]+)\.html\?([a-z]+)=({HOST})#([a-z]+)-([0-9]{{2}})\Z"),
)


@dataclass(frozen=True)
class Path(Wrapper):
    """Put a path behind the address: the address is what comes before the path's first slash.

    Attributes:
        severity: 1: a page; 2: a folder, a page and a query; 3: another address in the query, and a fragment.
    """

    severity: int

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the address and the path."""
        path = f"/{rng.choice(PAGES)}.html"
        if self.severity > 1:
            path = f"/{rng.choice(PAGES)}{path}?{rng.choice(_KEYS)}="
        if self.severity == 2:
            path += f"{rng.below(10**4):04d}"
        if self.severity == 3:
            path += f"{invented_address(rng)}#{rng.choice(PAGES)}-{rng.below(100):02d}"
        return Piece(text, text), Piece("", path)

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return what comes before the path."""
        found = _PATHS[self.severity - 1].search(shown)
        if found is None:
            return None
        chance = 1.0
        for place, part in enumerate(found.groups()):
            chance *= self._chance(place, part)
        return (shown[: found.start()], chance) if chance else None

    def _chance(self, place: int, part: str) -> float:
        """Return the probability of a part of a path."""
        if part.isdecimal():
            return float(10 ** -len(part))
        if place == 3:
            return entry_prior(part)
        names = _KEYS if place == 2 else PAGES
        return 1 / len(names) if part in names else 0.0


_SCHEMES = (
    ("hxxp://", "hxxps://", "hXXp://", "hXXps://"),
    ("h**p://", "h**ps://", "h--ps:\\\\", "hxxp;//", "htxp:\\\\"),
    ("hxxps∶∕∕", "h t t p : ／／", "ｈｘｘｐ：／／", "h*t*t*p*s::", "hxxps，，", "h-t-t-p-s—"),
)

TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="scheme_defang",
        summary="A broken scheme before the entry, such as hxxp://.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.SCHEME_DEFANG",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("scheme_defang", Scheme(_SCHEMES[severity - 1])),
    ),
    Technique(
        name="port_noise",
        summary="A port behind the entry.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.PORT_NOISE",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("port_noise", Port(severity)),
    ),
    Technique(
        name="path_noise",
        summary="A path behind the entry, at severity 3 with another address in its query.",
        family=Family.ENTRY_ENCODING,
        types=(),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("path_noise", Path(severity)),
    ),
)
