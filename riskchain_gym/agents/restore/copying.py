"""The copy restorer: the text as it is, and whatever already reads as an entry."""

from __future__ import annotations

from riskchain_gym.agents.halves import without_halves
from riskchain_gym.agents.restore.entries import plain_entries
from riskchain_gym.agents.restore.intent import name_intent
from riskchain_gym.protocol.commit import MAX_CANDIDATES, Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.message import Message

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
            texts.setdefault(part.message_id, without_halves(part.content[:_MOST_TEXT]))
        entries = dict(entry.ranked[0] for text in texts.values() for entry in plain_entries(text))
        return Commit(
            reconstructed_messages=tuple(RestoredMessage(message_id=name, text=text) for name, text in texts.items()),
            intent=name_intent(list(texts.values()), list(entries)),
            platform=message.platform,
            entry_candidates=tuple(
                EntryCandidate(rank=rank, value=value, confidence=confidence)
                for rank, (value, confidence) in enumerate(list(entries.items())[:MAX_CANDIDATES], start=1)
            ),
            abstain=not entries,
        )
