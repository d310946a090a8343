"""What each character of a disguised message carries: labels for the learned restorer."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.agents.restore.learned_text import ALPHABET, SUFFIX
from riskchain_gym.agents.restore.lookalikes import fold
from riskchain_gym.messages.skeletons import Form
from riskchain_gym.messages.trace import Aligned
from riskchain_gym.protocol.gold import MessageGold

NOTHING, SUFFIX_LABEL, OTHER_ADDRESS = 0, len(ALPHABET) + 1, len(ALPHABET) + 2
"""Labels of characters; those between them are the characters of entries in order."""

UNKNOWN = -100
"""Label of a character that nothing is known of."""

_REMOVED = 4
"""Most characters that one stands for of which all but the last were taken away, as dots are."""


def carried(aligned: Sequence[Aligned], canonical: str, gold: MessageGold) -> tuple[list[int], list[int]]:
    """Return what each character of a message carries and, for those of the entry, which character of it.

    Args:
        aligned: The characters of the disguised message, each with what it stands for.
        canonical: The message before it was disguised.
        gold: Of its session.
    """
    of_entry: dict[int, int] = {}
    others: set[int] = set()
    if gold.entry:
        first, _, rest = gold.entry.partition(".")
        parts = ((gold.entry, 0),) if gold.form != Form.SPLIT else ((first, 0), (rest, len(first) + 1))
        for value, begin in parts:
            at = canonical.find(value)
            if at >= 0:
                of_entry |= {at + i: begin + i for i in range(len(value))}
        for decoy in gold.decoys:
            at = canonical.find(decoy)
            others |= set(range(at, at + len(decoy))) if at >= 0 else set()
    labels = [NOTHING] * len(aligned)
    owners = [UNKNOWN] * len(aligned)
    length = len(gold.entry.removesuffix(SUFFIX)) if gold.entry else 0
    done = at = 0
    while at < len(aligned):
        target = aligned[at].target
        end = at + 1
        while end < len(aligned) and not aligned[end].target:
            end += 1
        meant = [i for i in range(done, done + len(target)) if i in of_entry]
        if any(i in others for i in range(done, done + len(target))):
            labels[at:end] = [OTHER_ADDRESS] * (end - at)
        elif meant and len(target) == 1:
            _carry(labels, owners, at, of_entry[done], target, length)
        elif meant:
            places = found_in(fold("".join(each.character for each in aligned[at:end])), target)
            if places is None:
                labels[at:end] = [UNKNOWN] * (end - at)
            else:
                for i, place in places.items():
                    if done + i in of_entry:
                        _carry(labels, owners, at + place, of_entry[done + i], target[i], length)
        done += len(target)
        at = end
    return labels, owners


def _carry(labels: list[int], owners: list[int], place: int, owner: int, character: str, length: int) -> None:
    owners[place] = owner
    labels[place] = SUFFIX_LABEL if owner >= length else 1 + ALPHABET.index(character)


def found_in(shown: str, target: str) -> dict[int, int] | None:
    """Return where the characters of a text stand in what shows it as a whole, or ``None`` where that is unclear.

    Args:
        shown: What is shown, folded.
        target: The text.
    """
    if len(target) <= _REMOVED and shown[:1] == target[-1]:
        return {len(target) - 1: 0}
    if (at := shown.find(target[::-1])) >= 0:
        return {i: at + len(target) - 1 - i for i in range(len(target))}
    if "\n" in shown and (columns := _columns(shown, target)):
        return columns
    found: dict[int, int] = {}
    free = list(shown)
    i = 0
    while i < len(target):
        size = next((n for n in range(len(target) - i, 0, -1) if target[i : i + n] in "".join(free)), 0)
        if size:
            at = "".join(free).find(target[i : i + size])
            for step in range(size):
                found[i + step] = at + step
                free[at + step] = "\x01"
        elif target[i] != ".":
            return None
        i += max(size, 1)
    return found


def _columns(shown: str, target: str) -> dict[int, int] | None:
    lines: list[list[tuple[str, int]]] = [[]]
    for place, char in enumerate(shown):
        if char == "\n":
            lines.append([])
        else:
            lines[-1].append((char, place))
    lines = [line for line in lines if line]
    width = len(lines[0]) if lines else 0
    lines = [line for line in lines if len(line) == width]
    read = [lines[row][column] for column in reversed(range(width)) for row in range(len(lines))]
    if not "".join(char for char, _ in read).startswith(target):
        return None
    return {i: read[i][1] for i in range(len(target))}
