"""What editing right looks like: the operations that spell a session's entry, from its reversible trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.wrappers.editing import DROP, ENTRY_CHARACTERS, KEEP, MAP, SUFFIX, Window, edited
from riskchain_gym.envs.wrappers.restoration import ranked
from riskchain_gym.messages.trace import alignment
from riskchain_gym.protocol.gold import MessageGold
from riskchain_gym.scoring.gate import gate

_SEAM = "\n"


class EditTarget(NamedTuple):
    """The supervision of one session.

    Attributes:
        actions: An operation for each place of the window, int64 (W,); everything is dropped where none is known.
        exact: Whether they commit a restoration that opens the gate.
    """

    actions: NDArray[np.int64]
    exact: bool


def edit_target(window: Window, gold: MessageGold, variant: str) -> EditTarget:
    """Return the operations on a window that spell the entry, for cloning.

    Every character of the first two labels is put where the trace says that it comes from; of several that come from
    one place the later ones take the places behind it, which would be dropped. The suffix is dropped, since the
    environment adds it. A dot between labels that stand apart takes the place behind the first label.

    Args:
        window: The window of the session's message.
        gold: What must be restored.
        variant: Which disguise the window shows.

    Raises:
        TraceError: The gold belongs to another message.
    """
    actions = np.full(len(window.codes), DROP, np.int64)
    if gold.entry is not None:
        wanted = gold.entry.removesuffix(SUFFIX)
        found = (_placed(places, window) for places in _origins(window, gold, variant, wanted))
        places = next((placed for placed in found if placed is not None), None)
        if places is not None:
            for place, char in zip(places, wanted, strict=True):
                actions[place] = KEEP if window.codes[place] == ord(char) else MAP + ENTRY_CHARACTERS.index(char)
    entry = edited(window.codes[None], actions[None])[0]
    return EditTarget(actions, gate(ranked(entry), gold.entry).passed)


def _origins(window: Window, gold: MessageGold, variant: str, wanted: str) -> Iterator[list[int]]:
    """Yield, for each place in the canonical texts that holds the entry, where its characters come from."""
    canonical, origins = _aligned(window, gold, variant)
    for found in re.finditer(rf"(?<![a-z0-9.-]){re.escape(wanted + SUFFIX)}(?![a-z0-9-])", canonical):
        yield origins[found.start() : found.start() + len(wanted)]
    first, second = wanted.split(".")
    for head in re.finditer(rf"(?<![a-z0-9.-]){re.escape(first)}(?![a-z0-9.-])", canonical):
        for tail in re.finditer(rf"(?<![a-z0-9.-]){re.escape(second + SUFFIX)}(?![a-z0-9-])", canonical):
            if head.end() <= tail.start():
                dot = origins[head.end() - 1] + 1
                yield [*origins[head.start() : head.end()], dot, *origins[tail.start() : tail.start() + len(second)]]


def _aligned(window: Window, gold: MessageGold, variant: str) -> tuple[str, list[int]]:
    """Return the canonical texts, a line break between them, and for each character its place in the window's text."""
    plain = {message.message_id: message.text for message in gold.messages}
    stages = gold.traces[variant].stages
    canonical: list[str] = []
    origins: list[int] = []
    start = 0
    for part in window.message.messages:
        aligned = alignment(plain[part.message_id], stages.get(part.message_id, ()))
        for place, each in enumerate(aligned):
            canonical.append(each.target)
            origins += [start + place] * len(each.target)
        start += len(part.content) + len(_SEAM)
        canonical.append(_SEAM)
        origins.append(start - 1)
    return "".join(canonical), origins


def _placed(origins: list[int], window: Window) -> list[int] | None:
    """Return a place of the window for each character, in order, none twice; ``None`` where it does not hold them."""
    places = [origin - window.start for origin in origins]
    if min(places) < 0 or max(places) >= window.length or len(places) > window.length:
        return None
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + 1)
    last = window.length
    for i in reversed(range(len(places))):
        places[i] = last = min(places[i], last - 1)
    return places if places[0] >= 0 else None
