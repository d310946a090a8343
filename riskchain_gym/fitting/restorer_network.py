"""The learned restorer's network in torch, as it is trained; that of ``agents/restore`` is the one in use."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from riskchain_gym.agents.restore.learned_network import BEGIN, LABELS, SYMBOLS, Shape
from riskchain_gym.agents.restore.learned_text import BUCKETS, CLASSES, FOLDS, SPECIALS, TWINS

ORDINALS = 16
"""Places in an entry that are told apart; later ones count as the last."""


class Outputs(NamedTuple):
    """What the network says of a batch.

    Attributes:
        symbols: Logits of the next symbol, ``(batch, steps, SYMBOLS)``.
        pointers: Logarithms of where the first head of the last layer looks, ``(batch, steps, length)``.
        labels: Logits of what each character carries, ``(batch, length, LABELS)``.
        ordinals: Logits of its place in the entry, ``(batch, length, ORDINALS)``.
    """

    symbols: Tensor
    pointers: Tensor
    labels: Tensor
    ordinals: Tensor


def rotated(x: Tensor, turns: Tensor) -> Tensor:
    """Turn pairs of features by angles that grow with the position (Su et al. 2021, RoFormer)."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turns).flatten(-2)


class Scaled(nn.Module):  # type: ignore[misc]
    """Normalisation to mean 0 and variance 1, with a gain."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """Return the input normalised, times the gain."""
        return functional.layer_norm(x.float(), (x.shape[-1],), self.gain)


class Feed(nn.Module):  # type: ignore[misc]
    """The two linear layers of a block."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = Scaled(width)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return what is added to the input."""
        down: Tensor = self.down(functional.relu(self.up(self.norm(x))))
        return down


class SelfAttention(nn.Module):  # type: ignore[misc]
    """Attention of a row to itself, with rotary positions."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = Scaled(width)
        self.inward = nn.Linear(width, 3 * width, bias=False)
        self.outward = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, turns: Tensor, mask: Tensor | None) -> Tensor:
        """Return what is added to the input; without a mask, nothing looks ahead."""
        batch, length, width = x.shape
        parts = self.inward(self.norm(x)).view(batch, length, 3, self.heads, width // self.heads)
        # Attention in half precision is slower going backwards than in single precision.
        parts = parts.permute(2, 0, 3, 1, 4).float()
        q, k = rotated(parts[:2].contiguous(), turns)
        v = parts[2]
        with torch.autocast("cpu", enabled=False):
            seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        out: Tensor = self.outward(seen.transpose(1, 2).reshape(batch, length, width))
        return out


class CrossAttention(nn.Module):  # type: ignore[misc]
    """Attention of the entry to the session."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = Scaled(width)
        self.query = nn.Linear(width, width, bias=False)
        self.memory = nn.Linear(width, 2 * width, bias=False)
        self.outward = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is added to the input, and the logarithms of where the first head looks."""
        batch, steps, width = x.shape
        size = width // self.heads
        q = self.query(self.norm(x)).view(batch, steps, self.heads, size).transpose(1, 2)
        k, v = self.memory(memory).view(batch, -1, 2, self.heads, size).permute(2, 0, 3, 1, 4)
        looks = ((q @ k.transpose(2, 3)).float() / math.sqrt(size) + mask).log_softmax(-1)
        seen = looks.exp().to(v.dtype) @ v
        return self.outward(seen.transpose(1, 2).reshape(batch, steps, width)), looks[:, 0]


class Network(nn.Module):  # type: ignore[misc]
    """Reads a session and spells its entry, one symbol after the other.

    Args:
        shape: Sizes.
        vocabulary: Number of characters with a row of their own.
    """

    def __init__(self, shape: Shape, vocabulary: int) -> None:
        super().__init__()
        width = shape.width
        self.shape = shape
        self.characters = nn.Embedding(SPECIALS + vocabulary + BUCKETS, width)
        self.folds = nn.Embedding(len(FOLDS), width)
        self.classes = nn.Embedding(CLASSES, width)
        self.twins = nn.Embedding(TWINS, width)
        self.front = nn.Linear(shape.reach * width, width)
        self.encoder = nn.ModuleList(
            nn.ModuleList((SelfAttention(width, shape.heads), Feed(width, shape.hidden)))
            for _ in range(shape.encoder_layers)
        )
        self.encoded = Scaled(width)
        self.symbols = nn.Embedding(BEGIN + 1, width)
        self.decoder = nn.ModuleList(
            nn.ModuleList(
                (SelfAttention(width, shape.heads), CrossAttention(width, shape.heads), Feed(width, shape.hidden))
            )
            for _ in range(shape.decoder_layers)
        )
        self.decoded = Scaled(width)
        self.output = nn.Linear(width, SYMBOLS)
        self.labels = nn.Linear(width, LABELS)
        self.ordinals = nn.Linear(width, ORDINALS)
        for table in (self.characters, self.folds, self.classes, self.twins, self.symbols):
            nn.init.normal_(table.weight, std=0.5)
        depth = 2 * shape.encoder_layers
        for layer in (*self.encoder, *self.decoder):
            for part in layer:
                last = part.down if isinstance(part, Feed) else part.outward
                nn.init.normal_(last.weight, std=0.5 / math.sqrt(depth * width))

    def _turns(self, length: int) -> Tensor:
        size = self.shape.width // self.shape.heads // 2
        rates = torch.tensor(self.shape.base, dtype=torch.float32) ** (-torch.arange(size) / size)
        angles = torch.arange(length)[:, None] * rates
        return torch.polar(torch.ones_like(angles), angles)

    def forward(self, inputs: Tensor, spelled: Tensor) -> Outputs:
        """Return logits for a batch.

        Args:
            inputs: Characters, folds, classes and twins, ``(4, batch, length)``; rows of padding are 0.
            spelled: The symbols before each step, ``(batch, steps)``.
        """
        padding = inputs[0] == 0
        mask = torch.zeros(padding.shape).masked_fill(padding, -1e4)[:, None, None, :]
        tables = (self.characters, self.folds, self.classes, self.twins)
        x = torch.stack([table(part) for table, part in zip(tables, inputs, strict=True)]).sum(0)
        x = x.masked_fill(padding[:, :, None], 0.0)
        half = self.shape.reach // 2
        wide = functional.pad(x, (0, 0, half, half))
        x = x + self.front(torch.cat([wide[:, i : i + x.shape[1]] for i in range(self.shape.reach)], dim=-1))
        turns = self._turns(x.shape[1])
        for attention, feed in self.encoder:
            x = x + attention(x, turns, mask)
            x = x + feed(x)
        memory = self.encoded(x)
        y = self.symbols(spelled)
        turns = self._turns(y.shape[1])
        looks = torch.empty(0)
        for attention, cross, feed in self.decoder:
            y = y + attention(y, turns, None)
            seen, looks = cross(y, memory, mask)
            y = y + seen
            y = y + feed(y)
        return Outputs(self.output(self.decoded(y)), looks, self.labels(memory), self.ordinals(memory))
