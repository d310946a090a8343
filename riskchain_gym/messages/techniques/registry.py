"""The registry of techniques."""

from __future__ import annotations

from difflib import get_close_matches

from riskchain_gym.messages.techniques import (
    ambiguous,
    controls,
    decoy_hosts,
    dots,
    encodings,
    glyphs,
    grids,
    interleaved,
    latin,
    letters,
    meaning,
    numerals,
    order,
    phonetic,
    published,
    punycode,
    shifts,
    spelled,
    wording,
    wrappers,
)
from riskchain_gym.messages.techniques.base import Technique
from riskchain_gym.messages.techniques.check import check_technique
from riskchain_gym.protocol.errors import ConfigError

_REGISTRY: dict[str, Technique] = {}


def register(technique: Technique) -> Technique:
    """Add a technique to the registry and return it; recipes can name it from then on.

    The splits go on drawing from the techniques that ship, so no registration changes their messages.

    Raises:
        ConfigError: Its name is taken, or :func:`check_technique` refuses it.
    """
    if technique.name in _REGISTRY:
        raise ConfigError(f"Technique '{technique.name}' is registered already: choose another name.")
    check_technique(technique)
    _REGISTRY[technique.name] = technique
    return technique


def techniques() -> tuple[Technique, ...]:
    """Return every technique in order of registration, the shipped ones first."""
    return tuple(_REGISTRY.values())


def get_technique(name: str) -> Technique:
    """Return a technique by name.

    Raises:
        ConfigError: No technique has that name; near names are given.
    """
    if name not in _REGISTRY:
        near = get_close_matches(name, _REGISTRY, n=3) or list(_REGISTRY)
        raise ConfigError(f"No technique is named '{name}': did you mean {', '.join(near)}?")
    return _REGISTRY[name]


_MODULES = (
    published,
    letters,
    numerals,
    dots,
    controls,
    ambiguous,
    encodings,
    punycode,
    shifts,
    wrappers,
    decoy_hosts,
    spelled,
    order,
    grids,
    interleaved,
    phonetic,
    glyphs,
    meaning,
    wording,
    latin,
)

SHIPPED: tuple[Technique, ...] = tuple(technique for module in _MODULES for technique in module.TECHNIQUES)
"""The techniques of this package, which splits draw from."""

_REGISTRY.update((technique.name, technique) for technique in SHIPPED)
