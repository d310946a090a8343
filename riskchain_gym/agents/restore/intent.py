"""Names what a message asks its reader to do: hints in the wording, weighed by a log-linear model.

A hint is a group of words of like meaning (``intent_cues.txt``, by hand) and where one of them stands: before or after
the entry in its clause, in an earlier or a later clause, or anywhere. Each hint adds its weights to the intents'
scores, and the highest score wins. The weights (``intent_weights.txt``) are fitted on the messages of ``train`` by
:mod:`riskchain_gym.fitting.intents`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from riskchain_gym.agents.restore.tables import intent_cues, intent_weights
from riskchain_gym.protocol.codebook import Intent

ALWAYS = "always"
"""The hint that every message gives: its weights are the intents' head start."""

_MARK = "\ufdd0"
"""Stands for an entry while clauses are looked at; it is no character of any message."""

_CLAUSE = re.compile(r"[，。！？；,!?;\n]|(?<=[a-z])[.](?:\s|$)")


def name_intent(texts: Sequence[str], entries: Sequence[str]) -> Intent:
    """Return the intent of a restored session.

    Args:
        texts: Restored messages.
        entries: Entry values as they stand in the texts, the one that is meant first.
    """
    scores = [0.0] * len(Intent)
    for hint in hints(texts, entries):
        for place, weight in enumerate(intent_weights().get(hint, ())):
            scores[place] += weight
    return list(Intent)[scores.index(max(scores))]


def hints(texts: Sequence[str], entries: Sequence[str]) -> tuple[str, ...]:
    """Return the hints of a session in a fixed order, each once.

    Args:
        texts: Messages.
        entries: As for :func:`name_intent`.
    """
    places = _places("\n".join(texts), next(iter(entries), None))
    found = dict.fromkeys((ALWAYS,))
    for place, passage in places.items():
        if not passage:
            found[f"{place}:nothing"] = None
        for group, pattern in _patterns().items():
            if pattern.search(passage):
                found |= {f"{place}:{group}": None, f"anywhere:{group}": None}
    return tuple(found)


def _places(text: str, entry: str | None) -> dict[str, str]:
    """Return the passages of a text by where they stand to the entry; one passage when it names none."""
    text = text.lower()
    if entry:
        text = text.replace(entry, _MARK)
    clauses = [clause.strip() for clause in _CLAUSE.split(text) if clause.strip()]
    at = next((place for place, clause in enumerate(clauses) if _MARK in clause), None)
    if at is None:
        return {"no_entry": "\n".join(clauses)}
    before, _, after = clauses[at].partition(_MARK)
    return {
        "before": before,
        "after": after,
        "earlier": "\n".join(clauses[:at]),
        "later": "\n".join(clauses[at + 1 :]),
    }


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {group: re.compile("|".join(map(_as_pattern, words))) for group, words in intent_cues().items()}


def _as_pattern(word: str) -> str:
    return rf"(?<![a-z]){re.escape(word)}(?![a-z])" if word.isascii() else re.escape(word)
