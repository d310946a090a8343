"""The gate curve: what looking up more than the first candidate would gain, and what it would cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.figures import LOOKUPS


class GatePoint(Frozen):
    """One point of the curve: an agent that looks up its candidates in order of rank, at most k, until one resolves.

    Attributes:
        k: How many candidates it may look up; 1 is the benchmark's gate.
        entry_recall: Share of chains whose entry is among the first k candidates.
        end_to_end_accuracy: Acc^e with that gate; ``None`` where no site was scored.
        lookups: Mean number of look-ups a restored message takes.
    """

    k: int
    entry_recall: float
    end_to_end_accuracy: float | None
    lookups: float


def gate_curve(points: Mapping[str, float]) -> tuple[GatePoint, ...]:
    """Return the curve from the figures of a set of outcomes; empty where nothing was restored.

    Args:
        points: Figures by name, as :meth:`~riskchain_gym.scoring.figures.OutcomeFigures.points` gives them.
    """
    return tuple(
        GatePoint(
            k=k,
            entry_recall=points[f"recall_at_{k}"],
            end_to_end_accuracy=points.get(f"end_to_end_at_{k}"),
            lookups=points[f"lookups_at_{k}"],
        )
        for k in LOOKUPS
        if f"lookups_at_{k}" in points
    )


def all_variant_accuracy(web: Mapping[str, int], gates: Mapping[str, Sequence[bool]]) -> float:
    """Return Acc^e with a gate that opens only where every variant of the message was restored to the right entry.

    Args:
        web: a^w by chain id.
        gates: The gate of each variant, at least one a chain, by chain id; what was not restored is ``False``.

    Raises:
        ValueError: There is no chain, a chain has no gates, or there are gates of other chains.
    """
    if not web or web.keys() != gates.keys() or not all(gates.values()):
        odd: Iterable[str] = web.keys() ^ gates.keys() or [chain for chain, each in gates.items() if not each]
        named = min(odd, default="none at all")
        raise ValueError(f"Every chain needs a^w and the gates of its variants, at least one each: see '{named}'.")
    return sum(correct * all(gates[chain]) for chain, correct in web.items()) / len(web)
