"""What a task is trained with unless something else is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskchain_gym.training.rllib.settings import Task

MESSAGE_SPLITS = {"dev": "messages/dev", "hard": "messages/hard", "ood": "messages/ood"}


def usual_values(task: Task, sites: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of the settings of a task.

    The restorer learns from the stream of messages; the others on the text backend.

    Args:
        task: The task.
        sites: Folder by split (:func:`riskchain_gym.training.sites_at_hand.sites_at_hand`); the restorer needs none.
    """
    if task == "restorer":
        # An episode is one step: there is nothing to discount.
        return {
            "task": task,
            "env": {"split": "messages/train"},
            "evaluate": dict(MESSAGE_SPLITS),
            "num_envs_per_env_runner": 64,
            "steps": 100_000,
        }
    return {
        "task": task,
        "env": {"split": sites["train"], "backend": "text"},
        "evaluate": {name: split for name, split in sites.items() if name != "train"},
        "steps": 300_000,
    }
