"""Answers for the gate while an episode is played, so that no environment of a run needs gold for it."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import ValidationError

from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.scoring.gate import gate

Referee = Callable[[str], bool | None]
"""Says of an action whether it commits an entry that leads to the site; ``None`` of one that is no commit."""


def referee_of(gold: GoldChain) -> Referee:
    """Return who answers for the gate of a chain: one bit an action, and nothing else of the gold.

    Args:
        gold: The chain's gold; it stays with who answers.
    """

    def answer(action: str) -> bool | None:
        try:
            commit = Commit.model_validate_json(action)
        except (ValidationError, UnicodeEncodeError):
            return None
        return gate(commit, gold.entry).passed

    return answer
