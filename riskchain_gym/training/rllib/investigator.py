"""The investigator's training: what it is trained with, and the cloned start from which it learns by what is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from riskchain_gym.protocol.files import make_folder, write_atomically
from riskchain_gym.training.rllib.cloning import Cloned, CloneSettings, cloned_weights
from riskchain_gym.training.rllib.demonstrations import demonstrations
from riskchain_gym.training.rllib.settings import TrainSettings
from riskchain_gym.training.rllib.usual import usual_values

TEACHER = "rules+explorer"
"""The baseline that moves and reports are cloned from."""

START = "start.npz"
"""Weights that a run begins with, in its folder."""

CLONED = "cloned.json"
"""What cloning has come to, beside them."""

REPORTS = 8.0
"""What a report counts in cloning beside a move: it is one action in thirty, and the one that decides."""

CLONING = CloneSettings()
"""How the investigator is cloned: until the loss on websites of ``train`` that are held out is lowest."""


def investigator_values(sites: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of the settings that PPO goes on from a cloned start with.

    Args:
        sites: Folder by split, ``train`` and those to evaluate on.
    """
    return usual_values("investigator", sites) | {
        "steps": 40_960,
        "batch": 4096,
        "minibatch": 512,
        "epochs": 4,
        "lr": 1e-4,
        "entropy": 0.001,
        "critic_first": 2,
        "checkpoint_every": 2,
    }


def cloned_start(
    settings: TrainSettings, folder: Path, *, progress: Callable[[int, int], None] | None = None
) -> tuple[TrainSettings, Cloned]:
    """Let the explorer play the training sites, clone it into the run folder, and return the settings that begin so.

    Args:
        settings: Those of the run.
        folder: The run folder.
        progress: Called with how many sites are played and how many there are.
    """
    from riskchain_gym.training.rllib.algorithm import env_name

    make_folder(folder)
    pairs = demonstrations(TEACHER, env_name(settings.env_id), settings.env, reports=REPORTS, progress=progress)
    start = folder / START
    cloned = cloned_weights(settings, pairs, CLONING.model_copy(update={"seed": settings.seed}), start)
    write_atomically(folder / CLONED, (cloned.model_dump_json(indent=2) + "\n").encode())
    return settings.with_values({"initial": str(start)}), cloned
