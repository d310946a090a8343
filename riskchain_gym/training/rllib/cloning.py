"""Behaviour cloning: an RLModule learns to act as pairs of observations and actions say, before it learns by reward."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.training.rllib.settings import TrainSettings

Observations = Mapping[str, NDArray[Any]]


class CloneSettings(Frozen):
    """How a module is cloned.

    Attributes:
        lr: Step size of Adam.
        minibatch: Pairs of a gradient step.
        epochs: Passes over the pairs at most.
        patience: Epochs without a lower loss on the held-out pairs after which it ends.
        held_out: Share of the groups of pairs that is learned from never and tells when to end.
        grad_clip: Largest norm of the gradient.
        entropy: Weight of the policy's entropy in the loss. From a teacher that never doubts a module learns never to
            doubt, and then finds out nothing by reward; this keeps some doubt.
        seed: Decides which groups are held out and the order of the other pairs.
    """

    lr: Annotated[float, Field(gt=0)] = 1e-3
    minibatch: Annotated[int, Field(ge=1)] = 256
    epochs: Annotated[int, Field(ge=1)] = 30
    patience: Annotated[int, Field(ge=1)] = 3
    held_out: Annotated[float, Field(gt=0, lt=1)] = 0.1
    grad_clip: Annotated[float, Field(gt=0)] = 1.0
    entropy: Annotated[float, Field(ge=0)] = 0.0
    seed: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True)
class Pairs:
    """What was seen and what a teacher did.

    Attributes:
        observations: Array by key of the observation space, each with the pairs along its first axis.
        actions: The actions: int (N,) or, of a ``MultiDiscrete`` space, (N, W).
        groups: A number for each pair, (N,): those with the same one tell of each other, as moves on one website do,
            and are held out together or not at all. ``None``: each pair stands for itself.
        weights: What each pair counts in the loss, (N,), above 0. ``None``: 1 each.
    """

    observations: Observations
    actions: NDArray[Any]
    groups: NDArray[np.int64] | None = None
    weights: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def of(
        cls,
        seen: Sequence[Observations],
        actions: Sequence[Any],
        *,
        groups: Sequence[str] | None = None,
        weights: Sequence[float] | None = None,
    ) -> Pairs:
        """Return the pairs of single observations and actions.

        Args:
            seen: The observations, all with the same keys.
            actions: The actions, one each.
            groups: Name of the group of each pair.
            weights: What each counts in the loss.

        Raises:
            ConfigError: There are none, or not as many actions as observations.
        """
        if not seen or len(seen) != len(actions):
            raise ConfigError(f"Cloning needs as many actions as observations, got {len(actions)} and {len(seen)}.")
        place = {name: i for i, name in enumerate(dict.fromkeys(groups or ()))}
        return cls(
            {key: np.stack([each[key] for each in seen]) for key in seen[0]},
            np.asarray(actions),
            None if groups is None else np.array([place[name] for name in groups], dtype=np.int64),
            None if weights is None else np.array(weights, dtype=np.float32),
        )

    def rows(self, places: NDArray[np.int64]) -> Pairs:
        """Return the pairs at some places."""
        return Pairs(
            {key: value[places] for key, value in self.observations.items()},
            self.actions[places],
            None if self.groups is None else self.groups[places],
            None if self.weights is None else self.weights[places],
        )

    def held_out(self, share: float, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
        """Return the pairs of some groups, and those of all others.

        Args:
            share: Share of the groups that is held out.
            rng: Draws them.

        Raises:
            ConfigError: There are too few groups to hold one out.
        """
        names, group = np.unique(np.arange(len(self)) if self.groups is None else self.groups, return_inverse=True)
        apart = round(share * len(names))
        if not 0 < apart < len(names):
            raise ConfigError(
                f"{len(self)} pairs in {len(names)} groups are too few to hold {share:.0%} of them out: give more."
            )
        rank = np.empty(len(names), dtype=np.int64)
        rank[rng.permutation(len(names))] = np.arange(len(names))
        order = np.argsort(rank[group], kind="stable")
        held = int((rank[group] < apart).sum())
        return self.rows(order[:held]), self.rows(order[held:])


class Cloned(Frozen):
    """What cloning has come to; figures are of the held-out pairs.

    Attributes:
        pairs: Pairs that were learned from.
        held_out: Pairs that were not; their groups were not either.
        before: Share of them on which the module's likeliest action was the teacher's before, each counting 1.
        agreement: The same after.
        loss: Their loss after, in nats, the mean by their weights.
        epochs: Epochs until the weights that were kept.
    """

    pairs: int
    held_out: int
    before: float
    agreement: float
    loss: float
    epochs: int


def clone(module: Any, pairs: Pairs, settings: CloneSettings) -> Cloned:
    """Train a module's policy on pairs, and leave it with the weights of its best epoch.

    Nothing but the policy's loss is followed, so a value network of its own stays as it is.

    Args:
        module: A torch RLModule.
        pairs: What to learn from.
        settings: How.

    Returns:
        Figures on the held-out pairs.

    Raises:
        ConfigError: There are too few groups of pairs to hold one out.
    """
    import torch

    rng = np.random.default_rng(settings.seed)
    held, learned = pairs.held_out(settings.held_out, rng)
    usual = float(_weights(learned).mean())
    optimizer = torch.optim.Adam(module.parameters(), lr=settings.lr)
    _, before = measured(module, held)
    lowest, agreement, kept, best = float("inf"), before, copy.deepcopy(module.state_dict()), 0
    for epoch in range(1, settings.epochs + 1):
        for part in _minibatches(learned, settings.minibatch, rng):
            likelihood, _, entropy = _rated(module, part)
            loss = -(torch.from_numpy(_weights(part) / usual) * (likelihood + settings.entropy * entropy)).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(module.parameters(), settings.grad_clip)
            optimizer.step()
        reached, agreed = measured(module, held, entropy=settings.entropy)
        if reached < lowest:
            lowest, agreement, kept, best = reached, agreed, copy.deepcopy(module.state_dict()), epoch
        elif epoch - best >= settings.patience:
            break
    module.load_state_dict(kept)
    return Cloned(pairs=len(learned), held_out=len(held), before=before, agreement=agreement, loss=lowest, epochs=best)


def cloned_weights(settings: TrainSettings, pairs: Pairs, how: CloneSettings, to: Path) -> Cloned:
    """Clone the module of a training run and write its weights, for the run to begin with (``initial``).

    Args:
        settings: Those of the run.
        pairs: What to learn from.
        how: How.
        to: The file, ``.npz``.

    Raises:
        ConfigError: There are too few groups of pairs.
    """
    from riskchain_gym.training.rllib.evaluate import new_module
    from riskchain_gym.training.rllib.weights import save_weights

    module = new_module(settings)
    cloned = clone(module, pairs, how)
    save_weights(module.state_dict(), to)
    return cloned


def measured(module: Any, pairs: Pairs, *, entropy: float = 0.0, at_once: int = 1024) -> tuple[float, float]:
    """Return the loss, and the share of pairs on which the likeliest action is the teacher's, each counting 1.

    Args:
        module: A torch RLModule.
        pairs: The pairs.
        entropy: Weight of the entropy in the loss; without it the loss is the mean of −log π(action) by the weights.
        at_once: Pairs of a forward pass.
    """
    import torch

    loss = agreed = 0.0
    with torch.no_grad():
        for start in range(0, len(pairs), at_once):
            part = pairs.rows(np.arange(start, min(start + at_once, len(pairs))))
            likelihood, same, doubt = _rated(module, part)
            loss -= float((torch.from_numpy(_weights(part)) * (likelihood + entropy * doubt)).sum())
            agreed += float(same.sum())
    return loss / float(_weights(pairs).sum()), agreed / len(pairs)


def _rated(module: Any, pairs: Pairs) -> tuple[Any, Any, Any]:
    """Return log π of every action, whether the likeliest action is the same, and the entropy, each of shape (B,)."""
    import torch
    from ray.rllib.core.columns import Columns

    seen = {key: torch.from_numpy(np.asarray(value)) for key, value in pairs.observations.items()}
    inputs = module.forward_train({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
    policy = module.get_train_action_dist_cls().from_logits(inputs)
    actions = torch.from_numpy(np.asarray(pairs.actions))
    same = policy.to_deterministic().sample() == actions
    return policy.logp(actions), same if same.ndim == 1 else same.all(dim=1), policy.entropy()


def _weights(pairs: Pairs) -> NDArray[np.float32]:
    return np.ones(len(pairs), dtype=np.float32) if pairs.weights is None else pairs.weights


def _minibatches(pairs: Pairs, size: int, rng: np.random.Generator) -> Iterator[Pairs]:
    order = rng.permutation(len(pairs))
    for start in range(0, len(order), size):
        yield pairs.rows(order[start : start + size])
