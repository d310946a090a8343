"""Interchange with the published benchmark: its input, evaluator and prediction rows (protocol A.1, A.7, A.13).

:func:`read_inputs` takes our own input rows too.

A restorer is passed the :class:`Message` only; the sample id beside it is for the file, never for the agent.
"""

from __future__ import annotations

from riskchain_gym.messages.official_gold import EvaluatorRow, read_evaluator_rows
from riskchain_gym.messages.official_inputs import (
    SYNTHETIC_CLIENT,
    ClientContext,
    OpenRow,
    ShortRow,
    TaskRow,
    read_inputs,
    write_inputs,
)
from riskchain_gym.messages.official_predictions import (
    InputView,
    PredictedEntry,
    PredictedRestoration,
    PredictionRow,
    check_ids,
    read_predictions,
    write_predictions,
)

__all__ = [
    "SYNTHETIC_CLIENT",
    "ClientContext",
    "EvaluatorRow",
    "InputView",
    "OpenRow",
    "PredictedEntry",
    "PredictedRestoration",
    "PredictionRow",
    "ShortRow",
    "TaskRow",
    "check_ids",
    "read_evaluator_rows",
    "read_inputs",
    "read_predictions",
    "write_inputs",
    "write_predictions",
]
