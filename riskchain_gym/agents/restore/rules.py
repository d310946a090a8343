"""The rule restorer: codes, marks, entry, layout, noise, words, in that order, as far up the ladder as it is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from riskchain_gym.agents.halves import without_halves
from riskchain_gym.agents.restore.codes import CODE_BREAK, strip_codes
from riskchain_gym.agents.restore.entries import Found, find_entries, plain_entries
from riskchain_gym.agents.restore.intent import name_intent
from riskchain_gym.agents.restore.lattice import CAREFUL, EAGER, Scorer, read_run
from riskchain_gym.agents.restore.marks import drop_marks
from riskchain_gym.agents.restore.noise import drop_noise, tidy_spaces
from riskchain_gym.agents.restore.tables import choices
from riskchain_gym.protocol.commit import MAX_CANDIDATES, Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import Message, Platform

_HAN = re.compile("[\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff]+")
_MOST_TEXT = 8000
_MOST_DOUBTS = 20


class Rung(StrEnum):
    """The steps of the ladder; each holds those before it."""

    CODES = "codes"
    """Emoji codes stripped by shape; entries found only where they are plainly written."""
    LETTERS = "letters"
    """Look-alike letters, keycaps, invisible marks and dot surrogates read."""
    LAYOUT = "layout"
    """Line breaks, lost dots, noise symbols and stray spaces undone."""
    SOUNDS = "sounds"
    """Words read through sound-alike and look-alike characters."""
    PARTS = "parts"
    """Split characters joined: the whole ladder."""

    def holds(self, step: Rung) -> bool:
        """Say whether this rung is at or above a step."""
        rungs = list(Rung)
        return rungs.index(self) >= rungs.index(step)


@dataclass(frozen=True)
class _Restored:
    text: str
    found: tuple[Found, ...]
    doubts: tuple[str, ...]


class RulesRestorer:
    """Restores messages by rules and hand-written tables alone; it keeps nothing between calls.

    Args:
        rung: How far up the ladder it goes: ``codes``, ``letters``, ``layout``, ``sounds`` or ``parts`` (all of it).
        scorer: How likely words are after others; by default the counts of single words alone choose.

    Raises:
        ConfigError: There is no such rung.
    """

    def __init__(self, rung: str = Rung.PARTS, *, scorer: Scorer | None = None) -> None:
        if rung not in list(Rung):
            raise ConfigError(f"The rule restorer has no rung '{rung}': choose one of {', '.join(Rung)}.")
        self._rung = Rung(rung)
        self._scorer = scorer

    def restore(self, message: Message) -> Commit:
        """Return the restoration of one session.

        Args:
            message: Platform, surface and contents; nothing else is used.
        """
        restored = [_restore(part.content, message.platform, self._rung, self._scorer) for part in message.messages]
        ranked = _merge([found for part in restored for found in part.found])
        shown = list(dict.fromkeys(found.ranked[0][0] for part in restored for found in part.found))
        doubts = list(dict.fromkeys(doubt for part in restored for doubt in part.doubts))
        if not ranked:
            doubts.append("No entry was found.")
        return Commit(
            reconstructed_messages=_unique(message, restored),
            intent=name_intent([part.text for part in restored], shown),
            platform=message.platform,
            entry_candidates=ranked,
            abstain=not ranked,
            uncertainties=tuple(doubts[:_MOST_DOUBTS]),
        )


def _unique(message: Message, restored: list[_Restored]) -> tuple[RestoredMessage, ...]:
    """Pair texts with their ids; of a repeated id the first text stands."""
    texts: dict[str, str] = {}
    for part, result in zip(message.messages, restored, strict=True):
        texts.setdefault(part.message_id, result.text)
    return tuple(RestoredMessage(message_id=name, text=text) for name, text in texts.items())


def _merge(entries: list[Found]) -> tuple[EntryCandidate, ...]:
    """Rank the first choices of all entries in order of appearance before any second choice."""
    values: dict[str, float] = {}
    for depth in range(MAX_CANDIDATES):
        for found in entries:
            for value, confidence in found.ranked[depth : depth + 1]:
                values.setdefault(value, confidence)
    best = list(values.items())[:MAX_CANDIDATES]
    return tuple(EntryCandidate(rank=i, value=v, confidence=c) for i, (v, c) in enumerate(best, start=1))


def _restore(content: str, platform: Platform, rung: Rung, scorer: Scorer | None) -> _Restored:
    text = without_halves(content).replace("\r\n", "\n").replace("\r", "\n")
    marked, marks = drop_marks(text) if rung.holds(Rung.LETTERS) else (text, 0)
    plain, codes = strip_codes(marked, platform)
    found = _find(plain, rung)
    disguised = bool(marks or codes) or any(entry.disguised for entry in found)
    doubts = [doubt for entry in found for doubt in entry.doubts]
    pieces: list[str] = []
    cursor = 0
    for entry in [*found, None]:
        passage = plain[cursor : entry.start if entry else len(plain)]
        if disguised and rung.holds(Rung.LAYOUT):
            passage = tidy_spaces(drop_noise(passage), after_entry=cursor > 0, before_entry=entry is not None)
        words = _read_words(passage, plain, rung, EAGER if disguised else CAREFUL, scorer)
        if words != passage:
            doubts.append("Some characters were read as others they sound or look like, or as parts of one.")
        pieces.append(words)
        if entry:
            pieces.append(entry.ranked[0][0])
            cursor = entry.end
    text = "".join(pieces).replace(CODE_BREAK, "\n")
    if len(text) > _MOST_TEXT:
        doubts.append(f"The text was cut after {_MOST_TEXT} characters.")
    return _Restored(text[:_MOST_TEXT], tuple(found), tuple(doubts))


def _find(plain: str, rung: Rung) -> list[Found]:
    if not rung.holds(Rung.LETTERS):
        return plain_entries(plain)
    return find_entries(plain, layout=rung.holds(Rung.LAYOUT))


def _read_words(passage: str, plain: str, rung: Rung, penalty: float, scorer: Scorer | None) -> str:
    if not rung.holds(Rung.SOUNDS):
        return passage
    swaps = {
        written: wanted
        for written, wanted, evidence in choices()
        if written in plain and any(word in plain.replace(written, "\n") for word in evidence)
    }
    parts = rung.holds(Rung.PARTS)
    return _HAN.sub(lambda run: read_run(run[0], penalty, swaps, parts=parts, scorer=scorer), passage)
