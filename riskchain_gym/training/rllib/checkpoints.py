"""Checkpoints of a run: whole or not there, and one pointer to the newest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.files import make_folder, sync_folder, write_atomically
from riskchain_gym.protocol.model import Frozen

LATEST = "latest"
STATE = "state.json"


class Progress(Frozen):
    """How far a run has come.

    Attributes:
        iteration: Iterations that are done.
        env_steps: Environment steps that were played in them.
    """

    iteration: int = 0
    env_steps: int = 0


class Checkpoints:
    """The checkpoints in a folder: ``00000010/`` after ten iterations, and ``latest``, which names the newest.

    ``latest`` is written when a checkpoint is whole, so that a run that is killed goes on from the one before.

    Args:
        folder: The folder; it need not exist yet.
        keep: How many are kept.
    """

    def __init__(self, folder: Path, keep: int) -> None:
        self._folder = folder
        self._keep = keep

    def save(self, algorithm: Any, progress: Progress) -> None:
        """Write a checkpoint and remove those that are not kept.

        Args:
            algorithm: RLlib's algorithm; its own files are pickles.
            progress: How far it has come.
        """
        make_folder(self._folder)
        place = self._folder / f"{progress.iteration:08d}"
        shutil.rmtree(place, ignore_errors=True)
        algorithm.save_to_path(str((place / "rllib").absolute()))
        write_atomically(place / STATE, progress.model_dump_json().encode())
        sync_folder(place)
        write_atomically(self._folder / LATEST, place.name.encode())
        whole = sorted(each for each in self._folder.iterdir() if each.is_dir())
        for old in whole[: -self._keep]:
            shutil.rmtree(old, ignore_errors=True)

    def latest(self) -> tuple[Path, Progress] | None:
        """Return RLlib's folder in the newest whole checkpoint and how far it had come; ``None`` without one.

        Raises:
            InputFileError: What ``latest`` names is not there, or damaged.
        """
        pointer = self._folder / LATEST
        if not pointer.exists():
            return None
        place = self._folder / pointer.read_text(encoding="utf-8").strip()
        try:
            progress = Progress.model_validate(json.loads((place / STATE).read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise InputFileError(
                place, STATE, f"this checkpoint is damaged ({error}): name another in {pointer}"
            ) from error
        return (place / "rllib").absolute(), progress
