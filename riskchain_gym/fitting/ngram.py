"""Fits the trigram model of ``rules+lm``: ``python -m riskchain_gym.fitting.ngram [--check]``.

It is counted on the canonical messages and the wording of the sites of ``train``, both drawn from seed 2026, cut into
words as the lattice cuts them. A text counts once, however often it occurs.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from riskchain_gym.agents.restore.lattice import cut_run
from riskchain_gym.agents.restore.ngram import START, Words, model_file, write_counts
from riskchain_gym.agents.restore.rules_lm import MODEL
from riskchain_gym.agents.restore.vocabulary import word_cost
from riskchain_gym.benchmark.pool import planned_orders, pool_key, site_of
from riskchain_gym.fitting.words import write_or_check
from riskchain_gym.messages.drafts import draft_unit
from riskchain_gym.messages.plans import get_plan
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.library import library
from riskchain_gym.sites.slots import Slot, iter_slots

SEED = 2026
"""The public seed of the splits."""

SESSIONS = 12_000
"""Sessions of the message split that are drawn; more bring hardly a new sentence."""

_SPLIT = "train"
_CHINESE = ("zh-CN", "mixed")
_NEVER_SHOWN = ".fixture"
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}")
_LONE = 7.5
"""Most that a character costs which is a word by itself, in nats; chosen on messages of ``dev``."""
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")


def message_texts(seed: int = SEED, sessions: int = SESSIONS) -> Iterator[str]:
    """Yield the canonical texts of the first sessions of the message split ``train``.

    Args:
        seed: Public seed of the split.
        sessions: How many sessions.
    """
    plan, key = get_plan(_SPLIT), key_from_seed(seed)
    for number in range(sessions):
        for draft in draft_unit(plan, key, number):
            yield from (message.text for message in draft.plain.messages)


def site_texts(seed: int = SEED) -> Iterator[str]:
    """Yield what the pages of the sites of ``train`` show in one state or another, those in simplified characters.

    Args:
        seed: Public seed of the pool.
    """
    root, key = content_dir("sites"), pool_key(key_from_seed(seed))
    for order in planned_orders(key, library(root)):
        if order.part != _SPLIT or order.lang not in _CHINESE:
            continue
        site, _, _ = site_of(root, key, order)
        for page in site.pages.values():
            for slot, text, place in iter_slots(page):
                if slot is Slot.TEXT and not place.endswith(_NEVER_SHOWN):
                    yield _PLACEHOLDER.sub("\n", text)


def count_trigrams(texts: Iterable[str]) -> Counter[Words]:
    """Count the trigrams of words in texts; texts with the same Chinese runs count once.

    Trigrams with a character that hardly stands alone are left out: it is a piece of a word that the vocabulary lacks,
    and would teach the model to take words to pieces.

    Args:
        texts: Any texts; all but runs of Chinese characters is passed over.
    """
    counts: Counter[Words] = Counter()
    for runs in dict.fromkeys(tuple(_HAN.findall(text)) for text in texts):
        for run in runs:
            words = (START, START, *cut_run(run))
            counts.update(zip(words, words[1:], words[2:], strict=False))
    return Counter({words: count for words, count in counts.items() if not any(map(_is_piece, words))})


def _is_piece(word: str) -> bool:
    return len(word) == 1 and word != START and word_cost(word) > _LONE


def fitted_table() -> bytes:
    """Return the table of the model: the same bytes each time."""
    texts = (text for source in (message_texts(), site_texts()) for text in source)
    return write_counts(count_trigrams(texts)).encode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the model, or check that it is as it would be written; return the exit code.

    Args:
        arguments: The command line without the program's name; that of the process by default.
    """
    parser = argparse.ArgumentParser(prog="python -m riskchain_gym.fitting.ngram", description="Fit rules+lm's model.")
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    options = parser.parse_args(arguments)
    return write_or_check({model_file(MODEL): fitted_table()}, check=options.check)


if __name__ == "__main__":
    sys.exit(main())
