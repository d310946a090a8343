"""The normalize restorer: Unicode's compatibility form and look-alike letters folded, and nothing else."""

from __future__ import annotations

import unicodedata

from riskchain_gym.agents.restore.copying import CopyRestorer
from riskchain_gym.agents.restore.tables import letters
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.message import Message

_CHINESE_MARKS = frozenset("，：；！？（）～…")
"""Full-width marks that NFKC would turn into ASCII ones although Chinese text is written with them."""


class NormalizeRestorer:
    """What a message gives away to general-purpose normalisation, which knows nothing of this benchmark.

    Texts get Unicode's NFKC form, but for the punctuation of Chinese text; letters of other scripts that are drawn like
    an ASCII one become that one. Entries are taken where they stand in plain letters after that.
    """

    def restore(self, message: Message) -> Commit:
        """Return the session normalised.

        Args:
            message: The session.
        """
        parts = tuple(part.model_copy(update={"content": normalized(part.content)}) for part in message.messages)
        return CopyRestorer().restore(message.model_copy(update={"messages": parts}))


def normalized(text: str) -> str:
    """Return a text in NFKC form, Chinese marks kept, with look-alike letters as ASCII ones.

    Running it again changes nothing.

    Args:
        text: Any text.
    """
    composed = unicodedata.normalize("NFC", text)
    plain = "".join(char if char in _CHINESE_MARKS else unicodedata.normalize("NFKC", char) for char in composed)
    folded = "".join(letters().get(char, char) for char in unicodedata.normalize("NFC", plain))
    return folded if folded == text else normalized(folded)
