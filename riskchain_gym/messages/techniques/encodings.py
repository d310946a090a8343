"""Addresses in the encodings of the web: percent signs, text escapes and base-N."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from riskchain_gym.messages.techniques.base import Family, Phase, Piece, Reversibility, RewriteAddresses, Technique
from riskchain_gym.messages.techniques.exact import ExactCode, draw_share, share_chance
from riskchain_gym.protocol.keyed import KeyedRandom


@dataclass(frozen=True)
class EscapeSyntax:
    """A way to escape characters.

    Attributes:
        forms: The spellings of a character.
        run: What escapes in a row look like.
        decode: Returns the characters that such a run stands for, or raises ``ValueError``.
        marks: The characters that open an escape: they are always escaped themselves.
    """

    forms: tuple[Callable[[str], str], ...]
    run: re.Pattern[str]
    decode: Callable[[str], str]
    marks: str


def _decode_text(run: str) -> str:
    if run.startswith("\\u"):
        return bytes.fromhex(run.replace("\\u", "")).decode("utf-16-be")
    return chr(int(run[3:-1], 16) if run.startswith("&#x") else int(run[2:-1]))


@lru_cache(maxsize=4096)
def percent(text: str, form: str = "02x") -> str:
    """Return a text with every byte of its UTF-8 percent-encoded; ``form`` is the format of a byte."""
    return "".join(f"%{byte:{form}}" for byte in text.encode())


PERCENT = EscapeSyntax(
    forms=(percent, lambda character: percent(character, "02X")),
    run=re.compile("(?:%[0-9a-fA-F]{2})+"),
    decode=lambda run: bytes.fromhex(run.replace("%", "")).decode(),
    marks="%",
)
TEXT_ESCAPES = EscapeSyntax(
    forms=(
        lambda character: re.sub("(....)", r"\\u\1", character.encode("utf-16-be").hex()),
        lambda character: f"&#{ord(character)};",
        lambda character: f"&#x{ord(character):x};",
    ),
    run=re.compile(r"(?:\\u[0-9a-f]{4})+|&#[0-9]{1,7};|&#x[0-9a-f]{1,6};"),
    decode=_decode_text,
    marks="\\&",
)


@dataclass(frozen=True)
class Escapes(ExactCode):
    """Escape a share of the characters of any text.

    Attributes:
        syntax: How a character is escaped.
        share: Share of the characters that are.
        mixed: Whether each character draws its form for itself, not one for all.
    """

    syntax: EscapeSyntax
    share: float
    mixed: bool = False

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece a character."""
        free = [i for i, character in enumerate(text) if character not in self.syntax.marks]
        escaped = {free[place] for place in draw_share(len(free), self.share, rng)}
        form = rng.choice(self.syntax.forms)
        pieces: list[Piece] = []
        for i, character in enumerate(text):
            if i in escaped or character in self.syntax.marks:
                form = rng.choice(self.syntax.forms) if self.mixed else form
                pieces.append(Piece(character, form(character)))
            else:
                pieces.append(Piece(character, character))
        return tuple(pieces)

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the text without escapes."""
        try:
            return self._parse(shown)
        except ValueError:
            return None

    def _parse(self, shown: str) -> tuple[str, float] | None:
        text = ""
        at = free = escaped = 0
        fitting: list[frozenset[int]] = []
        while at < len(shown):
            run = self.syntax.run.match(shown, at)
            if run is None:
                if shown[at] in self.syntax.marks:
                    return None
                text += shown[at]
                free += 1
                at += 1
                continue
            for character in self.syntax.decode(run[0]):
                spelled = [form(character) for form in self.syntax.forms]
                fits = frozenset(i for i, form in enumerate(spelled) if shown.startswith(form, at))
                if not fits:
                    return None
                fitting.append(fits)
                text += character
                escaped += character not in self.syntax.marks
                at += len(spelled[min(fits)])
        chance = share_chance(free + escaped, self.share, escaped) * self._form_chance(fitting)
        return (text, chance) if chance else None

    def _form_chance(self, fitting: list[frozenset[int]]) -> float:
        total = len(self.syntax.forms)
        if not self.mixed:
            return len(frozenset(range(total)).intersection(*fitting)) / total
        chance = 1.0
        for fits in fitting:
            chance *= len(fits) / total
        return chance


@dataclass(frozen=True)
class Base:
    """A base to write bytes in.

    Attributes:
        mark: What stands before the encoded text, its colon included.
        encode: Returns the encoded text.
        decode: Returns the bytes, or raises ``ValueError``.
    """

    mark: str
    encode: Callable[[bytes], str]
    decode: Callable[[str], bytes]


def _padded(text: str, block: int) -> str:
    return text + "=" * (-len(text) % block)


BASES = (
    Base("hex:", bytes.hex, bytes.fromhex),
    Base(
        "b32:",
        lambda data: base64.b32encode(data).decode().rstrip("=").lower(),
        lambda text: base64.b32decode(_padded(text.upper(), 8)),
    ),
    Base(
        "b64:",
        lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="),
        lambda text: base64.urlsafe_b64decode(_padded(text, 4)),
    ),
)
"""Base 16, 32 and 64, the last with the alphabet for URLs; none is padded."""


@dataclass(frozen=True)
class BaseN(ExactCode):
    """Write a text, or what stands before its first dot, in a base, with a mark that names it: ``b64:a3cwcDdh``.

    The encoded part ends at the first dot or at the end.
    """

    base: Base

    def spell(self, text: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        """Return one piece, or two where the rest stays."""
        dot = text.find(".")
        end = dot if dot > 0 and rng.chance(0.5) else len(text)
        pieces = (Piece(text[:end], self.base.mark + self.base.encode(text[:end].encode())),)
        return (*pieces, Piece(text[end:], text[end:])) if end < len(text) else pieces

    def read(self, shown: str) -> tuple[str, float] | None:
        """Return the text with its encoded part decoded."""
        if not shown.startswith(self.base.mark):
            return None
        body, dot, rest = shown.removeprefix(self.base.mark).partition(".")
        try:
            part = self.base.decode(body).decode()
        except ValueError:
            return None
        if self.base.encode(part.encode()) != body or not part or (dot and "." in part):
            return None
        return part + dot + rest, 0.5 if dot or part.find(".") > 0 else 1.0


_SHARES = (0.35, 0.75, 1.0)

TECHNIQUES: tuple[Technique, ...] = (
    Technique(
        name="percent_encoding",
        summary="Characters of the entry percent-encoded, as in a URL.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.PERCENT_ENCODING",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("percent_encoding", Escapes(PERCENT, _SHARES[severity - 1])),
    ),
    Technique(
        name="text_escapes",
        summary="Characters of the entry as escapes of source text or HTML, at severity 3 in mixed forms.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.TEXT_ESCAPE_ENCODING",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses(
            "text_escapes", Escapes(TEXT_ESCAPES, _SHARES[severity - 1], mixed=severity == 3)
        ),
    ),
    Technique(
        name="base_n",
        summary="The entry or its first label in base 16, 32 or 64, with a mark that names the base.",
        family=Family.ENTRY_ENCODING,
        types=("ENTRY.BASE_N_ENCODING",),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("base_n", BaseN(BASES[severity - 1])),
    ),
)
