"""What the environment types into a site while a person browses: known by length and hash, kept by no one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.replay.model import AnySite, ImportedSite
from riskchain_gym.sites.replay.session import ReplaySession
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.sessions import AnySession


class TypedValue(Frozen):
    """What is kept of a value that was typed.

    Attributes:
        length: Code points.
        sha256: SHA-256 of its UTF-8 bytes.
    """

    length: int
    sha256: str


class TypedValues:
    """Notes what the sessions it makes give out to be typed; pass :meth:`session` to a browser backend.

    Attributes:
        last: What was typed last, or ``None``.
    """

    def __init__(self) -> None:
        self.last: TypedValue | None = None

    def note(self, value: str) -> None:
        """Take note of a value that is about to be typed."""
        data = value.encode("utf-8", "surrogatepass")
        self.last = TypedValue(length=len(value), sha256=hashlib.sha256(data).hexdigest())

    def session(self, site: AnySite) -> AnySession:
        """Return a new visit to a site whose typed values are noted here."""
        return _Replayed(site, self.note) if isinstance(site, ImportedSite) else _Generated(site, self.note)


class _Generated(SiteSession):
    def __init__(self, site: AnySite, note: Callable[[str], None]) -> None:
        assert not isinstance(site, ImportedSite)
        super().__init__(site)
        self._note = note

    def fixture(self, path: str, key: str) -> str:
        value = super().fixture(path, key)
        self._note(value)
        return value


class _Replayed(ReplaySession):
    def __init__(self, site: ImportedSite, note: Callable[[str], None]) -> None:
        super().__init__(site)
        self._note = note

    def fixture(self, path: str, key: str) -> str:
        value = super().fixture(path, key)
        self._note(value)
        return value
