"""A committed restoration against the canonical message (protocol B.1)."""

from __future__ import annotations

from riskchain_gym.protocol.commit import Restoration
from riskchain_gym.protocol.gold import MessageGold
from riskchain_gym.protocol.outcome import RestorationResult
from riskchain_gym.scoring.gate import gate, historical_entry
from riskchain_gym.scoring.text import edit_distance, mixed_tokens, normalize_intent, normalize_text, token_distance


def score_restoration(commit: Restoration, gold: MessageGold) -> RestorationResult:
    """Score a restoration.

    A message that is missing from the commit counts as an empty text. An intent that is empty or none of the published
    ones is wrong, even where the gold is ``UNKNOWN``. Where the gold has no entry, any candidate is a false one: the
    restoration is full only without.
    """
    restored = {m.message_id: normalize_text(m.text) for m in commit.reconstructed_messages}
    pairs = [(restored.get(m.message_id, ""), normalize_text(m.text)) for m in gold.messages]
    tokens = [(mixed_tokens(a), mixed_tokens(b)) for a, b in pairs]
    exact = all(a == b for a, b in pairs)
    intent = normalize_intent(commit.intent) == normalize_intent(gold.intent)
    ranked = sorted(commit.entry_candidates, key=lambda c: c.rank)
    rank = None
    if gold.entry is not None:
        canonical = historical_entry(gold.entry)
        rank = next((i for i, c in enumerate(ranked, 1) if historical_entry(c.value) == canonical), None)
    return RestorationResult(
        message_exact=exact,
        edit_distance=sum(edit_distance(a, b) for a, b in pairs),
        reference_length=sum(len(b) for _, b in pairs),
        intent_correct=intent,
        full=exact and intent and commit.platform == gold.platform and gate(commit, gold.entry).passed,
        entry_rank=rank,
        candidates=len(ranked),
        token_distance=sum(token_distance(a, b) for a, b in tokens),
        reference_tokens=sum(len(b) for _, b in tokens),
    )


def canonical_length(gold: MessageGold) -> int:
    """Return how many code points the canonical texts of a session have in the published normal form."""
    return sum(len(normalize_text(message.text)) for message in gold.messages)
