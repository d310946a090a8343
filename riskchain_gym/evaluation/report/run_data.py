"""What the index of a report tells of each run: what was run with which budgets, and whether it is frozen."""

from __future__ import annotations

from collections.abc import Sequence

from riskchain_gym.evaluation.naming import folder_names, models_of
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.evaluation.store import RunFolder


def run_rows(runs: Sequence[RunFolder], labels: Sequence[str]) -> list[Json]:
    """Return what is told of runs, in their order.

    Args:
        runs: The runs.
        labels: What they are called on the page.

    Raises:
        InputFileError: The seal of one is malformed.
    """
    return [_row(run, label, folder) for run, label, folder in zip(runs, labels, folder_names(runs), strict=True)]


def version_lines(rows: Sequence[Json]) -> list[tuple[object, str]]:
    """Return with which versions the runs were made, and which they are: one line if all were made alike."""
    lines: dict[object, list[str]] = {}
    for row in rows:
        lines.setdefault(row["versions"], []).append(str(row["label"]))
    return [(line, "All runs" if len(lines) == 1 else ", ".join(labels)) for line, labels in lines.items()]


def _row(run: RunFolder, label: str, folder: str) -> Json:
    manifest, environment = run.manifest, run.manifest.environment
    return {
        "label": label,
        "agent": manifest.agent,
        "kind": manifest.agent_kind,
        "models": ", ".join(models_of(manifest)),
        "folder": folder,
        "repeat": manifest.repeat,
        "identity": run.identity,
        "frozen": _frozen(run),
        "budget": _budget(environment.max_steps, environment.max_seconds),
        "backend": environment.backend,
        "shown": ", ".join(environment.observe) or "text and elements",
        "versions": ", ".join(f"{name} {value}" for name, value in manifest.versions.items()),
    }


def _frozen(run: RunFolder) -> str:
    seal = run.seal
    if seal is None:
        return "not frozen"
    if seal.last != run.last_hash:
        return "the seal does not fit the episodes"
    return f"frozen, last episode {seal.last[:12]}"


def _budget(steps: int, seconds: float | None) -> str:
    return f"{steps} steps" + (f", {seconds:g} s" if seconds is not None else "")
