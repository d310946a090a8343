"""Editing a window of a message into an entry: keep, drop or map every character, and what the result commits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.suggest import shown
from riskchain_gym.envs.wrappers.entry_points import EntryPoint
from riskchain_gym.protocol.commit import MAX_TEXT, Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import Message

ENTRY_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-."
"""The V characters of entries, which a character can be mapped to."""

KEEP, DROP, MAP = 0, 1, 2
"""Actions on a character; ``MAP + i`` makes it character i of :data:`ENTRY_CHARACTERS`."""

OPERATIONS = MAP + len(ENTRY_CHARACTERS)
"""How many actions there are on each character, 2 + V."""

SUFFIX = ".test"
"""What every entry ends with: an edit that does not end with it is given it."""

MAX_WIDTH = 16_384
"""Characters that a window can have."""

BESIDE_PLANES = ("length", "strikes")
"""What an observation holds beside the planes, so that no plane can be called so."""

_PROBE = "a.b.test"
_RETURNS = (
    "an encoder takes a text and the width of a window, and returns Encoded (envs.wrappers.editing): where the window "
    "starts, the ids of its characters, and the size of each plane, the same for every text."
)
_SEAM = "\n"
_HALVES = (0xD800, 0xDFFF)
_REPLACEMENT = 0xFFFD
_NOTHING = 0
_MAPPED = np.array([_NOTHING, _NOTHING, *map(ord, ENTRY_CHARACTERS)], np.uint32)


@dataclass(frozen=True)
class Encoded:
    """A window as numbers.

    Attributes:
        start: Index of its first character in the text.
        planes: For each way of looking at characters the ids, int32, one a character; 0 is padding and is not used.
        sizes: For each of them one more than its largest id.
    """

    start: int
    planes: Mapping[str, NDArray[np.int32]]
    sizes: Mapping[str, int]


Encoder = Callable[[str, int], Encoded]
"""Places the window of a text (the messages of a session, a line break between them) of at most so many characters, and
encodes it: a function of the text alone."""


@dataclass(frozen=True)
class Window:
    """The window of one message.

    Attributes:
        message: The message.
        text: The contents of its messages, a line break between them.
        start: Index of the window's first character in the text.
        length: Characters in it.
        codes: Their code points, uint32 (W,), 0 behind the last; half a surrogate pair is U+FFFD.
        planes: The observation, each int32 (W,), 0 behind the last.
    """

    message: Message
    text: str
    start: int
    length: int
    codes: NDArray[np.uint32]
    planes: Mapping[str, NDArray[np.int32]]


class CheckedEncoder:
    """An encoder of somebody else's, held to what one is to return.

    Args:
        name: ``module:function``.
        width: Characters of a window.

    Raises:
        ConfigError: There is no such function, it gives something else, or the width is no number from 1 to
            :data:`MAX_WIDTH`.

    Attributes:
        sizes: The sizes of its planes.
    """

    def __init__(self, name: str, width: int) -> None:
        if not isinstance(width, int) or isinstance(width, bool) or not 1 <= width <= MAX_WIDTH:
            raise ConfigError(
                f"window: give a whole number of characters of at least 1 and at most {MAX_WIDTH}, got {shown(width)}."
            )
        self._entry_point = EntryPoint("encoder", name, _RETURNS)
        self.sizes: Mapping[str, int] | None = None
        self.sizes = dict(self(_PROBE, width).sizes)

    def __call__(self, text: str, width: int) -> Encoded:
        """Return a window with one id a character of it, each within the size of its plane.

        Raises:
            ConfigError: The encoder raises or returns something else; the sentence names it.
        """
        said = self._entry_point.call(text, width)
        if not isinstance(said, Encoded):
            raise self._entry_point.fault(f"returned {type(said).__name__[:60]}")
        if (problem := _problem(said, text, width, self.sizes)) is not None:
            raise self._entry_point.fault(problem)
        return said


def load_encoder(name: str, width: int) -> tuple[Encoder, Mapping[str, int]]:
    """Return an encoder and the sizes of its planes.

    Args:
        name: ``module:function``.
        width: Characters of a window.

    Raises:
        ConfigError: As :class:`CheckedEncoder` does, which the encoder is.
    """
    encoder = CheckedEncoder(name, width)
    assert encoder.sizes is not None, "known once the probe is encoded"
    return encoder, encoder.sizes


def _problem(said: Encoded, text: str, width: int, sizes: Mapping[str, int] | None) -> str | None:
    """Return what is wrong with a window as a clause, or ``None``."""
    if not isinstance(said.planes, Mapping) or not isinstance(said.sizes, Mapping):
        return "gave planes or sizes that are no mapping by name"
    if said.sizes.keys() != said.planes.keys() or (sizes is not None and said.sizes != sizes):
        return f"gave planes {shown(list(said.planes), 200)} of sizes {shown(said.sizes, 200)}, not one size a plane"
    if not _is_whole(said.start) or not 0 <= said.start <= len(text):
        return f"gave the start {shown(said.start)} in a text of {len(text)} characters"
    inside = min(width, len(text) - said.start)
    for name, ids in said.planes.items():
        size = said.sizes[name]
        if not isinstance(name, str) or name in BESIDE_PLANES:
            return f"called a plane {shown(name)}: give it a text, other than {' and '.join(BESIDE_PLANES)}"
        if not _is_whole(size) or not 1 <= size <= np.iinfo(np.int32).max:
            return f"gave plane {shown(name)} the size {shown(size)}"
        if not isinstance(ids, np.ndarray) or ids.dtype.kind not in "iu" or ids.shape != (inside,):
            return f"gave plane {shown(name)} that is no array of {inside} whole numbers"
        if inside and not (ids.min() >= 0 and ids.max() < size):
            return f"gave plane {shown(name)} ids outside 0 to {size - 1}"
    return None


def _is_whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def open_window(message: Message, encoder: Encoder, width: int) -> Window:
    """Return the window of a message.

    Args:
        message: The message.
        encoder: Places and encodes it.
        width: W, its most characters.
    """
    text = _SEAM.join(part.content for part in message.messages)
    encoded = encoder(text, width)
    inside = text[encoded.start : encoded.start + width]
    codes = np.zeros(width, np.uint32)
    codes[: len(inside)] = [_REPLACEMENT if _HALVES[0] <= ord(c) <= _HALVES[1] else ord(c) for c in inside]
    planes = {name: np.zeros(width, np.int32) for name in encoded.planes}
    for name, ids in encoded.planes.items():
        planes[name][: len(inside)] = ids
    return Window(message, text, encoded.start, len(inside), codes, planes)


def edit_of(action: object, width: int) -> NDArray[np.int64] | None:
    """Return an action as an edit, or ``None`` for one that is none: another shape, no whole numbers, or out of range.

    Args:
        action: What the agent sent.
        width: W.
    """
    try:
        edit = np.asarray(action)
    except (ValueError, TypeError, OverflowError, RuntimeError):  # ragged lists, and arrays of others that are no data
        return None
    if edit.shape != (width,) or edit.dtype.kind not in "iu" or edit.min() < 0 or edit.max() >= OPERATIONS:
        return None
    return edit.astype(np.int64)


def edited(codes: NDArray[np.uint32], actions: NDArray[np.int64]) -> list[str | None]:
    """Return the entries that edits spell.

    Args:
        codes: Code points of windows, uint32 (n, W), 0 behind the last.
        actions: What is done with each character, (n, W), each from 0 to 1 + V; behind the last they mean nothing.

    Returns:
        One a window: what it holds then, with ``.test`` behind it unless it ends so; ``None`` where nothing is left.
    """
    left = np.where(actions == KEEP, codes, _MAPPED[actions])
    left[codes == _NOTHING] = _NOTHING
    return [_finished(row[row != _NOTHING]) for row in left]


def _finished(codes: NDArray[np.uint32]) -> str | None:
    spelled = codes.astype("<u4").tobytes().decode("utf-32-le")
    if not spelled:
        return None
    return spelled if spelled.endswith(SUFFIX) else spelled + SUFFIX


def commit_of(window: Window, actions: NDArray[np.int64]) -> Commit:
    """Return the commit of an edit.

    The texts are the contents; what stands from the first to the last character that is not dropped gives way to the
    entry. The intent is left unknown.

    Args:
        window: The window.
        actions: What is done with each character, (W,).
    """
    entry = edited(window.codes[None], actions[None])[0]
    left = np.flatnonzero(actions[: window.length] != DROP)
    first = window.start + int(left[0]) if len(left) else -1
    behind = window.start + int(left[-1]) + 1 if len(left) else -1
    texts: dict[str, str] = {}
    start = 0
    for part in window.message.messages:
        end = start + len(part.content)
        text = part.content
        if entry is not None and first <= end and behind > start:
            put = entry if first >= start else ""
            text = f"{window.text[start : max(first, start)]}{put}{window.text[max(start, min(behind, end)) : end]}"
        texts.setdefault(part.message_id, _whole(text)[:MAX_TEXT])
        start = end + len(_SEAM)
    return Commit(
        reconstructed_messages=tuple(RestoredMessage(message_id=name, text=text) for name, text in texts.items()),
        platform=window.message.platform,
        entry_candidates=() if entry is None else (EntryCandidate(rank=1, value=entry),),
        abstain=entry is None,
    )


def _whole(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
