"""The infos of native vectors, laid out as Gymnasium lays out those of many environments: an array and a mask a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.protocol.outcome import GateResult
from riskchain_gym.protocol.trajectory import Phase

Infos = dict[str, Any]


def with_masks(columns: Mapping[str, NDArray[Any]], mask: NDArray[np.bool_]) -> Infos:
    """Return infos of the environments of a mask; the others have ``None`` or 0.

    Args:
        columns: One array a key, one value an environment.
        mask: The environments that have these keys, bool (n,).
    """
    infos: Infos = {}
    for name, column in columns.items():
        said = column.copy()
        said[~mask] = None if column.dtype == object else 0
        infos[name], infos[f"_{name}"] = said, mask.copy()
    return infos


def running_infos(
    status: NDArray[Any], strikes: NDArray[np.int64], results: NDArray[Any], mask: NDArray[np.bool_]
) -> Infos:
    """Return what every ``info`` of the text environments holds, for the environments of a mask.

    Args:
        status: How each episode stands, text (n,).
        strikes: Invalid actions in a row, int64 (n,).
        results: What became of each action, text (n,).
        mask: The environments that are meant, bool (n,).
    """
    phase = np.full(len(mask), Phase.RESTORE.value, object)
    columns = {
        "status": status,
        "phase": phase,
        "valid": np.ones(len(mask), np.bool_),
        "strikes": strikes,
        "action_result": results,
    }
    return with_masks(columns, mask)


def gate_outcomes(
    gates: Mapping[int, GateResult | None], chain_ids: Mapping[int, str], status: NDArray[Any], count: int
) -> Infos:
    """Return the part of the flat outcome that the gate answers for.

    Args:
        gates: The gate of each episode that has ended, by environment; ``None`` without gold.
        chain_ids: The chain of each of them.
        status: How each episode stands, text (n,).
        count: Number of environments.
    """
    judged = {place: gate for place, gate in gates.items() if gate is not None}
    outcome = _columns(count, {"chain_id": dict(chain_ids)}, object)
    outcome |= _columns(count, {"status": {place: status[place] for place in gates}}, object)
    outcome |= _columns(count, {"routing": dict.fromkeys(gates, "reference")}, object)
    answers = ("passed", "strict", "handoff")
    for name in answers if judged else ():
        outcome |= _columns(
            count, {f"gate.{name}": {place: getattr(gate, name) for place, gate in judged.items()}}, np.bool_
        )
    named = {place: gate.candidate for place, gate in judged.items() if gate.candidate is not None}
    return outcome | _columns(count, {"gate.candidate": named} if named else {}, object)


def _columns(count: int, values: Mapping[str, Mapping[int, Any]], dtype: Any) -> Infos:
    infos: Infos = {}
    for name, column in values.items():
        array = np.full(count, None, object) if dtype is object else np.zeros(count, dtype)
        mask = np.zeros(count, np.bool_)
        places = list(column)
        array[places] = list(column.values())
        mask[places] = True
        infos[name], infos[f"_{name}"] = array, mask
    return infos
