"""Platform emoji codes as plain text: which codes each platform's client writes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from riskchain_gym.messages.datafile import load_toml
from riskchain_gym.messages.pools import Pool, by_hash
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.message import Platform
from riskchain_gym.protocol.model import Frozen


class TokenForm(StrEnum):
    """The shapes a platform's codes take."""

    BRACKET_CODE = "BRACKET_CODE"
    SLASH_OR_BRACKET_CODE = "SLASH_OR_BRACKET_CODE"
    SLASH_CODE_WITH_TRAILING_SPACE = "SLASH_CODE_WITH_TRAILING_SPACE"
    HASH_PAREN_CODE = "HASH_PAREN_CODE"
    UNICODE_EMOJI = "UNICODE_EMOJI"


_HELD_OUT_PART = 5
_BRACKET = r"\[[^\[\]\s]+\]"
_SLASH = r"/[^/\s]+ "
_SHAPES = {
    TokenForm.BRACKET_CODE: _BRACKET,
    TokenForm.SLASH_OR_BRACKET_CODE: f"{_SLASH}|{_BRACKET}",
    TokenForm.SLASH_CODE_WITH_TRAILING_SPACE: _SLASH,
    TokenForm.HASH_PAREN_CODE: r"#\([^()\s]+\)",
    TokenForm.UNICODE_EMOJI: "[\U0001f300-\U0001faff]",
}


class TokenProfile(Frozen):
    """The codes of one platform.

    Attributes:
        platform: The only platform whose messages may carry these codes.
        form: The shape all of them have.
        evidence: How far the list was checked against a client; never read as an official inventory.
        codes: The codes, trailing space included where the client writes one.
    """

    platform: Platform
    form: TokenForm
    evidence: Literal["PRIMARY_PLATFORM_VERIFIED", "CLIENT_OBSERVED", "SECONDARY_ONLY", "NOT_VERIFIED"]
    codes: Annotated[tuple[str, ...], Field(min_length=1)]

    @field_validator("codes")
    @classmethod
    def _well_formed(cls, codes: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        form = info.data.get("form")
        if len(set(codes)) != len(codes):
            raise ValueError("a code is listed twice")
        if form is not None and (odd := [c for c in codes if not re.fullmatch(_SHAPES[form], c)]):
            raise ValueError(f"{odd[0]!r} has not the shape {form}")
        return codes

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(re.escape(c) for c in sorted(self.codes, key=lambda c: (-len(c), c))))

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the ``(start, end)`` spans of this platform's codes, left to right."""
        return [m.span() for m in self._pattern.finditer(text)]


def held_out_codes(profiles: Mapping[Platform, TokenProfile]) -> frozenset[str]:
    """Return the codes that ``train`` and ``dev`` never show, on any platform: a fifth of every platform's."""
    held_out: set[str] = set()
    for profile in profiles.values():
        ranked = sorted(profile.codes, key=lambda code: by_hash("code", code))
        held_out.update(ranked[: math.ceil(len(ranked) / _HELD_OUT_PART)])
    return frozenset(held_out)


def profiles_for_pool(profiles: Mapping[Platform, TokenProfile], pool: Pool) -> dict[Platform, TokenProfile]:
    """Return the profiles with the codes that a pool may use.

    ``train`` and ``dev`` show no held-out code and ``ood`` only such; ``test`` (the published set uses every code),
    ``hard`` and ``control`` take any.
    """
    if pool in (Pool.TEST, Pool.HARD, Pool.CONTROL):
        return dict(profiles)
    held_out = held_out_codes(profiles)
    return {
        platform: profile.model_copy(
            update={"codes": tuple(c for c in profile.codes if (c in held_out) == (pool is Pool.OOD))}
        )
        for platform, profile in profiles.items()
    }


class TokenFile(Frozen):
    """The content of the code file."""

    profile: tuple[TokenProfile, ...]


def load_profiles(path: Path) -> dict[Platform, TokenProfile]:
    """Return the profile of every platform.

    Raises:
        InputFileError: The file is wrong, or a platform is missing or listed twice.
    """
    profiles = load_toml(path, TokenFile).profile
    listed = sorted(p.platform for p in profiles)
    if listed != sorted(Platform):
        raise InputFileError(path, "profile", f"needs every platform exactly once, got {', '.join(listed)}")
    return {p.platform: p for p in profiles}
