"""Checkpoints of a run: whole or not there, and one pointer to the newest."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.files import make_folder, sync_folder, write_atomically
from riskchain_gym.protocol.invalid import first_problem
from riskchain_gym.protocol.model import Frozen

LATEST = "latest"
STATE = "state.json"
RLLIB = "rllib"


class Progress(Frozen):
    """How far a run has come.

    Attributes:
        iteration: Iterations that are done.
        env_steps: Environment steps that were played in them.
    """

    iteration: Annotated[int, Field(ge=0)] = 0
    env_steps: Annotated[int, Field(ge=0)] = 0


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
        algorithm.save_to_path(str((place / RLLIB).absolute()))
        write_atomically(place / STATE, progress.model_dump_json().encode())
        sync_folder(place)
        write_atomically(self._folder / LATEST, place.name.encode())
        # A run that has gone back to an earlier checkpoint has given up those behind it.
        kept = [name for name in self._names() if name <= place.name][-self._keep :]
        for name in self._names():
            if name not in kept:
                shutil.rmtree(self._folder / name, ignore_errors=True)

    def latest(self) -> tuple[Path, Progress] | None:
        """Return the newest whole checkpoint and how far it had come; ``None`` without one.

        Raises:
            InputFileError: ``latest``, or the checkpoint that it names, is damaged.
        """
        pointer = self._folder / LATEST
        try:
            name = pointer.read_bytes().strip().decode("ascii", "backslashreplace")
        except FileNotFoundError:
            if len(names := self._names()) > 1:  # a run that is killed leaves one at most before there is a pointer
                problem = f"is missing beside {len(names)} checkpoints: {self._advice()}"
                raise InputFileError(pointer, "", problem) from None
            return None
        except OSError as error:
            raise InputFileError(pointer, "", f"cannot be read ({error.strerror}): {self._advice()}") from error
        if not re.fullmatch(r"[0-9]{8}", name):
            said = name if len(name) <= 40 else f"{name[:37]}..."
            raise InputFileError(
                pointer, "", f"names a checkpoint by eight digits, and says {said!r}: {self._advice()}"
            )
        place = self._folder / name
        if isinstance(found := _progress(place), str):
            raise self._damaged(place, found)
        return place, found

    def restore(self, algorithm: Any, place: Path) -> None:
        """Give an algorithm the state that a checkpoint holds.

        Args:
            algorithm: RLlib's algorithm.
            place: The checkpoint, as of :meth:`latest`.

        Raises:
            InputFileError: RLlib cannot read it.
        """
        try:
            algorithm.restore_from_path(str((place / RLLIB).absolute()))
        except Exception as error:  # what a damaged pickle raises has no bounds
            said = str(error).strip().partition("\n")[0]
            raise self._damaged(place, f"{type(error).__name__}: {said}" if said else type(error).__name__) from error

    def _names(self) -> list[str]:
        """Return the names of the checkpoints, whole or not, in order."""
        if not self._folder.is_dir():
            return []
        return sorted(each.name for each in self._folder.iterdir() if re.fullmatch(r"[0-9]{8}", each.name))

    def _damaged(self, place: Path, problem: str) -> InputFileError:
        return InputFileError(place, "", f"this checkpoint is damaged ({problem}): {self._advice(place)}")

    def _advice(self, damaged: Path | None = None) -> str:
        """Return what to do: go on from the newest whole checkpoint, but for one that is known to be damaged."""
        names = [name for name in self._names() if damaged is None or name != damaged.name]
        whole = [name for name in names if isinstance(_progress(self._folder / name), Progress)]
        if not whole:
            return f"no {'other ' if damaged else ''}whole one is kept, begin again in another folder"
        which = "the newest other" if damaged else "the newest whole one"
        return f"write {whole[-1]}, {which} that is kept, into {self._folder / LATEST}, then go on (--resume)"


def _progress(place: Path) -> Progress | str:
    """Return how far a checkpoint had come, or what is wrong with it."""
    try:
        progress = Progress.model_validate_json((place / STATE).read_bytes())
    except OSError as error:
        return f"{STATE} cannot be read, {error.strerror}"
    except ValidationError as error:
        field, problem = first_problem(error)
        return f"{STATE}: {field}: {problem}" if field else f"{STATE}: {problem}"
    if progress.iteration != int(place.name):
        return f"{STATE} is of iteration {progress.iteration}"
    if not (place / RLLIB).is_dir():
        return f"its folder {RLLIB}/ is missing"
    return progress
