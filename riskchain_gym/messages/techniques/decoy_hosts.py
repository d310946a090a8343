"""Another, invented address before the entry, so that the first address a reader finds is the wrong one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from riskchain_gym.messages.entries import entry_prior
from riskchain_gym.messages.techniques.base import Family, Phase, Piece, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.encodings import percent
from riskchain_gym.messages.techniques.wrappers import HOST, PAGES, Wrapper, invented_address
from riskchain_gym.protocol.keyed import KeyedRandom

_PORTS = ("80", "443", "8080", "8443")
_USERS = (
    re.compile(rf"({HOST})@"),
    re.compile(rf"({HOST}):([0-9]+)@"),
    re.compile(rf"({HOST})%2F([a-z]+)\.html@({HOST}):([0-9]+)@"),
)


@dataclass(frozen=True)
class UserInfo(Wrapper):
    """Put an invented address before the entry as the name of a user: the entry is what comes after the last ``@``.

    Attributes:
        severity: 1: an address; 2: an address with a port; 3: one with a path, and a second one with a port.
    """

    severity: int

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return the user's part and the address."""
        user = f"{invented_address(rng)}%2F{rng.choice(PAGES)}.html@" if self.severity == 3 else ""
        user += invented_address(rng)
        user += f":{rng.choice(_PORTS)}@" if self.severity > 1 else "@"
        return Piece("", user), Piece(text, text)

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return what comes after the user's part."""
        found = _USERS[self.severity - 1].match(shown)
        chance = _chance(found.groups()) if found else 0.0
        return (shown[found.end() :], chance) if found and chance else None


def _chance(parts: tuple[str, ...]) -> float:
    """Return the probability of the drawn parts: addresses, ports and pages."""
    chance = 1.0
    for part in parts:
        if "." in part:
            chance *= entry_prior(part)
        else:
            names = _PORTS if part.isdecimal() else PAGES
            chance *= (part in names) / len(names)
    return chance


_TARGETS = ("to", "url", "jump", "target")
_JUMP = re.compile(rf"({HOST})/([a-z]+)\.html\?")


@dataclass(frozen=True)
class Redirect(Wrapper):
    """Write the entry into the query of an invented jump address: it is the last parameter's value, percent-decoded.

    Attributes:
        severity: 1: only what is no letter or digit is encoded; 2: everything is; 3: everything twice, and another
            invented address stands in a parameter before it.
    """

    severity: int

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece a character, the jump address before the first."""
        jump = f"{invented_address(rng)}/{rng.choice(PAGES)}.html?"
        jump += f"from={invented_address(rng)}&" if self.severity == 3 else ""
        jump += f"{rng.choice(_TARGETS)}="
        return Piece("", jump), *(Piece(character, self._encoded(character)) for character in text)

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the value of the last parameter, decoded."""
        head, _, value = shown.rpartition("=")
        jump = _JUMP.match(head)
        if jump is None:
            return None
        host, page = jump.groups()
        chance = entry_prior(host) * (page in PAGES) / len(PAGES)
        target = head[jump.end() :]
        if self.severity == 3:
            given, _, target = target.rpartition("&")
            chance *= entry_prior(given.removeprefix("from=")) * given.startswith("from=")
        chance *= (target in _TARGETS) / len(_TARGETS)
        source = self._decoded(value) if chance else None
        return None if source is None else (source, chance)

    def _encoded(self, character: str) -> str:
        if self.severity == 1 and character.isascii() and character.isalnum():
            return character
        encoded = percent(character)
        return percent(encoded) if self.severity == 3 else encoded

    def _decoded(self, value: str) -> str | None:
        try:
            source = unquote_to_bytes(unquote_to_bytes(value) if self.severity == 3 else value).decode()
        except ValueError:
            return None
        return source if "".join(map(self._encoded, source)) == value else None


TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="userinfo_deception",
        summary="An invented address before the entry and an @, as a URL carries the name of a user.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.USERINFO_DECEPTION",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("userinfo_deception", UserInfo(severity)),
        held_out=True,
    ),
    Technique(
        name="redirect_wrapper",
        summary="The entry percent-encoded in the query of an invented jump address.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.REDIRECT_WRAPPER",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("redirect_wrapper", Redirect(severity)),
    ),
)
