"""What our policies share: logits are the policy, and the value can be learned while the policy stays as it is."""

from __future__ import annotations

from typing import Any

from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from torch import Tensor


class ActorCriticModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """A policy and a value. A subclass gives ``setup``, ``logits`` and ``compute_values``.

    The value's loss must not reach weights that the logits depend on: else it moves the policy also while
    ``actor_learns`` is off.

    Attributes:
        actor_learns: Whether the loss moves the policy; otherwise the value alone is learned. The setting
            ``critic_first`` needs a module that has it.
    """

    actor_learns = True

    def logits(self, observations: dict[str, Tensor]) -> Tensor:
        """Return the logits of the actions, the batch along the first axis.

        Args:
            observations: Tensor by key of the observation space.
        """
        raise NotImplementedError

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        logits = self.logits(batch[Columns.OBS])
        # Gradients of zero, not none at all: RLlib's learner wants one for every weight.
        return {Columns.ACTION_DIST_INPUTS: logits if self.actor_learns else logits.detach() + 0.0 * logits}

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {Columns.ACTION_DIST_INPUTS: self.logits(batch[Columns.OBS])}
