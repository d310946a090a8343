"""The learned restorer's network in numpy: the same arithmetic that it is trained with in torch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.agents.restore.learned_text import ALPHABET, BUCKETS, CLASSES, FOLDS, SPECIALS, TWINS, Row

END = len(ALPHABET)
"""Symbol after the last of an entry; where it comes first, there is no entry."""

SYMBOLS = END + 1
BEGIN = SYMBOLS
"""What stands before the first symbol; it is never spelled."""

LABELS = 1 + len(ALPHABET) + 2
"""What a character may carry: nothing, a character of the entry, a part of its suffix, a part of another address."""

LONGEST = 24
"""Symbols of the longest string that is spelled."""


@dataclass(frozen=True)
class Shape:
    """Sizes of a network.

    Attributes:
        width: Features of a character.
        heads: Heads of an attention; they share the width.
        hidden: Features between the two linear layers of a block.
        encoder_layers: Blocks that read the session.
        decoder_layers: Blocks that spell the entry.
        reach: How many neighbours, itself among them, the first layer sees of a character; odd.
        base: Base of the rotary positions' rates, from 1 to a billion.

    Raises:
        ValueError: A size is no whole number above 0, or they do not go together.
    """

    width: int = 128
    heads: int = 4
    hidden: int = 384
    encoder_layers: int = 4
    decoder_layers: int = 2
    reach: int = 5
    base: float = 1000.0

    def __post_init__(self) -> None:
        sizes = {name: value for name, value in vars(self).items() if name != "base"}
        for name, value in sizes.items():
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} is no whole number above 0, got {value!r}")
        if self.width % (2 * self.heads):
            raise ValueError(f"{self.heads} heads cannot share {self.width} features by an even number each")
        if self.reach % 2 == 0:
            raise ValueError(f"reach is odd, got {self.reach}")
        if type(self.base) not in (int, float) or not 1 <= self.base <= 1e9:
            raise ValueError(f"base is a number from 1 to a billion, got {self.base!r}")

    def arrays(self, vocabulary: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the name and the shape of each array of a network.

        Args:
            vocabulary: Characters with a row of their own.
        """
        width = self.width
        rows = {"folds": len(FOLDS), "classes": CLASSES, "twins": TWINS, "symbols": BEGIN + 1}
        yield "characters.weight", (SPECIALS + vocabulary + BUCKETS, width)
        for name, count in rows.items():
            yield f"{name}.weight", (count, width)
        yield from _linear("front", width, self.reach * width)
        for layer in range(self.encoder_layers):
            yield from _own_attention(f"encoder.{layer}.0", width)
            yield from _feeding(f"encoder.{layer}.1", width, self.hidden)
        yield "encoded.gain", (width,)
        for layer in range(self.decoder_layers):
            name = f"decoder.{layer}"
            yield from _own_attention(f"{name}.0", width)
            yield f"{name}.1.norm.gain", (width,)
            yield f"{name}.1.query.weight", (width, width)
            yield f"{name}.1.memory.weight", (2 * width, width)
            yield f"{name}.1.outward.weight", (width, width)
            yield from _feeding(f"{name}.2", width, self.hidden)
        yield "decoded.gain", (width,)
        yield from _linear("output", SYMBOLS, width)
        yield from _linear("labels", LABELS, width)


def _linear(name: str, rows: int, columns: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (rows, columns)
    yield f"{name}.bias", (rows,)


def _own_attention(name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.norm.gain", (width,)
    yield f"{name}.inward.weight", (3 * width, width)
    yield f"{name}.outward.weight", (width, width)


def _feeding(name: str, width: int, hidden: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.norm.gain", (width,)
    yield from _linear(f"{name}.up", hidden, width)
    yield from _linear(f"{name}.down", width, hidden)


Floats = NDArray[np.floating[Any]]


class Spelling(NamedTuple):
    """A string of symbols.

    Attributes:
        text: The characters, without the end.
        score: The natural logarithm of its probability.
        looks: Index of the character of the session that each of its characters was read off.
    """

    text: str
    score: float
    looks: tuple[int, ...]


class Network:
    """Reads a session and spells its entry.

    Args:
        weights: Arrays by their names in the training network.
        shape: Sizes.
        vocabulary: Row of each known character in the table of characters.

    Raises:
        ValueError: An array is missing, one is too many, has another shape than the sizes say, or holds what is no
            finite number.
    """

    def __init__(self, weights: Mapping[str, Floats], shape: Shape, vocabulary: Mapping[str, int]) -> None:
        _check(weights, shape, len(vocabulary))
        self.shape = shape
        self.vocabulary = dict(vocabulary)
        self._weights = dict(weights)
        self._size = shape.width // shape.heads
        rates = np.float32(shape.base) ** (-np.arange(self._size // 2, dtype=np.float32) / (self._size // 2))
        self._rates = rates.astype(np.float32)

    @property
    def parameters(self) -> int:
        """How many numbers it has learnt."""
        return sum(value.size for value in self._weights.values())

    def read(self, row: Row) -> Floats:
        """Return what the network keeps of a session, ``(length, width)``.

        Args:
            row: The session, of one character or more.
        """
        w, shape = self._weights, self.shape
        x = (
            w["characters.weight"][row.characters]
            + w["folds.weight"][row.folds]
            + w["classes.weight"][row.classes]
            + w["twins.weight"][row.twins]
        )
        half, length = shape.reach // 2, len(x)
        wide = np.pad(x, ((half, half), (0, 0)))
        near = np.concatenate([wide[i : i + length] for i in range(shape.reach)], axis=1)
        x = x + near @ w["front.weight"].T + w["front.bias"]
        cos, sin = self._angles(np.arange(length))
        for layer in range(shape.encoder_layers):
            name = f"encoder.{layer}"
            parts = self._scaled(x, f"{name}.0") @ w[f"{name}.0.inward.weight"].T
            q, k, v = parts.reshape(length, 3, shape.heads, self._size).transpose(1, 2, 0, 3)
            looks = _softmax(_rotated(q, cos, sin) @ _rotated(k, cos, sin).transpose(0, 2, 1) / math.sqrt(self._size))
            x = x + (looks @ v).transpose(1, 0, 2).reshape(length, -1) @ w[f"{name}.0.outward.weight"].T
            x = x + self._feed(x, f"{name}.1")
        return _scale(x, w["encoded.gain"])

    def labels(self, memory: Floats) -> NDArray[np.int64]:
        """Return what each character of a session likely carries: 0 nothing, then the characters of entries in order.

        The two labels behind those are a part of an entry's suffix, and a part of an address that is not meant.

        Args:
            memory: What :meth:`read` returned.
        """
        logits: Floats = memory @ self._weights["labels.weight"].T + self._weights["labels.bias"]
        labels: NDArray[np.int64] = logits.argmax(axis=1)
        return labels

    def spell(self, memory: Floats, beams: int, longest: int = LONGEST) -> list[Spelling]:
        """Return the likeliest strings of a beam search, likeliest first; the empty one says that there is no entry.

        Args:
            memory: What :meth:`read` returned.
            beams: How many strings are kept at each step, and returned at most.
            longest: Symbols after which a string ends.
        """
        state = _State(self, memory)
        done: list[Spelling] = []
        texts, looks = [""], [()]
        scores: Floats = np.zeros(1, np.float32)
        symbols = np.array([BEGIN])
        for step in range(longest + 1):
            logs, seen = state.advance(symbols, step)
            total = scores[:, None] + logs
            done += map(Spelling, texts, total[:, END].tolist(), looks)
            done.sort(key=lambda each: -each.score)
            del done[beams:]
            open_ = total[:, :END]
            best = np.argsort(-open_, axis=None, kind="stable")[:beams]
            if step == longest or (len(done) == beams and open_.flat[best[0]] <= done[-1].score):
                break
            rows, symbols = np.divmod(best, END)
            texts = [texts[row] + ALPHABET[symbol] for row, symbol in zip(rows, symbols, strict=True)]
            looks = [(*looks[row], int(seen[row])) for row in rows]
            scores = open_.flat[best]
            state.keep(rows)
        return done

    def score(self, memory: Floats, texts: Sequence[str]) -> list[float]:
        """Return the natural logarithms of the probabilities of strings; minus infinity for one it cannot spell.

        Args:
            memory: What :meth:`read` returned.
            texts: The strings, without suffix.
        """
        scores = [0.0] * len(texts)
        for place, text in enumerate(texts):
            if any(char not in ALPHABET for char in text):
                scores[place] = -math.inf
                continue
            state = _State(self, memory)
            before = BEGIN
            for step, symbol in enumerate([*(ALPHABET.index(char) for char in text), END]):
                logs, _ = state.advance(np.array([before]), step)
                scores[place] += float(logs[0, symbol])
                before = symbol
        return scores

    def _angles(self, places: NDArray[np.int64]) -> tuple[Floats, Floats]:
        angles = places[:, None].astype(np.float32) * self._rates
        return np.cos(angles), np.sin(angles)

    def _scaled(self, x: Floats, name: str) -> Floats:
        return _scale(x, self._weights[f"{name}.norm.gain"])

    def _feed(self, x: Floats, name: str) -> Floats:
        w = self._weights
        hidden = self._scaled(x, name) @ w[f"{name}.up.weight"].T + w[f"{name}.up.bias"]
        down: Floats = np.maximum(hidden, 0) @ w[f"{name}.down.weight"].T + w[f"{name}.down.bias"]
        return down


class _State:
    """What the strings of a beam have seen so far, each a row of it."""

    def __init__(self, network: Network, memory: Floats) -> None:
        self._network = network
        shape, w = network.shape, network._weights
        self._memory: list[tuple[Floats, Floats]] = []
        self._past: list[tuple[Floats, Floats]] = []
        for layer in range(shape.decoder_layers):
            parts = memory @ w[f"decoder.{layer}.1.memory.weight"].T
            k, v = parts.reshape(len(memory), 2, shape.heads, network._size).transpose(1, 2, 0, 3)
            self._memory.append((np.ascontiguousarray(k.transpose(0, 2, 1)), np.ascontiguousarray(v)))
            empty = np.zeros((1, shape.heads, 0, network._size), np.float32)
            self._past.append((empty, empty))

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Go on with these rows."""
        self._past = [(k[rows], v[rows]) for k, v in self._past]

    def advance(self, symbols: NDArray[np.int64], step: int) -> tuple[Floats, NDArray[np.int64]]:
        """Return the logarithms of the next symbol's probabilities, and where the pointing head looks, for each row."""
        network = self._network
        shape, w, size = network.shape, network._weights, network._size
        rows = len(symbols)
        y = w["symbols.weight"][symbols]
        cos, sin = network._angles(np.array([step]))
        looks = np.zeros((shape.heads, rows, 1), np.float32)
        for layer in range(shape.decoder_layers):
            name = f"decoder.{layer}"
            parts = network._scaled(y, f"{name}.0") @ w[f"{name}.0.inward.weight"].T
            q, k, v = parts.reshape(rows, 3, shape.heads, 1, size).transpose(1, 0, 2, 3, 4)
            past_k, past_v = self._past[layer]
            past_k = np.concatenate((past_k, _rotated(k, cos, sin)), axis=2)
            past_v = np.concatenate((past_v, v), axis=2)
            self._past[layer] = past_k, past_v
            own = _softmax(_rotated(q, cos, sin) @ past_k.transpose(0, 1, 3, 2) / math.sqrt(size)) @ past_v
            y = y + own.reshape(rows, -1) @ w[f"{name}.0.outward.weight"].T
            q = network._scaled(y, f"{name}.1") @ w[f"{name}.1.query.weight"].T
            k, v = self._memory[layer]
            looks = _softmax(q.reshape(rows, shape.heads, size).transpose(1, 0, 2) @ k / math.sqrt(size))
            seen = (looks @ v).transpose(1, 0, 2).reshape(rows, -1)
            y = y + seen @ w[f"{name}.1.outward.weight"].T
            y = y + network._feed(y, f"{name}.2")
        logits = _scale(y, w["decoded.gain"]) @ w["output.weight"].T + w["output.bias"]
        logits -= logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), looks[0].argmax(axis=1)


def _check(weights: Mapping[str, Floats], shape: Shape, vocabulary: int) -> None:
    wanted: set[str] = set()
    # The sizes of a damaged file may be of any height: the first array that is not there ends it.
    for name, size in shape.arrays(vocabulary):
        if name not in weights:
            raise ValueError(f"there is no array {name}")
        if weights[name].shape != size:
            raise ValueError(f"{name} is {weights[name].shape} and not {size}")
        if not np.isfinite(weights[name]).all():
            raise ValueError(f"{name} holds numbers that are not finite")
        wanted.add(name)
    if more := sorted(weights.keys() - wanted):
        raise ValueError(f"nothing reads the array {more[0]}")


def _scale(x: Floats, gain: Floats) -> Floats:
    centred: Floats = x - x.mean(axis=-1, keepdims=True)
    scaled: Floats = centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + np.float32(1e-5)) * gain
    return scaled


def _rotated(x: Floats, cos: Floats, sin: Floats) -> Floats:
    first, second = x[..., ::2], x[..., 1::2]
    return np.stack((first * cos - second * sin, first * sin + second * cos), axis=-1).reshape(x.shape)


def _softmax(x: Floats) -> Floats:
    weights: Floats = np.exp(x - x.max(axis=-1, keepdims=True))
    shares: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return shares
