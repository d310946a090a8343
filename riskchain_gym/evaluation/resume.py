"""Going on with a run: the same one, or a sentence that says what differs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from riskchain_gym.evaluation.records import RunManifest
from riskchain_gym.evaluation.store import MANIFEST, RunFolder
from riskchain_gym.protocol.errors import ConfigError

_TOLD = 6
_LONGEST = 60
_ABSENT = object()


def open_or_begin(path: Path, manifest: RunManifest) -> RunFolder:
    """Return the run of a folder that is held, made if it was not there yet.

    Raises:
        ConfigError: The folder holds another run, the message says what differs, or something that is no run.
        InputFileError: The manifest in it is malformed.
    """
    if not (path / MANIFEST).exists():
        RunFolder.check_free(path)
        return RunFolder.begin(path, manifest)
    check_same(path, manifest)
    return RunFolder.open(path)


def check_same(path: Path, manifest: RunManifest) -> None:
    """Refuse a run folder that holds another run.

    Raises:
        ConfigError: It does; the message says what differs.
        InputFileError: The manifest in it is malformed.
    """
    found = differences(RunFolder.open(path).manifest, manifest)
    if found:
        more = f"; and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
        raise ConfigError(
            f"{path} holds another run: give this one another folder with --out, or go on with that one by the command "
            f"that began it. What differs (there → now): {'; '.join(found[:_TOLD])}{more}."
        )


def differences(there: RunManifest, now: RunManifest) -> list[str]:
    """Return in which fields two runs differ, as ``field: there → now``."""
    sides = [dict(_flat(_telling(each, there.agent_config != now.agent_config))) for each in (there, now)]
    fields = dict.fromkeys([*sides[1], *sides[0]])
    told = []
    for field in fields:
        values = [side.get(field, _ABSENT) for side in sides]
        if values[0] != values[1]:
            told.append(f"{field}: {_shown(values[0])} → {_shown(values[1])}")
    return told


def _telling(manifest: RunManifest, config_differs: bool) -> dict[str, Any]:
    """Return the fields without those that only repeat what others say."""
    hidden = {"env_kwargs"} | ({"agent_sha256"} if config_differs and manifest.agent_config else set())
    return manifest.model_dump(mode="json", exclude=hidden)


def _flat(value: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield from _flat(inner, f"{before}{name}.")
        elif isinstance(inner, list) and any(isinstance(item, dict) for item in inner):
            yield from _flat({str(i): item for i, item in enumerate(inner)}, f"{before}{name}.")
        else:
            yield f"{before}{name}", inner


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return "not there"
    if isinstance(value, list) and len(value) > 1 and all(isinstance(item, str) for item in value):
        return f"{len(value)} ({value[0]} …)"
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value or '""'
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
