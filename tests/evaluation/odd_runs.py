"""Runs of agents that misbehave, as tests look at them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from odd_agents import CHAINS, PROCESSES

from riskchain_gym.evaluation.incidents import Incident, IncidentLog
from riskchain_gym.evaluation.seal import Seal
from riskchain_gym.evaluation.store import RunFolder

psutil = pytest.importorskip("psutil")

ONE = replace(PROCESSES, workers=1, chains=CHAINS[:1])


def sealed(run: RunFolder) -> Seal:
    assert run.seal is not None
    return run.seal


def incidents(run: RunFolder) -> list[Incident]:
    return list(IncidentLog(run.path).entries())
