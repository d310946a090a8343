"""The words as a trie with costs.

Words and counts come from two tables: everyday words written by hand, and the words of the ``train`` messages. A word's
share is the mean of its shares in the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, lru_cache

from riskchain_gym.agents.restore.tables import general_counts, hidden_words, train_counts

_UNSEEN = 9.5
"""Cost of a character that stands alone nowhere but in words, and most that each character of a word costs."""
_STRANGE = 16.0
"""Cost of a character that no word has: it hardly stands there as itself."""


@dataclass
class Node:
    """A trie node.

    Attributes:
        cost: Cost of the word that ends here; ``None`` where none does.
        is_hidden: Whether that word is one of those that messages of ``train`` hide behind sound-alikes.
        ways: The nodes one character on.
    """

    cost: float | None = None
    is_hidden: bool = False
    ways: dict[str, Node] = field(default_factory=dict)


@cache
def words() -> tuple[str, ...]:
    """Return every word of both tables, each once."""
    return tuple(dict.fromkeys((*general_counts(), *train_counts())))


@cache
def characters() -> tuple[str, ...]:
    """Return every character of the words, each once."""
    return tuple(dict.fromkeys("".join(words())))


@cache
def root() -> Node:
    """Return the trie of all words; a word's cost is minus the logarithm of its share."""
    top = Node()
    for word in words():
        node = top
        for char in word:
            node = node.ways.setdefault(char, Node())
        node.cost = word_cost(word)
        node.is_hidden = word in hidden_words()
    return top


@lru_cache(maxsize=65536)
def word_cost(word: str) -> float:
    """Return the cost of a word, in nats; one that neither table has costs as much as its characters.

    Args:
        word: One character or more.
    """
    share = (_share(general_counts(), word) + _share(train_counts(), word)) / 2
    if share:
        return min(-math.log(share), _UNSEEN * len(word))
    return sum(_UNSEEN if is_known(char) else _STRANGE for char in word)


def is_known(char: str) -> bool:
    """Tell whether a word has the character."""
    return char in _known()


@cache
def _known() -> frozenset[str]:
    return frozenset(characters())


@cache
def _total(of_train: bool) -> int:
    return sum((train_counts() if of_train else general_counts()).values())


def _share(counts: dict[str, int], word: str) -> float:
    return counts.get(word, 0) / _total(counts is train_counts())
