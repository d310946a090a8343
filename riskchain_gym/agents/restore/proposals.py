"""The default proposer: the entries that a message may name, ranked, each with what speaks for it.

Candidates come from the rungs of the rules, from what is read once disguises are undone one by one
(:mod:`riskchain_gym.agents.restore.undo.hypotheses`), and from doubtful letters read otherwise; with
:func:`propose_learned` from the learned restorer too. The text of a reading is that of ``rules+lm`` with the candidate
in the place of its entry.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from riskchain_gym.agents.restore.entries import find_entries, plain_entries
from riskchain_gym.agents.restore.lookalikes import rivals
from riskchain_gym.agents.restore.proposal_features import (
    CONTEXT_NAMES,
    FEATURE_NAMES,
    Reading,
    context_features,
    reading_features,
)
from riskchain_gym.agents.restore.rules_lm import RulesLMRestorer
from riskchain_gym.agents.restore.undo.hypotheses import hypotheses, plain_text
from riskchain_gym.envs.wrappers.proposing import Proposals
from riskchain_gym.protocol.commit import MAX_CANDIDATES, Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.message import Message

if TYPE_CHECKING:
    from riskchain_gym.agents.restore.learned import LearnedRestorer

_RESPELLED = 3
"""How many candidates, from the likeliest, are read with one of their doubtful letters otherwise."""


def propose(message: Message, limit: int) -> Proposals:
    """Return the readings of a message; a function of the message alone.

    Args:
        message: The message.
        limit: How many entries there may be at most.
    """
    return _proposals(message, gather(message, limit))


def propose_learned(message: Message, limit: int) -> Proposals:
    """Return the readings of a message, those of the learned restorer among them; some tens of milliseconds a message.

    Args:
        message: The message.
        limit: How many entries there may be at most.

    Raises:
        InputFileError: The restorer's file is missing or damaged.
    """
    return _proposals(message, gather(message, limit, _learned().beam(message, MAX_CANDIDATES)))


def _proposals(message: Message, readings: Sequence[Reading]) -> Proposals:
    entries = (None, *(reading.entry for reading in readings))
    return Proposals(
        context=context_features(message, len(readings)),
        features=reading_features(readings, message),
        entries=entries,
        commit=partial(_commit, message, entries),
        context_names=CONTEXT_NAMES,
        feature_names=FEATURE_NAMES,
    )


def gather(message: Message, limit: int, learned: Sequence[tuple[str, float]] = ()) -> list[Reading]:
    """Return the candidates of a message, those with the largest sum of reciprocal ranks first.

    Args:
        message: The message.
        limit: How many at most.
        learned: What the learned restorer reads, the likeliest first, with the logarithms of their probabilities.
    """
    known: dict[str, Reading] = {}
    plains = [plain_text(part.content, message) for part in message.messages]
    _add(known, "plain", (found.ranked[0] for text in plains for found in plain_entries(text)))
    _add(known, "letters", _by_depth([f.ranked for text in plains for f in find_entries(text, layout=False)]))
    _add(known, "ladder", _by_depth([f.ranked for text in plains for f in find_entries(text)]))
    undone = hypotheses(message)
    _add(known, "undone", ((each.value, None) for each in undone))
    for each in undone:
        known[each.value].found = each
    _add(known, "learned", ((value, math.exp(min(score, 0.0))) for value, score in learned))
    best = _ranked(known)
    _add(known, "respelled", ((value, None) for reading in best[:_RESPELLED] for value in _respelled(reading.entry)))
    return _ranked(known)[:limit]


def _add(known: dict[str, Reading], source: str, found: Iterable[tuple[str, float | None]]) -> None:
    for value, confidence in found:
        reading = known.setdefault(value, Reading(value, {}, {}))
        reading.ranks.setdefault(source, sum(source in other.ranks for other in known.values()))
        if confidence is not None and source in ("ladder", "learned"):
            reading.confidence.setdefault(source, confidence)


def _by_depth(entries: Sequence[Sequence[tuple[str, float]]]) -> Iterator[tuple[str, float]]:
    """Yield the first choices of all entries before any second choice."""
    for depth in range(MAX_CANDIDATES):
        for ranked in entries:
            yield from ranked[depth : depth + 1]


def _respelled(entry: str) -> Iterator[str]:
    stem, end = entry[: -len(".test")], entry[-len(".test") :]
    for place, char in enumerate(stem):
        for other in rivals(char, char)[0]:
            yield f"{stem[:place]}{other}{stem[place + 1 :]}{end}"


def _ranked(known: dict[str, Reading]) -> list[Reading]:
    return sorted(known.values(), key=lambda reading: -reading.score)


@cache
def _learned() -> LearnedRestorer:
    from riskchain_gym.agents.restore.learned import LearnedRestorer

    return LearnedRestorer()


@cache
def _restorer() -> RulesLMRestorer:
    return RulesLMRestorer()


def _commit(message: Message, entries: Sequence[str | None], row: int) -> Commit:
    """Return the commit of a row: its entry first and those of the other rows behind it, in order."""
    base = _restorer().restore(message)
    chosen = entries[row]
    if chosen is None:
        return base.model_copy(update={"entry_candidates": (), "abstain": True})
    others = [entry for entry in entries if entry not in (None, chosen)]
    ranked = [chosen, *others][:MAX_CANDIDATES]
    texts = base.reconstructed_messages
    if base.entry_candidates:
        named = base.entry_candidates[0].value
        texts = tuple(
            RestoredMessage(message_id=each.message_id, text=each.text.replace(named, chosen)) for each in texts
        )
    return base.model_copy(
        update={
            "reconstructed_messages": texts,
            "entry_candidates": tuple(
                EntryCandidate(rank=rank, value=str(value), confidence=round(1 / (rank + 1), 4))
                for rank, value in enumerate(ranked, start=1)
            ),
            "abstain": False,
        }
    )
