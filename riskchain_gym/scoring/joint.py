"""The joint protocol's figures: what revisions after browsing would have come to, apart from all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.outcome import GateResult, Outcome


class Joint(Frozen):
    """A set of chains as if the last restoration sent were the one that counts; no other figure has any part in it.

    Where no revision was sent, the committed restoration stands. Denominators are all chains, as those of Acc^e are.

    Attributes:
        revisions: Chains on which a revision was sent.
        opened: Of these, those whose gate was closed and is open with the revision (historical policy).
        closed: Those whose gate was open and is closed with the revision.
        accuracy: Acc^joint, the mean of a^w times the revised gate; ``None`` where a^w is not known of every chain.
        gate_rate: Share of chains whose gate is open with the revision (historical policy).
        gate_rate_strict: The same under the strict policy.
        gate_rate_handoff: The same under the handoff policy.
        recovered: Acc^joint − Acc^e: how much of Δ_gate revisions have recovered, negative where they lost some.
    """

    revisions: int
    opened: int
    closed: int
    accuracy: float | None
    gate_rate: float
    gate_rate_strict: float
    gate_rate_handoff: float
    recovered: float | None


def joint(outcomes: Sequence[Outcome]) -> Joint | None:
    """Return the joint figures of a set of outcomes, ``None`` where there is no revision among them.

    Args:
        outcomes: One a chain.
    """
    revised = [(o.gate.passed, o.revised.gate.passed) for o in outcomes if o.revised is not None and o.gate is not None]
    if not revised:
        return None
    n = len(outcomes)
    gates = [o.gate if o.revised is None else o.revised.gate for o in outcomes]
    before = _known(outcomes, lambda o: o.end_to_end_correct)
    after = _known(outcomes, lambda o: o.end_to_end_correct if o.revised is None else o.revised.end_to_end_correct)

    def rate(policy: Callable[[GateResult], bool]) -> float:
        return sum(gate is not None and policy(gate) for gate in gates) / n

    return Joint(
        revisions=len(revised),
        opened=revised.count((False, True)),
        closed=revised.count((True, False)),
        accuracy=None if after is None else after / n,
        gate_rate=rate(lambda gate: gate.passed),
        gate_rate_strict=rate(lambda gate: gate.strict),
        gate_rate_handoff=rate(lambda gate: gate.handoff),
        recovered=None if after is None or before is None else (after - before) / n,
    )


def _known(outcomes: Sequence[Outcome], of: Callable[[Outcome], int | None]) -> int | None:
    """Return a sum over the episodes that were not lost, which add nothing; ``None`` where one of them is not known."""
    values = [of(outcome) for outcome in outcomes if outcome.status is not EpisodeStatus.INFRA_ERROR]
    return None if any(value is None for value in values) else sum(value or 0 for value in values)
