"""Tiny environments that offer rows of options, registered under ids of their own."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

OPTIONS, FEATURES, CONTEXT = 6, 3, 2


class MarkedRow(gym.Env[dict[str, Any], int]):
    """Two steps: a commit that is paid at once, then a choice; the row whose first feature is 1 is right in both.

    Args:
        lose_every: Every so-manieth episode ends as an infrastructure failure, after its commit was paid 100.
    """

    def __init__(self, lose_every: int = 0) -> None:
        self.observation_space = gym.spaces.Dict(
            {
                "context": gym.spaces.Box(-1, 1, (CONTEXT,), np.float32),
                "options": gym.spaces.Box(-1, 1, (OPTIONS, FEATURES), np.float32),
                "action_mask": gym.spaces.Box(0, 1, (OPTIONS,), np.int8),
            }
        )
        self.action_space = gym.spaces.Discrete(OPTIONS)
        self._lose_every = lose_every
        self._episode = 0
        self.p_reference: list[float] = []

    def set_p_reference(self, value: float) -> None:
        self.p_reference.append(value)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._episode += 1
        self._lost = bool(self._lose_every) and self._episode % self._lose_every == 0
        self._committed = False
        self._gate = False
        return self._drawn(), {"valid": True}

    def step(self, action: int) -> Any:
        right = int(action) == self._right
        assert self._mask[action], "a masked action was drawn"
        if not self._committed:
            self._committed, self._gate = True, right
            return self._drawn(), 100.0 if self._lost else 0.0, False, False, {"valid": True}
        if self._lost:
            return self._drawn(), 0.0, False, True, {"valid": False, "outcome": {"status": "infra_error"}}
        outcome = {
            "status": "reported",
            "web_correct": int(right),
            "end_to_end_correct": int(right and self._gate),
            "gate_loss": int(right and not self._gate),
            "gate.passed": self._gate,
        }
        return self._drawn(), float(right and self._gate), True, False, {"valid": True, "outcome": outcome}

    def _drawn(self) -> dict[str, Any]:
        draw = self.np_random
        count = int(draw.integers(2, OPTIONS + 1))
        self._right = int(draw.integers(count))
        rows = np.zeros((OPTIONS, FEATURES), np.float32)
        rows[:count, 1:] = draw.uniform(-1, 1, (count, FEATURES - 1))
        rows[self._right, 0] = 1.0
        self._mask = np.arange(OPTIONS) < count
        return {"context": np.zeros(CONTEXT, np.float32), "options": rows, "action_mask": self._mask.astype(np.int8)}


gym.register("MarkedRow-v0", entry_point="option_toys:MarkedRow")
