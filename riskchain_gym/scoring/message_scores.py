"""The figures over a set of restored messages."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.message_figures import message_ratios
from riskchain_gym.scoring.messages import ScoredMessage


class MessageScores(Frozen):
    """The figures over a set of messages; rates are 0 to 1, ``None`` where no message of the kind is in the set.

    A message without a prediction counts as restored to nothing: wrong in every figure, a false entry too where there
    is no entry to find, a false edit where there was nothing to restore. A message here is a variant of a session,
    with all its texts.

    Attributes:
        messages: Gold rows in the set.
        sessions: Sessions that they are variants of.
        missing: How many messages have no prediction.
        with_entry: How many have an entry.
        without_entry: How many are known to have none: none that was imported is.
        untouched: Texts of the messages that were shown as they are; not known of imported messages.
        several_variants: Sessions with an entry of which two variants or more are in the set.
        entry_top1: Of those with an entry, share whose rank-1 candidate is right (historical policy).
        entry_top1_strict: The same by the strict policy.
        entry_top1_handoff: The same by the handoff policy.
        ceiling: Of those with an entry, what Entry Top-1 can reach; not known of imported messages.
        recall_at_1: Of those with an entry, share with the right entry among the first k candidates; k = 1 is Top-1.
        recall_at_2: For k = 2.
        recall_at_3: For k = 3.
        recall_at_5: For k = 5.
        lookups_at_1: Mean look-ups, over those with an entry, of an agent that tries its candidates in order of rank,
            at most k, until one resolves.
        lookups_at_2: For k = 2.
        lookups_at_3: For k = 3.
        lookups_at_5: For k = 5.
        false_entry: Of those without an entry, share for which one is named all the same.
        message_exact: Share with every text restored exactly.
        cer: Character error rate, pooled over the set and unclipped.
        token_error: Mixed token error rate, pooled and unclipped.
        intent_accuracy: Share with the right intent; not known of imported messages.
        full: Share with texts, intent, platform and rank-1 entry all right; not known of imported messages.
        abstain_rate: Of those with a prediction, share that abstains.
        false_edit: Of the untouched texts, share that was not given back as it stood.
        all_variants: Of the sessions with several variants, share with the right rank-1 entry in every one of them.
        any_variant: Of the same sessions, share with the right rank-1 entry in at least one.
        consistency: The first of the two over the second; ``None`` where no session has a right one.
    """

    messages: int
    sessions: int
    missing: int
    with_entry: int
    without_entry: int
    untouched: int
    several_variants: int
    entry_top1: float | None
    entry_top1_strict: float | None
    entry_top1_handoff: float | None
    ceiling: float | None
    recall_at_1: float | None
    recall_at_2: float | None
    recall_at_3: float | None
    recall_at_5: float | None
    lookups_at_1: float | None
    lookups_at_2: float | None
    lookups_at_3: float | None
    lookups_at_5: float | None
    false_entry: float | None
    message_exact: float
    cer: float | None
    token_error: float | None
    intent_accuracy: float | None
    full: float | None
    abstain_rate: float | None
    false_edit: float | None
    all_variants: float | None
    any_variant: float | None
    consistency: float | None


class PolicyDifference(Frozen):
    """A message whose rank-1 entry is right under some of the published policies and wrong under others.

    Attributes:
        entry: The canonical entry.
        candidate: The entry of the lowest rank, as it was written.
    """

    sample_id: str
    entry: str
    candidate: str | None
    historical: bool
    strict: bool
    handoff: bool


def summarize_messages(scored: Sequence[ScoredMessage]) -> MessageScores:
    """Return the figures of a set of scored messages.

    Raises:
        ValueError: The set is empty.
    """
    if not scored:
        raise ValueError("There is no message to summarise: give at least one.")
    ratios = message_ratios(scored)
    under = {name: float(ratio.under.sum()) for name, ratio in ratios.items()}
    points = {name: float(ratio.over.sum()) / under[name] if under[name] else None for name, ratio in ratios.items()}
    return MessageScores(
        messages=len(scored),
        sessions=len({each.row.session_id for each in scored}),
        missing=sum(each.commit is None for each in scored),
        with_entry=int(under["entry_top1"]),
        without_entry=int(under["false_entry"]),
        untouched=int(under["false_edit"]),
        several_variants=int(under["all_variants"]),
        **points,
    )


def policy_differences(scored: Sequence[ScoredMessage]) -> tuple[PolicyDifference, ...]:
    """Return the messages with an entry over which the three published policies disagree, in order."""
    return tuple(
        PolicyDifference(
            sample_id=each.row.sample_id,
            entry=each.row.entry,
            candidate=each.gate.candidate,
            historical=each.gate.passed,
            strict=each.gate.strict,
            handoff=each.gate.handoff,
        )
        for each in scored
        if each.row.entry is not None and len({each.gate.passed, each.gate.strict, each.gate.handoff}) > 1
    )
