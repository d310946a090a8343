"""Trains the learned restorer's network in torch, on one processor core."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as functional
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset

from riskchain_gym.agents.restore.learned_network import BEGIN, END, Shape
from riskchain_gym.fitting.restorer_data import Example, iter_examples
from riskchain_gym.fitting.restorer_labels import UNKNOWN
from riskchain_gym.fitting.restorer_network import ORDINALS, Network

Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Settings:
    """How the network is trained.

    Attributes:
        seed: Of the weights and of what is drawn beside the sessions.
        steps: Updates.
        tokens: Characters of a batch, padding included.
        rate: Highest learning rate; it rises in a line, stays, and falls in a line to nothing.
        warmup: Updates over which it rises.
        cooled: Share of the updates over which it falls.
        decay: Weight decay.
        averaged: Share that the mean of the weights keeps at each update; the mean is what is written.
        auxiliary: Weight of the losses beside that of the entry: what characters carry, their places, where to look.
    """

    seed: int = 0
    steps: int = 6000
    tokens: int = 2304
    rate: float = 2e-3
    warmup: int = 300
    cooled: float = 0.3
    decay: float = 0.01
    averaged: float = 0.998
    auxiliary: float = 0.3


@dataclass(frozen=True)
class Batch:
    """Sessions of about one length, padded."""

    inputs: Tensor
    spelled: Tensor
    wanted: Tensor
    labels: Tensor
    ordinals: Tensor
    pointers: Tensor


_POOL = 1024


class Batches(IterableDataset[Batch]):  # type: ignore[misc]
    """Batches without end, the same for the same arguments."""

    def __init__(self, key: bytes, vocabulary: Mapping[str, int], settings: Settings) -> None:
        self._arguments = key, vocabulary, settings

    def __iter__(self) -> Iterator[Batch]:
        """Yield batches."""
        key, vocabulary, settings = self._arguments
        rng = np.random.default_rng([settings.seed, 1])
        examples = (example for _, example in iter_examples(key, vocabulary, settings.seed))
        while True:
            pool = sorted((next(examples) for _ in range(_POOL)), key=lambda example: len(example.row.text))
            cuts: list[list[Example]] = [[]]
            for example in pool:
                if (len(cuts[-1]) + 1) * len(example.row.text) > settings.tokens:
                    cuts.append([])
                cuts[-1].append(example)
            for place in rng.permutation(len(cuts)):
                yield batch_of(cuts[place])


def batch_of(examples: Sequence[Example]) -> Batch:
    """Return examples as one batch."""
    length = max(len(example.row.text) for example in examples)
    steps = max(len(example.spelled) for example in examples) + 1
    inputs = torch.zeros(4, len(examples), length, dtype=torch.long)
    spelled = torch.full((len(examples), steps), END)
    wanted, pointers = (torch.full((len(examples), steps), UNKNOWN) for _ in range(2))
    labels, ordinals = (torch.full((len(examples), length), UNKNOWN) for _ in range(2))
    for place, example in enumerate(examples):
        row, size, end = example.row, len(example.row.text), len(example.spelled)
        for part, values in enumerate((row.characters, row.folds, row.classes, row.twins)):
            inputs[part, place, :size] = torch.from_numpy(values)
        symbols = torch.tensor([BEGIN, *example.spelled, END])
        spelled[place, : end + 1] = symbols[:-1]
        wanted[place, : end + 1] = symbols[1:]
        labels[place, :size] = torch.tensor(example.labels)
        ordinals[place, :size] = torch.tensor(example.ordinals).clamp(max=ORDINALS - 1)
        pointers[place, : end + 1] = torch.tensor(example.pointers)
    return Batch(inputs, spelled, wanted, labels, ordinals, pointers)


def losses(network: Network, batch: Batch) -> tuple[Tensor, Tensor]:
    """Return the loss of the entry, and the sum of the others."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = network(batch.inputs, batch.spelled)
    # A character of the entry may stand in a part of a session that was cut away.
    entry = _mean(out.symbols, batch.wanted)
    others = _mean(out.labels, batch.labels) + 0.5 * _mean(out.ordinals, batch.ordinals)
    looks = out.pointers.flatten(0, 1)
    known = batch.pointers.flatten() >= 0
    if known.any():
        others = others - looks[known].gather(1, batch.pointers.flatten()[known, None]).mean()
    return entry, others


def _mean(logits: Tensor, wanted: Tensor) -> Tensor:
    logits, wanted = logits.flatten(0, 1).float(), wanted.flatten()
    known = (wanted >= 0).sum().clamp(min=1)
    return functional.cross_entropy(logits, wanted, ignore_index=UNKNOWN, reduction="sum") / known


def train(
    key: bytes,
    vocabulary: Mapping[str, int],
    shape: Shape,
    settings: Settings,
    save: Callable[[int, Weights], None],
    every: int = 250,
) -> Weights:
    """Return the mean weights of a network after training.

    Args:
        key: Key of the whole set.
        vocabulary: Row of each known character.
        shape: Sizes.
        settings: How it is trained.
        save: Called with the update and the weights so far, now and then.
        every: How many updates lie between two calls.
    """
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    network = Network(shape, len(vocabulary))
    mean = {name: value.detach().clone() for name, value in network.state_dict().items()}
    optimisers = _optimisers(network, settings)
    loader = DataLoader(Batches(key, vocabulary, settings), batch_size=None, num_workers=1, prefetch_factor=8)
    begin, seen = time.monotonic(), 0
    kept = torch.zeros(3)
    for step, batch in enumerate(loader, start=1):
        entry, others = losses(network, batch)
        (entry + settings.auxiliary * others).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        share = min(1.0, step / settings.warmup, (settings.steps - step) / (settings.cooled * settings.steps))
        for optimiser in optimisers:
            for group in optimiser.param_groups:
                group["lr"] = settings.rate * share
            optimiser.step()
            optimiser.zero_grad()
        kept_share = min(settings.averaged, step / (step + 10))
        with torch.no_grad():
            for name, value in network.state_dict().items():
                mean[name].lerp_(value, 1 - kept_share)
        seen += batch.inputs.shape[1]
        kept = kept * 0.98 + 0.02 * torch.tensor([float(entry.detach()), float(others.detach()), 1.0])
        if step % 100 == 0:
            shown = kept / kept[2]
            spent = time.monotonic() - begin
            sys.stderr.write(
                f"step {step} of {settings.steps}: entry {shown[0]:.4f}, others {shown[1]:.4f}, "
                f"{seen} sessions, {spent:.0f} s\n"
            )
            sys.stderr.flush()
        if step % every == 0 or step == settings.steps:
            save(step, _arrays(mean))
        if step == settings.steps:
            break
    return _arrays(mean)


def _optimisers(network: Network, settings: Settings) -> list[torch.optim.Optimizer]:
    """Return Muon for the matrices inside blocks (Jordan et al. 2024), AdamW for all else."""
    matrices = [
        value
        for name, value in network.named_parameters()
        if name.startswith(("encoder.", "decoder.")) and value.ndim == 2
    ]
    chosen = {id(value) for value in matrices}
    others = [value for value in network.parameters() if id(value) not in chosen]
    rate, decay = settings.rate, settings.decay
    return [
        torch.optim.Muon(matrices, lr=rate, weight_decay=decay, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
    ]


def _arrays(mean: Mapping[str, Tensor]) -> Weights:
    return {name: value.numpy().copy() for name, value in mean.items() if not name.startswith("ordinals.")}
