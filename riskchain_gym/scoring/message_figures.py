"""The figures of a set of restored messages, each a sum over messages divided by another (protocol B.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from riskchain_gym.messages.pairs import IMPORTED
from riskchain_gym.scoring.figures import LOOKUPS, Ratio
from riskchain_gym.scoring.messages import ScoredMessage
from riskchain_gym.scoring.text import normalize_text


def message_ratios(scored: Sequence[ScoredMessage]) -> dict[str, Ratio]:
    """Return every figure of a set, as what each message adds above and below the line.

    What is counted by session, the consistency over variants, stands with the session's first message; all messages
    of a session must therefore be drawn together.

    Args:
        scored: The messages, n of them, every sample id once.

    Returns:
        Name to ratio of columns of shape (n,), always the same names; nothing below the line where no message of the
        kind is in the set.
    """
    has_entry = [each.row.entry is not None for each in scored]
    ours = [each.row.recipe != IMPORTED for each in scored]
    everyone = [True] * len(scored)

    def share(of: Iterable[bool], right: Callable[[ScoredMessage], float]) -> Ratio:
        asked = list(of)
        return _ratio((right(each) if one else 0 for one, each in zip(asked, scored, strict=True)), asked)

    ratios = {
        "entry_top1": share(has_entry, lambda each: each.gate.passed),
        "entry_top1_strict": share(has_entry, lambda each: each.gate.strict),
        "entry_top1_handoff": share(has_entry, lambda each: each.gate.handoff),
        "ceiling": share(
            (each.row.entry is not None and each.row.ceiling is not None for each in scored),
            lambda each: each.row.ceiling or 0.0,
        ),
        **{f"recall_at_{k}": share(has_entry, _found_within(k)) for k in LOOKUPS},
        **{f"lookups_at_{k}": share(has_entry, _lookups(k)) for k in LOOKUPS},
        "false_entry": share(
            (known and not found for known, found in zip(ours, has_entry, strict=True)),
            lambda each: each.commit is None or bool(each.commit.entry_candidates),
        ),
        "message_exact": share(everyone, lambda each: each.commit is not None and each.result.message_exact),
        "cer": _ratio(
            (each.result.edit_distance for each in scored), (each.result.reference_length for each in scored)
        ),
        "token_error": _ratio(
            (each.result.token_distance for each in scored), (each.result.reference_tokens for each in scored)
        ),
        "intent_accuracy": share(ours, lambda each: each.commit is not None and each.result.intent_correct),
        "full": share(ours, lambda each: each.commit is not None and each.result.full),
        "abstain_rate": share(
            (each.commit is not None for each in scored), lambda each: each.commit is not None and each.commit.abstain
        ),
        "false_edit": _ratio((_changed(each) for each in scored), (len(_untouched(each)) for each in scored)),
    }
    return ratios | _consistency(scored)


def variant_gates(scored: Iterable[ScoredMessage]) -> dict[str, tuple[bool, ...]]:
    """Return the gate (historical policy) of every variant that is there, by session id, in order of the messages.

    Sessions without an entry are left out: there is no gate to open.
    """
    gates: dict[str, list[bool]] = defaultdict(list)
    for each in scored:
        if each.row.entry is not None:
            gates[each.row.session_id].append(each.gate.passed)
    return {session: tuple(passed) for session, passed in gates.items()}


def all_variant_gate(gates: Mapping[str, Sequence[bool]]) -> dict[str, bool]:
    """Return the gate that opens only where every variant of a session leads to the right entry.

    Args:
        gates: The gate of each variant by session, e.g. of :func:`variant_gates`; what was not restored is ``False``.

    Raises:
        ValueError: A session has no variant.
    """
    if empty := [session for session, passed in gates.items() if not passed]:
        raise ValueError(f"Session '{empty[0]}' has no variant: give the gate of at least one.")
    return {session: all(passed) for session, passed in gates.items()}


def _consistency(scored: Sequence[ScoredMessage]) -> dict[str, Ratio]:
    several = {session: passed for session, passed in variant_gates(scored).items() if len(passed) > 1}
    everywhere = all_variant_gate(several)
    seen: set[str] = set()
    columns = np.zeros((3, len(scored)))
    for place, each in enumerate(scored):
        session = each.row.session_id
        if session in several and session not in seen:
            seen.add(session)
            columns[:, place] = 1, everywhere[session], any(several[session])
    sessions, in_all, in_any = columns
    return {
        "all_variants": Ratio(in_all, sessions),
        "any_variant": Ratio(in_any, sessions),
        "consistency": Ratio(in_all, in_any),
    }


def _untouched(each: ScoredMessage) -> dict[str, str]:
    """Return the texts that were shown as they are, in normal form: nothing in the trace has changed them."""
    if each.row.recipe == IMPORTED:
        return {}
    stages = each.row.trace.stages
    return {m.message_id: normalize_text(m.text) for m in each.row.messages if not stages.get(m.message_id)}


def _changed(each: ScoredMessage) -> int:
    plain = _untouched(each)
    if each.commit is None:
        return len(plain)
    restored = {m.message_id: normalize_text(m.text) for m in each.commit.reconstructed_messages}
    return sum(restored.get(message_id, "") != text for message_id, text in plain.items())


def _found_within(k: int) -> Callable[[ScoredMessage], bool]:
    return lambda each: each.result.entry_rank is not None and each.result.entry_rank <= k


def _lookups(k: int) -> Callable[[ScoredMessage], int]:
    return lambda each: min(each.result.entry_rank or each.result.candidates, k)


def _ratio(over: Iterable[float], under: Iterable[float]) -> Ratio:
    return Ratio(np.array(list(over), dtype=np.float64), np.array(list(under), dtype=np.float64))
