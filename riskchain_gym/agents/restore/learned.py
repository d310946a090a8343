"""The learned restorer: a small network spells the entry, the rules with a word model restore the words around it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.agents.restore.intent import name_intent
from riskchain_gym.agents.restore.learned_model import MODEL, load_network
from riskchain_gym.agents.restore.learned_network import Floats, Spelling
from riskchain_gym.agents.restore.learned_text import ALPHABET, SUFFIX, row_of, session_text, window
from riskchain_gym.agents.restore.rules_lm import RulesLMRestorer
from riskchain_gym.protocol.commit import MAX_CANDIDATES, Commit, EntryCandidate
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import Message

BEAMS = 5
"""Strings that the search keeps at each step."""

TRUST = 10.0
"""What the first reading of the rules has ahead of the network's own, in nats; chosen on messages of ``dev``."""

_MOST_BEAMS = 64
_ENTRY = re.compile(r"[a-z0-9]+\.[a-z0-9]+")
_CARRIERS = range(1, len(ALPHABET) + 2)
"""Labels of characters that carry a part of the entry or of its suffix."""

_UNSURE = math.log(0.5)


@dataclass(frozen=True)
class _Read:
    text: str
    start: int
    memory: Floats
    ranked: tuple[Spelling, ...]


class LearnedRestorer:
    """Restores entries with a network trained on ``train``, texts and intents as ``rules+lm`` does.

    The network ranks what it spells and what the rules read. It keeps nothing between calls.

    Args:
        model: File name of the network in ``baselines/models/``.
        beams: Strings that the search keeps, from 1 to 64.
        trust: What the first reading of the rules has ahead, in nats, 0 or more.

    Raises:
        ConfigError: A number is none, or outside these bounds.
        InputFileError: The model's file is missing or damaged.
    """

    def __init__(self, model: str = MODEL, *, beams: int = BEAMS, trust: float = TRUST) -> None:
        if not _is_number(beams, Integral) or not 1 <= beams <= _MOST_BEAMS:
            raise ConfigError(f"The search cannot keep {beams!r} strings: give a whole number from 1 to {_MOST_BEAMS}.")
        if not _is_number(trust, Real) or not 0 <= trust < math.inf:
            raise ConfigError(f"The trust in the rules is {trust!r}: give a number of nats, 0 or more.")
        self._network = load_network(model)
        self._beams = int(beams)
        self._trust = float(trust)
        self._rules = RulesLMRestorer()

    def beam(self, message: Message, k: int = MAX_CANDIDATES) -> list[tuple[str, float]]:
        """Return the entries that the network finds likeliest, each with the natural logarithm of its probability.

        The rules take no part. Nothing is returned where it spells no entry at all.

        Args:
            message: The session.
            k: How many at most.
        """
        found = self._read(message, max(k, self._beams)).ranked
        return [(each.text + SUFFIX, each.score) for each in found if _ENTRY.fullmatch(each.text)][:k]

    def restore(self, message: Message) -> Commit:
        """Return the restoration of one session.

        Args:
            message: Platform, surface and contents; nothing else is used.
        """
        by_rules = self._rules.restore(message)
        read = self._read(message, self._beams)
        ranked = self._with_rules(read, by_rules)
        if not ranked or not ranked[0].text:
            doubts = (*by_rules.uncertainties, "No entry was found.")
            return by_rules.model_copy(
                update={"entry_candidates": (), "abstain": True, "uncertainties": tuple(dict.fromkeys(doubts))[:20]}
            )
        best = ranked[0]
        entry = best.text + SUFFIX
        commit = by_rules if _first(by_rules) == entry else self._reread(message, read, best, by_rules)
        doubts = commit.uncertainties
        if best.score < _UNSURE:
            doubts = (*doubts, "The entry is one of several readings.")
        return Commit(
            reconstructed_messages=commit.reconstructed_messages,
            intent=name_intent([part.text for part in commit.reconstructed_messages], [entry]),
            platform=message.platform,
            entry_candidates=_candidates(ranked),
            uncertainties=tuple(dict.fromkeys(doubts))[:20],
        )

    def _read(self, message: Message, beams: int) -> _Read:
        text, roles = session_text(message)
        start, end = window(text)
        begun = text.count("\0", 0, start)
        row = row_of(text[start:end], roles[begun:], self._network.vocabulary)
        memory = self._network.read(row)
        ranked = tuple(
            each for each in self._network.spell(memory, beams) if not each.text or _ENTRY.fullmatch(each.text)
        )
        return _Read(text, start, memory, ranked)

    def _with_rules(self, read: _Read, by_rules: Commit) -> list[Spelling]:
        """Return the network's strings and the first reading of the rules, likeliest first."""
        known = {each.text: each for each in read.ranked}
        favourite = _first(by_rules).removesuffix(SUFFIX)
        if favourite and favourite not in known and len(favourite) <= 64:
            (score,) = self._network.score(read.memory, [favourite])
            known[favourite] = Spelling(favourite, score, ())
        return sorted(known.values(), key=lambda each: -(each.score + (self._trust if each.text == favourite else 0.0)))

    def _reread(self, message: Message, read: _Read, best: Spelling, by_rules: Commit) -> Commit:
        """Return what the rules make of the session with the entry written out where the network read it."""
        span = self._span(read, best)
        if span is None:
            return by_rules
        start, end = (read.start + place for place in span)
        number = read.text.count("\0", 0, start) - 1
        begin = read.text.rfind("\0", 0, start) + 1
        stop = read.text.find("\0", begin)
        content = read.text[begin : None if stop < 0 else stop]
        if end > begin + len(content):
            return by_rules
        plain = f"{content[: start - begin]}{best.text}{SUFFIX}{content[end - begin :]}"
        parts = list(message.messages)
        parts[number] = parts[number].model_copy(update={"content": plain})
        return self._rules.restore(message.model_copy(update={"messages": tuple(parts)}))

    def _span(self, read: _Read, best: Spelling) -> tuple[int, int] | None:
        """Return the stretch of characters that carry the entry, if it lies within one message."""
        if not best.looks:
            return None
        carries = np.isin(self._network.labels(read.memory), _CARRIERS)
        first, last = min(best.looks), max(best.looks)
        places: NDArray[np.int64] = np.flatnonzero(carries)
        near = [int(place) for place in _run(places, first, last)]
        return min([first, *near]), max([last, *near]) + 1


def _is_number(value: Any, kind: type[Any]) -> bool:
    """Say whether a value is a number of a kind, numpy's too; what is true or false is none."""
    return isinstance(value, kind) and not isinstance(value, bool)


_GAP = 8


def _run(places: Sequence[int] | NDArray[np.int64], first: int, last: int) -> list[int]:
    """Return the places that lie between two others, or follow on one another from there without a wide gap."""
    found = [place for place in places if first <= place <= last]
    low, high = first, last
    for place in sorted(place for place in places if place > last):
        if place - high > _GAP:
            break
        high = place
        found.append(place)
    for place in sorted((place for place in places if place < first), reverse=True):
        if low - place > _GAP:
            break
        low = place
        found.append(place)
    return found


def _first(commit: Commit) -> str:
    return min(commit.entry_candidates, key=lambda each: each.rank).value if commit.entry_candidates else ""


def _candidates(ranked: Sequence[Spelling]) -> tuple[EntryCandidate, ...]:
    entries = [each for each in ranked if each.text][:MAX_CANDIDATES]
    return tuple(
        EntryCandidate(rank=rank, value=each.text + SUFFIX, confidence=round(min(1.0, math.exp(each.score)), 4))
        for rank, each in enumerate(entries, start=1)
    )
