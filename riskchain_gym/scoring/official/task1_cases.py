"""One sample against its gold, as integers that can be summed over any set of samples (protocol B.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from riskchain_gym.messages.audit.hosts import live_hosts
from riskchain_gym.messages.official import PredictedEntry, PredictionRow
from riskchain_gym.scoring.gate import STRICT_ENTRY, handoff_entry, historical_entry
from riskchain_gym.scoring.official.task1_rows import GoldCase
from riskchain_gym.scoring.text import edit_distance, mixed_tokens, normalize_intent, normalize_text, token_distance


class CaseScore(NamedTuple):
    """What a sample adds to each sum: 0 or 1 where nothing else is said.

    Attributes:
        cases: 1.
        messages: Messages that were transformed.
        missing: Without a prediction.
        abstained: The model abstained, or did not answer.
        edits: Edit distance in characters, over its messages.
        characters: Characters of its canonical texts.
        token_edits: Edit distance in mixed tokens.
        tokens: Mixed tokens of its canonical texts.
        exact: All its messages are exact.
        exact_messages: Messages that are exact.
        intent: The intent is right.
        platform: The platform is right.
        top1: The candidate of the lowest rank is right (historical policy).
        topk: One of the first k candidates is right.
        full: Messages, intent, platform and one of the first k candidates are right.
        full_top1: Messages, intent, platform and the first candidate are right.
        live: Candidates among the first k that name a host outside the reserved name space.
        handoff: The first candidate of the list is right and the model did not abstain (handoff policy).
        strict: The candidate of rank 1 is right, letter by letter (strict policy).
        strict_entry: The canonical entry is one that the strict policy knows.
    """

    cases: int
    messages: int
    missing: int
    abstained: int
    edits: int
    characters: int
    token_edits: int
    tokens: int
    exact: int
    exact_messages: int
    intent: int
    platform: int
    top1: int
    topk: int
    full: int
    full_top1: int
    live: int
    handoff: int
    strict: int
    strict_entry: int


def score_case(gold: GoldCase, prediction: PredictionRow | None, *, top_k: int) -> CaseScore:
    """Score a sample.

    A message that the prediction lacks counts as an empty text. Without a prediction everything is empty, the model
    abstains and the platform is ``unknown``.

    Args:
        gold: What it must be restored to.
        prediction: What it was restored to.
        top_k: How many candidates are looked at.
    """
    texts = {m.message_id: m.text for m in prediction.reconstructed_messages} if prediction else {}
    pairs = [(normalize_text(texts.get(name, "")), normalize_text(text)) for name, text in gold.scored.items()]
    tokens = [(mixed_tokens(a), mixed_tokens(b)) for a, b in pairs]
    entry = gold.row.gold_reconstruction.entry_value
    named: Sequence[PredictedEntry] = prediction.entry_candidates if prediction else ()
    ranked = sorted(named, key=lambda candidate: candidate.rank)[:top_k]
    hits = [historical_entry(candidate.value) == historical_entry(entry) for candidate in ranked]
    exact = all(a == b for a, b in pairs)
    intent = normalize_intent(prediction.intent if prediction else "") == normalize_intent(gold.row.intent)
    platform = prediction is not None and prediction.platform == gold.row.platform
    known = STRICT_ENTRY.fullmatch(entry) is not None
    abstained = prediction is None or prediction.abstain
    return CaseScore(
        cases=1,
        messages=len(pairs),
        missing=prediction is None,
        abstained=abstained,
        edits=sum(edit_distance(a, b) for a, b in pairs),
        characters=sum(len(b) for _, b in pairs),
        token_edits=sum(token_distance(a, b) for a, b in tokens),
        tokens=sum(len(b) for _, b in tokens),
        exact=exact,
        exact_messages=sum(a == b for a, b in pairs),
        intent=intent,
        platform=platform,
        top1=any(hits[:1]),
        topk=any(hits),
        full=exact and intent and platform and any(hits),
        full_top1=exact and intent and platform and any(hits[:1]),
        live=sum(bool(live_hosts(candidate.value)) for candidate in ranked),
        handoff=not abstained and bool(named) and handoff_entry(named[0].value) == handoff_entry(entry),
        strict=known and bool(ranked) and ranked[0].rank == 1 and ranked[0].value == entry,
        strict_entry=known,
    )
