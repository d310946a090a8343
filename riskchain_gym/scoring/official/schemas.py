"""The models of the rows that the published scorers take, by the name of their JSON schema."""

from __future__ import annotations

from riskchain_gym.messages.official import EvaluatorRow, PredictionRow
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.official.paired import PairedRow

OFFICIAL_SCHEMAS: dict[str, type[Frozen]] = {
    "official-evaluator": EvaluatorRow,
    "official-prediction": PredictionRow,
    "official-paired": PairedRow,
}
"""One a file of ``riskchain official``."""
