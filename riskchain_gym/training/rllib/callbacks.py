"""Figures of an iteration, counted from the outcomes of the episodes that ended in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ray.rllib.callbacks.callbacks import RLlibCallback

from riskchain_gym.training.rllib.whole_episodes import is_valid

PREFIX = "riskchain"
"""RLlib's key of our metrics."""

COUNTED = {"acc_w": "web_correct", "acc_e": "end_to_end_correct", "delta_gate": "gate_loss", "gate_rate": "gate.passed"}
"""Key of the outcome by figure; a figure is the mean over the episodes whose outcome has it."""


class OutcomeCallbacks(RLlibCallback):  # type: ignore[misc]
    """Adds up the outcomes of valid episodes, and counts the others; sums are of one iteration."""

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, prev_episode_chunks: Any, **_: Any) -> None:
        """Count an episode.

        Args:
            episode: Its last piece.
            metrics_logger: Where sums are kept.
            prev_episode_chunks: Its earlier pieces.
        """
        if not is_valid(episode):
            return
        pieces = [*prev_episode_chunks, episode]
        sums = {
            "episodes": 1.0,
            "return": float(sum(piece.get_return() for piece in pieces)),
            "length": float(sum(len(piece) for piece in pieces)),
            **counted(episode.get_infos(-1).get("outcome") or {}),
        }
        for name, value in sums.items():
            metrics_logger.log_value((PREFIX, name), value, reduce="sum")


def counted(outcome: Mapping[str, Any]) -> dict[str, float]:
    """Return what an outcome adds to the sums: the value of each figure that it has, and 1 to that figure's count."""
    sums: dict[str, float] = {}
    for name, key in COUNTED.items():
        if outcome.get(key) is not None:
            sums |= {name: float(outcome[key]), f"{name}.n": 1.0}
    return sums


def row_of(sums: Mapping[str, float], lost: float) -> dict[str, float | int | None]:
    """Return the figures of an iteration; ``None`` where no episode has one.

    Args:
        sums: What :class:`OutcomeCallbacks` has added up.
        lost: Episodes that infrastructure has ended.
    """
    episodes = sums.get("episodes", 0.0)
    row: dict[str, float | int | None] = {
        "episodes": round(episodes),
        "lost": round(lost),
        "valid_share": _ratio(episodes, episodes + lost),
        "return": _ratio(sums.get("return", 0.0), episodes),
        "length": _ratio(sums.get("length", 0.0), episodes),
    }
    return row | {name: _ratio(sums.get(name, 0.0), sums.get(f"{name}.n", 0.0)) for name in COUNTED}


def _ratio(over: float, under: float) -> float | None:
    return over / under if under else None
