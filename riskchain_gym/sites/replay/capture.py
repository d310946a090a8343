"""What a reader hands over: one answer of the captured site."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MAX_BODY_BYTES = 8 * 1024 * 1024
"""Largest body that is kept, unless told otherwise."""

MAX_CAPTURE_BYTES = 256 * 1024 * 1024
"""All bodies of a capture together; what comes later is left out and listed."""


@dataclass(frozen=True)
class Capture:
    """One answer.

    Attributes:
        url: Absolute address it came from.
        status: HTTP status.
        content_type: As it was sent, charset and all; ``""`` if nothing was said.
        body: Body, decompressed.
        redirect: Address that it leads on to, as it was sent, or ``""``.
        post: Whether it answered a POST.
        filename: Name of the file that it was offered as, ``""`` for what a browser shows.
        aliases: Further addresses it is found under.
    """

    url: str
    status: int = 200
    content_type: str = ""
    body: bytes = b""
    redirect: str = ""
    post: bool = False
    filename: str = ""
    aliases: tuple[str, ...] = ()


@dataclass
class Notes:
    """What an import has to tell beside the site itself.

    Attributes:
        missing: Addresses of captured hosts that pages load or lead to and the capture lacks, with how often.
        outside: Addresses elsewhere that pages load or lead to, with how often.
        dropped: What was taken out of pages or left out of the capture, by kind, with how often.
        too_large: Size in bytes of every body that was left out, by address.
        repeated: How many further answers there were, by address.
        skipped: Records that could not be used, and why.
    """

    missing: Counter[str] = field(default_factory=Counter)
    outside: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    too_large: dict[str, int] = field(default_factory=dict)
    repeated: Counter[str] = field(default_factory=Counter)
    skipped: dict[str, str] = field(default_factory=dict)


@dataclass
class Budget:
    """How much of a capture may be kept.

    Attributes:
        body: Largest body, in bytes.
        left: What all further bodies may come to, in bytes.
    """

    body: int = MAX_BODY_BYTES
    left: int = MAX_CAPTURE_BYTES

    @property
    def limit(self) -> int:
        """The largest body that may come next."""
        return min(self.body, self.left)

    def takes(self, url: str, size: int, notes: Notes) -> bool:
        """Say whether a body fits, and count it; one that does not is listed."""
        if size > self.limit:
            notes.too_large[url] = size
            return False
        self.left -= size
        return True
