"""What runs are called beside each other: by their agent, and where several share it, by what tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.control_characters import show_controls, show_name

_BETWEEN = " · "


def run_names(runs: Sequence[RunFolder]) -> list[str]:
    """Return a name for each run, no two alike: ``AGENT``, else ``AGENT · MODEL``, else with the folder too.

    Args:
        runs: All the runs that are shown together.
    """
    folders = folder_names(runs)
    names = [show_name(run.manifest.agent) for run in runs]
    for further in ([show_controls(" + ".join(models_of(run.manifest))) for run in runs], folders):
        often = Counter(names)
        names = [
            _BETWEEN.join((name, more)) if often[name] > 1 and more else name
            for name, more in zip(names, further, strict=True)
        ]
    often, seen = Counter(names), Counter[str]()
    for i, name in enumerate(names):  # one folder may be given twice
        seen[name] += 1
        names[i] = name if often[name] == 1 else f"{name} #{seen[name]}"
    return names


def folder_names(runs: Sequence[RunFolder]) -> list[str]:
    """Return the end of each run's path, as long as it must be to tell the folders apart."""
    paths = [run.path.resolve().parts for run in runs]
    return [show_controls(str(Path(*parts[-_needed(parts, paths) :]))) for parts in paths]


def models_of(manifest: RunManifest) -> tuple[str, ...]:
    """Return the names of the models that a run's agent asks, the restorer's first; empty if it asks none."""
    asked = manifest.agent_config.get("models")
    fields = [each for each in asked if isinstance(each, dict)] if isinstance(asked, list) else []
    return tuple(dict.fromkeys(str(each["model"]) for each in fields if each.get("model")))


def _needed(path: tuple[str, ...], paths: Sequence[tuple[str, ...]]) -> int:
    others = [other for other in paths if other != path]
    return next(n for n in range(1, len(path) + 1) if all(other[-n:] != path[-n:] for other in others))
