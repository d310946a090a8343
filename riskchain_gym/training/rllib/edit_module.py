"""The policy that edits: a character encoder, and for every character whether it is kept, dropped or mapped."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.core.distribution.torch.torch_distribution import TorchDeterministic, TorchDistribution
from torch import Tensor, nn

from riskchain_gym.envs.wrappers.editing import DROP
from riskchain_gym.training.rllib.actor_critic import ActorCriticModule
from riskchain_gym.training.rllib.options_module import MASKED, masked_mean

DILATIONS = (1, 2, 4, 8, 1)
"""How far apart the three characters lie that each layer of the encoder looks at."""

_EMBEDDED = 48


class OperationsDistribution(TorchDistribution):  # type: ignore[misc]
    """An operation on each of W characters, drawn apart: one categorical distribution a character.

    Args:
        logits: Shape (B, W, operations).
    """

    def __init__(self, logits: Tensor) -> None:
        super().__init__(logits=logits)
        self.logits = logits

    def _get_torch_distribution(self, logits: Tensor) -> Any:
        return torch.distributions.Independent(
            torch.distributions.Categorical(logits=logits, validate_args=False), 1, validate_args=False
        )

    def to_deterministic(self) -> TorchDeterministic:
        """Return what always takes the likeliest operation on every character, shape (B, W)."""
        return TorchDeterministic(loc=self.logits.argmax(dim=-1))

    @staticmethod
    def required_input_dim(space: spaces.MultiDiscrete, **_: Any) -> int:
        """Return how many logits a row of the batch has."""
        return int(space.nvec.sum())

    @classmethod
    def from_logits(cls, logits: Tensor, **_: Any) -> OperationsDistribution:
        """Return the distribution of some logits, shape (B, W, operations)."""
        return cls(logits)


class CharacterEncoder(nn.Module):  # type: ignore[misc]
    """Encodes the characters of a window, each in the light of those around it and of the whole.

    Args:
        sizes: For each plane of ids one more than its largest.
        width: Features of a character, H.
    """

    def __init__(self, sizes: dict[str, int], width: int) -> None:
        super().__init__()
        self.embeddings = nn.ModuleDict({name: nn.Embedding(size, _EMBEDDED) for name, size in sizes.items()})
        self.first = nn.Linear(_EMBEDDED * len(sizes), width)
        self.layers = nn.ModuleList(
            nn.Conv1d(width, width, kernel_size=3, padding=dilation, dilation=dilation) for dilation in DILATIONS
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in DILATIONS)
        self.of_all = nn.ModuleList(nn.Linear(width, width) for _ in DILATIONS)

    def forward(self, planes: dict[str, Tensor], mask: Tensor) -> Tensor:
        """Return the encodings, zeros behind the last character.

        Args:
            planes: Ids by plane, int (B, W).
            mask: Bool (B, W), true where a character is.

        Returns:
            Shape (B, W, H).
        """
        there = mask.unsqueeze(-1).float()
        encoded = self.first(torch.cat([self.embeddings[name](planes[name].long()) for name in self.embeddings], -1))
        for layer, norm, of_all in zip(self.layers, self.norms, self.of_all, strict=True):
            seen = norm(encoded) * there
            around = layer(seen.transpose(1, 2)).transpose(1, 2)
            encoded = encoded + torch.relu(around + of_all(masked_mean(seen, mask)).unsqueeze(1))
        return encoded * there


class EditModule(ActorCriticModule):
    """Policy and value of editing a window of characters.

    Observations are planes of ids, each int (W,) with 0 for padding, and ``length`` (1,), how many characters there
    are; actions are ``MultiDiscrete`` with one operation a character. Behind the last character it always drops, so
    what stands there adds nothing to probabilities, entropy and gradients. The value reads the same encoder without
    moving it.
    """

    def setup(self) -> None:
        """Build the networks from the spaces and ``model_config["hidden"]``, of which the first width counts."""
        self.action_dist_cls = OperationsDistribution
        width = int(self.model_config["hidden"][0])
        self.sizes = {
            name: int(space.high.max()) + 1
            for name, space in self.observation_space.spaces.items()
            if isinstance(space, spaces.Box) and space.shape == self.action_space.shape
        }
        self.operations = int(self.action_space.nvec[0])
        self.encoder = CharacterEncoder(self.sizes, width)
        self.operate = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, self.operations))
        self.worth = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def logits(self, observations: dict[str, Tensor]) -> Tensor:
        """Return the logit of every operation on every character.

        Args:
            observations: Planes (B, W) and ``length`` (B, 1).

        Returns:
            Shape (B, W, operations); behind the last character :data:`MASKED` but for dropping it.
        """
        encoded, mask = self._encoded(observations)
        padding = torch.full((self.operations,), MASKED)
        padding[DROP] = 0.0
        return torch.where(mask.unsqueeze(-1), self.operate(encoded), padding)

    def compute_values(self, batch: dict[str, Any], embeddings: Any | None = None) -> Tensor:  # noqa: ARG002
        """Return the value of every observation, shape (B,)."""
        with torch.no_grad():
            encoded, mask = self._encoded(batch[Columns.OBS])
            pooled = torch.cat([masked_mean(encoded, mask), encoded.amax(dim=1)], dim=-1)
        return self.worth(pooled).squeeze(-1)

    def _encoded(self, observations: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        planes = {name: observations[name] for name in self.sizes}
        places = torch.arange(next(iter(planes.values())).shape[1])
        mask = places.unsqueeze(0) < observations["length"].reshape(-1, 1)
        return self.encoder(planes, mask), mask
