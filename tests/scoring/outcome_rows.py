"""Outcomes written by hand, and drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Decision, ViolationType
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.outcome import GateResult, LabelResult, Outcome, RestorationResult, ValidatorResult

A, B = CONCRETE_TYPES[:2]
V, N, U = Decision


def outcome(
    chain: str,
    gold: Decision,
    gold_type: ViolationType,
    said: Decision | None,
    said_type: ViolationType | None,
    *,
    rank: int | None = 1,
    candidates: int | None = None,
    strict: bool = True,
    handoff: bool = True,
) -> Outcome:
    """Return the outcome of a case whose right entry was ranked so, and whose report said so."""
    label = LabelResult(gold_decision=gold, gold_type=gold_type, predicted_decision=said, predicted_type=said_type)
    web, passed = int(label.decision_correct), rank == 1
    return Outcome(
        chain_id=chain,
        status=EpisodeStatus.REPORTED if said else EpisodeStatus.MISSING_REPORT,
        label=label,
        gate=GateResult(passed=passed, strict=passed and strict, handoff=passed and handoff),
        restoration=RestorationResult(
            message_exact=passed,
            edit_distance=0 if passed else 3,
            reference_length=30,
            intent_correct=True,
            full=passed,
            entry_rank=rank,
            candidates=candidates or rank or 0,
        ),
        web_correct=web,
        end_to_end_correct=passed * web,
        gate_loss=(1 - passed) * web,
        validator=ValidatorResult(valid=True),
    )


@st.composite
def outcomes(draw: st.DrawFn, *, least: int = 1) -> list[Outcome]:
    """Return the outcomes of a few chains, some of them lost to infrastructure."""
    rows: list[Outcome] = []
    for i in range(draw(st.integers(least, 12))):
        gold, said = draw(st.sampled_from(list(Decision))), draw(st.sampled_from([None, *Decision]))
        types = {d: PSEUDO_TYPES.get(d) or draw(st.sampled_from([A, B])) for d in Decision}
        rank = draw(st.sampled_from([None, 1, 2, 3, 4, 5]))
        extra = draw(st.integers(0, 2))
        row = outcome(
            str(i), gold, types[gold], said, types[said] if said else None, rank=rank, candidates=(rank or 0) + extra
        )
        if draw(st.integers(0, 4)) == 0:
            row = lost(row)
        rows.append(row)
    return rows


def lost(row: Outcome) -> Outcome:
    """Return the case as if it had been lost to infrastructure."""
    assert row.label is not None
    label = row.label.model_copy(update={"predicted_decision": None, "predicted_type": None})
    nothing = dict.fromkeys(("gate", "restoration", "web_correct", "end_to_end_correct", "gate_loss"))
    return row.model_copy(update={"status": EpisodeStatus.INFRA_ERROR, "label": label, **nothing})
