"""The copy restorer: the text as it is, and whatever already reads as an entry."""

from __future__ import annotations

import re

from riskchain_gym.agents.restore.intent import name_intent
from riskchain_gym.protocol.commit import MAX_CANDIDATES, Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.message import Message

_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ENTRY = re.compile(rf"(?<![a-z0-9.-]){_LABEL}\.{_LABEL}\.test(?![a-z0-9.-])")
_MOST_TEXT = 8000


class CopyRestorer:
    """Undoes nothing: what it scores is what a message gives away undisguised."""

    def restore(self, message: Message) -> Commit:
        """Return the session unchanged, with its plainly written entries in order of appearance.

        Args:
            message: The session.
        """
        texts: dict[str, str] = {}
        for part in message.messages:
            texts.setdefault(part.message_id, part.content[:_MOST_TEXT])
        entries = list(dict.fromkeys(entry for text in texts.values() for entry in _ENTRY.findall(text)))
        return Commit(
            reconstructed_messages=tuple(RestoredMessage(message_id=name, text=text) for name, text in texts.items()),
            intent=name_intent(list(texts.values()), entries),
            platform=message.platform,
            entry_candidates=tuple(
                EntryCandidate(rank=rank, value=value, confidence=0.5)
                for rank, value in enumerate(entries[:MAX_CANDIDATES], start=1)
            ),
            abstain=not entries,
        )
