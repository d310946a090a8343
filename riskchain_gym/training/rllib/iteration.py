"""What RLlib says of an iteration, as rows of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskchain_gym.training.rllib.callbacks import PREFIX, row_of
from riskchain_gym.training.rllib.checkpoints import Progress
from riskchain_gym.training.rllib.whole_episodes import LOST

_LEARNED = {
    "entropy": "entropy",
    "policy_loss": "policy_loss",
    "value_loss": "vf_loss",
    "value_explained": "vf_explained_var",
}
"""RLlib's figure of the learner by our name."""


def iteration_row(result: Mapping[str, Any], before: Progress) -> dict[str, Any]:
    """Return the row of an iteration for ``curves.jsonl``: figures that the same seed gives again.

    Args:
        result: What ``algorithm.train()`` returned.
        before: How far the run had come.
    """
    played = result.get("env_runners", {})
    learned = result.get("learners", {}).get("default_policy", {})
    sums = {name: float(value) for name, value in played.get(PREFIX, {}).items()}
    return {
        "iteration": before.iteration + 1,
        "env_steps": before.env_steps + int(played.get("num_env_steps_sampled", 0)),
        **row_of(sums, float(played.get(LOST, 0))),
        **{name: _finite(learned.get(key)) for name, key in _LEARNED.items()},
    }


def timing_row(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return where the time of an iteration went, in seconds."""
    timers = result.get("timers", {})
    return {
        "sampling": _finite(timers.get("env_runner_sampling_timer")),
        "learning": _finite(timers.get("learner_update_timer")),
    }


def _finite(value: Any) -> float | None:
    if value is None:
        return None
    found = float(value)
    return found if abs(found) != float("inf") and found == found else None
