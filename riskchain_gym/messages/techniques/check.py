"""Checking a technique before it joins the registry: what it shows must lead back."""

from __future__ import annotations

import re

from riskchain_gym.messages.entries import EntryStyle, entry_prior, new_entry
from riskchain_gym.messages.techniques.base import SEVERITIES, AddressCode, Reversibility, RewriteAddresses, Technique
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_KEY = key_from_seed(0)
_ENTRIES = 24


def check_technique(technique: Technique) -> None:
    """Refuse a technique that recipes could not name or whose address code has not the inverse that it claims.

    Every severity is tried on a few dozen entries. What a code shows must have the entry among its preimages, and no
    other entry where the technique calls itself exact: ceilings rest on that.

    Args:
        technique: The technique.

    Raises:
        ConfigError: Its name is malformed, or an inverse is missing or wrong; the message gives a case.
    """
    if not _NAME.fullmatch(technique.name):
        raise ConfigError(
            f"Technique {technique.name!r} cannot be named in a recipe: use a-z, 0-9 and '_', a letter first."
        )
    for severity in SEVERITIES:
        rule = technique.make(severity)
        if isinstance(rule, RewriteAddresses):
            for number in range(_ENTRIES):
                entry = new_entry(_KEY, "check", str(number), style=EntryStyle.OPEN)
                _check_code(technique, severity, rule.code, entry)


def _check_code(technique: Technique, severity: int, code: AddressCode, entry: str) -> None:
    pieces = code.write(entry, KeyedRandom(_KEY, technique.name, str(severity), entry))
    name = f"{technique.name}@{severity}"
    if (joined := "".join(piece.before for piece in pieces)) != entry:
        raise ConfigError(
            f"{name}: the pieces of '{entry}' join to '{joined}': their 'before' texts must be the address."
        )
    shown = "".join(piece.after for piece in pieces)
    sources = {source: weight for source, weight in code.preimages(shown).items() if weight > 0 and entry_prior(source)}
    if entry not in sources:
        raise ConfigError(
            f"{name} shows '{entry}' as {shown!r}, but preimages() of that has no such address: correct the inverse."
        )
    if technique.reversibility is Reversibility.EXACT and len(sources) > 1:
        other = next(source for source in sources if source != entry)
        raise ConfigError(
            f"{name} calls itself EXACT, but {shown!r} may also mean '{other}': call it AMBIGUOUS or correct it."
        )
