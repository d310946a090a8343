"""The gate g: does the committed rank-1 entry resolve to the chain's site (protocol B.6)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import urlsplit, urlunsplit

from riskchain_gym.protocol.commit import Restoration
from riskchain_gym.protocol.outcome import GateResult

STRICT_ENTRY = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.test")
"""The strict helper's canonical entry: three lower-case labels under ``.test``."""

_MASKED = re.compile(r"\[MASKED_(?:SITE|URL|ACCOUNT|CODE)[^\]]*\]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@lru_cache(maxsize=4096)
def historical_entry(value: str) -> str:
    """Return an entry as the published scorer compares it.

    NFC and strip; the scheme defaults to https; the host is case-folded and loses a trailing dot; a default port is
    dropped; an empty path is ``/``; masked literals and whatever does not parse are compared as they are. A value with
    a control character in it (an address still broken over lines) does not parse.
    """
    value = unicodedata.normalize("NFC", value).strip()
    if _MASKED.fullmatch(value) or _CONTROL.search(value):
        return value
    try:
        parts = urlsplit(value if _SCHEME.match(value) else f"https://{value}")
        port = parts.port
    except ValueError:
        return value
    host = (parts.hostname or "").casefold().removesuffix(".")
    if not host:
        return value
    scheme = parts.scheme.casefold()
    netloc = host if port is None or port == _DEFAULT_PORTS.get(scheme) else f"{host}:{port}"
    if parts.username is not None or parts.password is not None:
        netloc = f"{parts.netloc.rpartition('@')[0]}@{netloc}"
    return urlunsplit((scheme, netloc, parts.path or "/", parts.query, parts.fragment))


def handoff_entry(value: str) -> str:
    """Return an entry as the handoff builder hashes it: lower-cased, stripped, trailing ``/`` removed."""
    return value.lower().strip().rstrip("/")


CLOSED = GateResult(passed=False, strict=False, handoff=False)
"""The gate closed under every policy: so it is for whoever committed nothing, be there an entry to find or not."""


def gate(commit: Restoration, entry: str | None) -> GateResult:
    """Look up a commit's entry under the three published policies.

    Historical (the headline): the lowest rank, normalised; abstain is ignored. Handoff: the first list element;
    abstain closes it. Strict: the single candidate of rank 1, compared letter by letter.

    A message that leads nowhere is unknown to the published policies. There all three agree: the gate is open if the
    commit names no candidate, abstaining or not, and closed by any candidate.

    Args:
        commit: The restoration that an agent committed.
        entry: The canonical entry, or ``None`` where the message leads nowhere.

    Raises:
        ValueError: The canonical entry is not a lower-case three-label ``.test`` name.
    """
    if entry is not None and not STRICT_ENTRY.fullmatch(entry):
        raise ValueError(f"The canonical entry must be a lower-case three-label .test name, got {entry!r}.")
    candidates = commit.entry_candidates
    if not candidates:
        return CLOSED if entry is not None else GateResult(passed=True, strict=True, handoff=True)
    best = min(candidates, key=lambda c: c.rank)
    if entry is None:
        return CLOSED.model_copy(update={"candidate": best.value})
    return GateResult(
        passed=historical_entry(best.value) == historical_entry(entry),
        strict=best.rank == 1 and best.value == entry,
        handoff=not commit.abstain and handoff_entry(candidates[0].value) == handoff_entry(entry),
        candidate=best.value,
    )
