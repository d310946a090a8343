"""Facts: what is drawn once for a site from its key, in the order in which the spec lists it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.sites.expressions import BUILD, ExpressionError, evaluate, not_too_long, render, scalar_of
from riskchain_gym.sites.spec import FactSpec, Scalar

FROZEN_DATE = date(2026, 6, 15)
"""Today, on every site."""

Banks = Mapping[str, tuple[str, ...]]


class Facts:
    """The facts of one site, or of one fragment on top of it.

    Args:
        key: The split's key.
        label: What the site is called; with the key it decides every draw.
        banks: Phrase banks by name.
        known: Facts that exist already.
    """

    def __init__(
        self, key: bytes, label: tuple[str, ...], banks: Banks, known: Mapping[str, Scalar] | None = None
    ) -> None:
        self._key = key
        self._label = label
        self._banks = banks
        self.values: dict[str, Scalar] = dict(known or {})

    def rng(self, *purpose: str) -> KeyedRandom:
        """Return the site's stream of draws for one purpose."""
        return KeyedRandom(self._key, *self._label, *purpose)

    def source(self) -> tuple[bytes, tuple[str, ...], Banks]:
        """Return key, label and banks, for facts on top of these."""
        return self._key, self._label, self._banks

    def draw(self, facts: Mapping[str, FactSpec], scope: str = "facts") -> None:
        """Draw facts in order and add them to :attr:`values`.

        Raises:
            ExpressionError: An expression cannot be evaluated, or a fact is too long; the text names the fact.
        """
        for name, spec in facts.items():
            try:
                self.values[name] = not_too_long(self._draw(spec, self.rng(scope, name)))
            except ExpressionError as error:
                raise ExpressionError(f"fact '{name}': {error}") from None

    def _draw(self, spec: FactSpec, rng: KeyedRandom) -> Scalar:
        if spec.bank is not None:
            return self.fill(rng.choice(self._bank(spec.bank)))
        if spec.join is not None:
            return self.fill("".join(rng.choice(self._bank(name)) for name in spec.join))
        if spec.choice is not None:
            picked = rng.choice(spec.choice)
            return self.fill(picked) if isinstance(picked, str) else picked
        if spec.number is not None:
            low, high = spec.number
            return low + spec.step * rng.below((high - low) // spec.step + 1)
        if spec.date is not None:
            return (FROZEN_DATE + timedelta(days=rng.integer(*spec.date))).isoformat()
        if spec.code is not None:
            return "".join(self._code_character(c, rng) for c in spec.code)
        return scalar_of(evaluate(BUILD, str(spec.expr), self.context()))

    def _bank(self, name: str) -> tuple[str, ...]:
        if name not in self._banks:
            raise ExpressionError(f"there is no phrase bank '{name}'")
        return self._banks[name]

    @staticmethod
    def _code_character(character: str, rng: KeyedRandom) -> str:
        if character == "#":
            return rng.choice("0123456789")
        return rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") if character == "@" else character

    def context(self) -> dict[str, Any]:
        """Return what a ``[[ … ]]`` placeholder may use: the facts and ``say``."""
        return {**self.values, "say": self.say}

    def say(self, *options: Scalar) -> Scalar:
        """Return one of the options; on one site the same options always give the same one."""
        if not options:
            raise ExpressionError("say() needs at least one option")
        return self.rng("say", *map(str, options)).choice(options)

    def fill(self, text: str) -> str:
        """Return the text with its ``[[ … ]]`` placeholders filled in and the spaces around it gone."""
        return (render(BUILD, text, self.context()) if "[[" in text else text).strip(" \t\r\n")
