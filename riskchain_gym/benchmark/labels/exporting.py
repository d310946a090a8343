"""The answers of a labelling project as rows that other tools, and the import, read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from riskchain_gym.benchmark.labels.cells import FIELDS, LAYERS
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.labels.rows import encode_rows
from riskchain_gym.benchmark.labels.state import states
from riskchain_gym.protocol.errors import ConfigError


def export_labels(path: Path, plan: Plan, events: Iterable[Event]) -> tuple[bytes, int]:
    """Return the answers of a project that stand, by item, layer and person; those that were taken back are left out.

    Args:
        path: The file that they are for; its name says whether it is CSV or JSON Lines.
        plan: The plan.
        events: All events of all logs.

    Returns:
        The bytes of the file, and how many answers it has.

    Raises:
        ConfigError: The project is of pairs.
        InputFileError: The name of the file ends in neither ``.csv`` nor ``.jsonl``.
    """
    if plan.subject != "sites":
        raise ConfigError("The project is of pairs, and labels of sites are exported: freeze it to get its anchors.")
    simulated = {worker.name for worker in plan.workers if worker.simulated}
    rows = []
    for state in states(plan, events).values():
        found = [*state.passes.values(), *state.repeats.values(), state.review, state.adjudication]
        standing = [event for event in found if event is not None]
        standing.sort(key=lambda event: (LAYERS.index(event.layer), event.worker))
        rows += [_row(event, simulated=event.worker in simulated) for event in standing]
    return encode_rows(path, FIELDS, rows), len(rows)


def _row(event: Event, *, simulated: bool) -> dict[str, Any]:
    assert event.site_answer is not None, "a project of sites has answers about sites"
    row = {
        "item_id": event.item_id,
        "annotator": event.worker,
        "layer": event.layer,
        **event.site_answer.model_dump(mode="json", exclude_defaults=True),
        "seconds": event.seconds,
        "at": event.at,
        "simulated": simulated,
    }
    return {name: row[name] for name in FIELDS if row.get(name) is not None}
