"""The rule restorer with a word trigram model: what stands around a word helps to say which word it is."""

from __future__ import annotations

from dataclasses import dataclass

from riskchain_gym.agents.restore.ngram import TrigramModel, load_model
from riskchain_gym.agents.restore.rules import RulesRestorer
from riskchain_gym.agents.restore.vocabulary import word_cost
from riskchain_gym.protocol.errors import ConfigError

MODEL = "rules-lm.txt"
"""File of the model in ``baselines/models/``."""

WEIGHT = 0.7
"""How much the model counts beside the word costs of the rules; chosen on messages of ``dev``."""


@dataclass(frozen=True)
class MixedScorer:
    """Scores words with a model and with their costs by themselves: a log-linear mean of the two.

    Attributes:
        model: The model.
        weight: The share of the model, from 0, where the words' own costs decide, to 1.
    """

    model: TrigramModel
    weight: float

    def word(self, previous: tuple[str, ...], word: str) -> float:
        """Return the mean log-probability of a word after others."""
        return self.weight * self.model.word(previous, word) - (1 - self.weight) * word_cost(word)


class RulesLMRestorer(RulesRestorer):
    """Restores as :class:`~riskchain_gym.agents.restore.rules.RulesRestorer` does, up the whole ladder.

    Where characters can be read as several words, a trigram model chooses with the rules.

    Args:
        weight: The share of the model, above 0 and at most 1.

    Raises:
        ConfigError: The weight is outside these bounds.
        InputFileError: The model's file is missing or malformed.
    """

    def __init__(self, weight: float = WEIGHT) -> None:
        if not 0 < weight <= 1:
            raise ConfigError(f"The weight of the model is {weight:g}: give one above 0 and at most 1.")
        super().__init__(scorer=MixedScorer(load_model(MODEL), weight))
