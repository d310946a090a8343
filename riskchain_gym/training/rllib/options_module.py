"""The policy of environments that offer rows of options: every row is scored by the same network."""

from __future__ import annotations

from typing import Any

import torch
from ray.rllib.core.columns import Columns
from torch import Tensor, nn

from riskchain_gym.training.rllib.actor_critic import ActorCriticModule

MASKED = -1e9
"""The logit of an option that is not there: its probability is exactly 0."""


class RowEncoder(nn.Module):  # type: ignore[misc]
    """Encodes rows of options in the light of the context and of each other.

    Args:
        context: Features of the context, M.
        features: Features of a row, F.
        widths: Widths of the layers; the last is that of the encoding, H.
    """

    def __init__(self, context: int, features: int, widths: list[int]) -> None:
        super().__init__()
        first = widths[0]
        self.of_context = nn.Linear(context, first)
        self.of_row = nn.Linear(features, first, bias=False)
        self.of_all = nn.Linear(first, first, bias=False)
        self.rest = _layers(first, widths[1:])

    def forward(self, context: Tensor, options: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the encodings.

        Args:
            context: Shape (B, M).
            options: Shape (B, A, F).
            mask: Bool (B, A), true where a row is there.

        Returns:
            Encoded rows (B, A, H), and their mean over the rows that are there (B, H).
        """
        own = self.of_context(context).unsqueeze(1) + self.of_row(options)
        rows = self.rest(torch.relu(own + self.of_all(masked_mean(torch.relu(own), mask)).unsqueeze(1)))
        return rows, masked_mean(rows, mask)


class OptionsModule(ActorCriticModule):
    """Policy and value of a masked choice among rows.

    Observations are ``context`` float (M,), ``options`` float (A, F) and ``action_mask`` (A,), 1 where a row is there;
    actions are ``Discrete(A)``. One network scores all rows, so that it matters what a row says and not where it
    stands. The value has an encoder of its own and reads the mean and the maximum of its rows.
    """

    def setup(self) -> None:
        """Build the networks from the spaces and ``model_config["hidden"]``."""
        spaces = self.observation_space.spaces
        (context,), (_, features) = spaces["context"].shape, spaces["options"].shape
        widths = list(self.model_config["hidden"])
        self.policy = RowEncoder(context, features, widths)
        self.score = nn.Linear(widths[-1], 1)
        self.critic = RowEncoder(context, features, widths)
        self.worth = nn.Sequential(nn.Linear(2 * widths[-1], widths[-1]), nn.ReLU(), nn.Linear(widths[-1], 1))
        # Every option is as likely as any other at the start: what is tried first is not left to chance.
        nn.init.normal_(self.score.weight, std=0.01 / widths[-1] ** 0.5)
        nn.init.zeros_(self.score.bias)

    def logits(self, observations: dict[str, Tensor]) -> Tensor:
        """Return the logit of every option.

        Args:
            observations: ``context`` (B, M), ``options`` (B, A, F) and ``action_mask`` (B, A).

        Returns:
            Shape (B, A), :data:`MASKED` where no row is.
        """
        context, options, mask = _parts(observations)
        rows, _ = self.policy(context, options, mask)
        return self.score(rows).squeeze(-1).masked_fill(~mask, MASKED)

    def compute_values(self, batch: dict[str, Any], embeddings: Any | None = None) -> Tensor:  # noqa: ARG002
        """Return the value of every observation, shape (B,)."""
        context, options, mask = _parts(batch[Columns.OBS])
        rows, mean = self.critic(context, options, mask)
        highest = rows.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1)
        return self.worth(torch.cat([mean, highest], dim=-1)).squeeze(-1)


def masked_mean(rows: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of the rows that are there, zeros where none is.

    Args:
        rows: Shape (B, A, H).
        mask: Bool (B, A).
    """
    weight = mask.to(rows.dtype)
    return torch.bmm(weight.unsqueeze(1), rows).squeeze(1) / weight.sum(dim=1, keepdim=True).clamp(min=1.0)


def _parts(observations: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    return observations["context"].float(), observations["options"].float(), observations["action_mask"] > 0


def _layers(width: int, widths: list[int]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for wider in widths:
        layers += [nn.Linear(width, wider), nn.ReLU()]
        width = wider
    return nn.Sequential(*layers)
