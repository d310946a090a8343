"""What the learned restorer reads: a session as one row of characters, codes stripped and encodings of the web undone.

No table of the disguises takes part: emoji codes go by their shape and invisible marks by their code points, as for the
rules; percent signs, text escapes, base 16, 32 and 64 and the ASCII form of internationalized names are decoded as the
standards say.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.agents.halves import without_halves
from riskchain_gym.agents.restore.codes import CODE_BREAK, strip_codes
from riskchain_gym.agents.restore.encodings import decoded
from riskchain_gym.agents.restore.lookalikes import OTHER, fold
from riskchain_gym.agents.restore.marks import drop_marks
from riskchain_gym.protocol.message import Message

Integers = NDArray[np.int64]

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789.-"
"""The characters of entries."""

SUFFIX = ".test"
"""What every entry ends with; the model leaves it out."""

ROLES = ("sender", "recipient", "system")
LONGEST = 320
"""Characters that the model reads; of a longer session, the stretch with the most characters of entries."""

FOLDS = (*ALPHABET, "\n", " ", OTHER)
"""What :func:`riskchain_gym.agents.restore.lookalikes.fold` makes of a character; it is the same in a character's row
whatever the model has learnt."""

CATEGORIES = (
    "Cc Cf Cn Co Cs Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs".split()  # noqa: SIM905
)
HAN = len(CATEGORIES)
"""Class of Chinese characters; those before it are Unicode's general categories."""

CLASSES = HAN + 1
TWINS = 4
"""Whether a character is the one before it, the one after it, or both."""

BUCKETS = 61
"""Rows for characters that the vocabulary lacks, by their code points modulo this number."""

SPECIALS = 1 + len(ROLES)
"""Rows before those of characters: one for padding, one for the beginning of a message by each role."""

_HAN_FIRST, _HAN_LAST = "\u3400", "\u9fff"


def cleaned(content: str, message: Message) -> str:
    """Return the content of one message as the model reads it.

    Args:
        content: The content.
        message: Its session; the platform decides which shapes are emoji codes.
    """
    text = without_halves(content).replace("\r\n", "\n").replace("\r", "\n")
    text, _ = strip_codes(drop_marks(text)[0], message.platform)
    return decoded(text.replace(CODE_BREAK, "\n"))


@dataclass(frozen=True)
class Row:
    """A session as the model reads it; all arrays have the length of the text.

    Attributes:
        text: The characters; NUL stands for the beginning of a message.
        characters: Row of each character in the table of characters.
        folds: Index in :data:`FOLDS`.
        classes: Unicode's category, or :data:`HAN`.
        twins: Whether the neighbours are the same character: 1 the one before, 2 the one after, 3 both.
    """

    text: str
    characters: Integers
    folds: Integers
    classes: Integers
    twins: Integers


def session_text(message: Message) -> tuple[str, tuple[int, ...]]:
    """Return the cleaned contents of a session, each behind a NUL, and the role of each.

    Args:
        message: The session.
    """
    texts = [cleaned(part.content, message).replace("\0", " ") for part in message.messages]
    roles = tuple(ROLES.index(part.role) for part in message.messages)
    return "".join("\0" + text for text in texts), roles


def window(text: str) -> tuple[int, int]:
    """Return where the stretch of a text begins and ends that the model reads.

    Args:
        text: The text of a session.
    """
    if len(text) <= LONGEST:
        return 0, len(text)
    likely = np.array([folded in ALPHABET for folded in fold(text)], dtype=np.int64)
    sums = np.concatenate(([0], np.cumsum(likely)))
    start = int(np.argmax(sums[LONGEST:] - sums[:-LONGEST]))
    return start, start + LONGEST


def row_of(text: str, roles: Sequence[int], vocabulary: Mapping[str, int]) -> Row:
    """Return the row of a session.

    Args:
        text: What :func:`session_text` returned, or a stretch of it.
        roles: The role of each message that begins in it.
        vocabulary: Row of each known character in the table of characters.
    """
    characters = np.fromiter((_row(char, vocabulary) for char in text), np.int64, len(text))
    starts = [place for place, char in enumerate(text) if char == "\0"]
    characters[starts] = [1 + role for role in roles[: len(starts)]]
    same = characters[1:] == characters[:-1]
    twins = np.zeros(len(text), np.int64)
    twins[1:] += same
    twins[:-1] += 2 * same
    folds = _fold_rows()
    return Row(
        text=text,
        characters=characters,
        folds=np.fromiter((folds[char] for char in fold(text)), np.int64, len(text)),
        classes=np.fromiter((_class(char) for char in text), np.int64, len(text)),
        twins=twins,
    )


def _row(char: str, vocabulary: Mapping[str, int]) -> int:
    known = vocabulary.get(char)
    return SPECIALS + len(vocabulary) + ord(char) % BUCKETS if known is None else known


@cache
def _fold_rows() -> dict[str, int]:
    return {char: place for place, char in enumerate(FOLDS)}


@lru_cache(maxsize=8192)
def _class(char: str) -> int:
    if _HAN_FIRST <= char <= _HAN_LAST:
        return HAN
    return CATEGORIES.index(unicodedata.category(char))
