"""Runs of the language-model agent at a scripted endpoint that does as it is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.llm.fake import FakeEndpoint, FakeRequest
from riskchain_gym.llm.fake_agent import scripted_agent
from riskchain_gym.llm.fake_replies import Fail, FakeReply
from riskchain_gym.llm.prices import Price, PriceTable

MODEL = "tried-out"
CHAINS = tuple(chain.chain_id for chain in load_public("mini"))[:3]
PRICES = PriceTable(as_of="2026-01-01", source="invented", models={MODEL: Price(input=1.0, output=1.0)})


class Script:
    """The scripted agent, which does something else with the requests of some numbers, counted from 1.

    Args:
        others: What comes of a request, by its number.
        always: What comes of every request, instead.
    """

    def __init__(
        self, others: dict[int, Callable[[], FakeReply]] | None = None, always: FakeReply | None = None
    ) -> None:
        self._others = others or {}
        self._always = always
        self._count = 0

    def __call__(self, request: FakeRequest) -> FakeReply:
        self._count += 1
        if self._count in self._others:
            return self._others[self._count]()
        return self._always or scripted_agent(request)


def broken() -> FakeReply:
    return Fail(500, "out of order")


def settings_for(endpoint: FakeEndpoint, *, chains: tuple[str, ...] = CHAINS, **asking: object) -> RunSettings:
    overrides = Overrides(model=MODEL, base_url=endpoint.base_url, settings={"attempts": 1})
    return RunSettings("mini", "text", (), 1, chains, Asking(**{"overrides": {"llm": overrides}, **asking}))  # type: ignore[arg-type]


def repeated(endpoint: FakeEndpoint) -> int:
    """Return how many requests asked for what an earlier one had asked for."""
    asked = Counter(json.dumps(request.body, sort_keys=True) for request in endpoint.requests)
    return sum(asked.values()) - len(asked)


def hashes(run: Path) -> list[str]:
    return [record.hash for record in RunFolder.open(run).records()]
