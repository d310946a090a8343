"""The models of one run: answers are kept in its folder, and what they cost counts from one start to the next."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from riskchain_gym.agents.models import Models
from riskchain_gym.agents.overrides import Overrides
from riskchain_gym.agents.registry import LoadedAgent, load_agent
from riskchain_gym.agents.usage import CallRecord
from riskchain_gym.evaluation.calls import REPLIES, CallLog, was_paid
from riskchain_gym.llm.budget import Budget, counts
from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.prices import PriceTable, shipped_prices
from riskchain_gym.llm.settings import ModelSettings


@dataclass(frozen=True)
class Asking:
    """How the agents of a run ask their models; none of it bears on what is answered but the overrides.

    Attributes:
        overrides: What wins over an agent's file, by the agent as it was asked for.
        prices: What tokens cost; those that ship by default.
        max_cost: US dollars that each run may cost from its first start on, or ``None`` for no limit.
        cache: Folder for answers, shared with other runs; by default each run keeps its own.
    """

    overrides: Mapping[str, Overrides] = field(default_factory=dict)
    prices: PriceTable | None = None
    max_cost: float | None = None
    cache: Path | None = None


class RunModels:
    """Opens the models of one run for all its threads.

    Args:
        asking: How they are asked.
        run: The run folder; it need not exist yet, and only answers are written, once there are some.
        workers: Episodes side by side; as many calls are in flight at least, where the agent does not say.
        repeat: Which repeat of the run it is; each is answered anew, also from a cache that they share.

    Raises:
        ConfigError: The limit is not a positive number.
    """

    def __init__(self, asking: Asking, run: Path, workers: int, repeat: int = 0) -> None:
        self._asking = asking
        self._workers = workers
        self._repeat = repeat
        self._prices = asking.prices or shipped_prices()
        self._cache = ReplyCache(asking.cache or run / REPLIES)
        self._budget = Budget(asking.max_cost) if asking.max_cost is not None else None
        self._models = Models(make_client=self._client)
        self._log = CallLog(run)
        self._heard: set[tuple[str, str]] = set()
        self._counting = threading.Lock()
        self._name = ""

    def load(self, agent: str) -> LoadedAgent:
        """Make the agent, once more for each thread.

        Raises:
            RiskChainError: As :func:`~riskchain_gym.agents.registry.load_agent` does; there is a limit and the model
                has no price.
        """
        loaded = load_agent(agent, models=self._models, overrides=self._asking.overrides.get(agent))
        names = {settings.model for settings in loaded.models}
        self._name = names.pop() if len(names) == 1 else ""
        return loaded

    def count_earlier(self) -> None:
        """Count what earlier starts of the run have paid.

        Raises:
            InputFileError: A line of the log is malformed.
        """
        for entry in self._log.entries():
            self._add(entry.calls, now=False)

    def count(self, calls: Sequence[CallRecord]) -> None:
        """Count the calls of an attempt at a chain that has just ended."""
        with self._counting:
            self._add(calls, now=True)

    def close(self) -> None:
        """End calls in flight and let go of the models; idempotent."""
        self._models.close()

    def _add(self, calls: Sequence[CallRecord], *, now: bool) -> None:
        """Count the calls of an attempt that the budget does not know of.

        The client counts what it pays. An answer in the run's own cache that no line tells of was paid by a process
        that was killed before it could write the line.
        """
        for call in calls:
            # Different questions may have the same answer to the byte, and one question several answers: each was paid.
            heard = (call.request_sha256, call.reply_sha256)
            unheard = self._asking.cache is None and heard not in self._heard
            if call.reply_sha256:
                self._heard.add(heard)
            if self._budget is None or not ((was_paid(call) and not now) or (call.cached and unheard)):
                continue
            cost = self._cost(call)
            if counts(call.failure, cost):
                self._budget.add(cost)

    def _cost(self, call: CallRecord) -> float | None:
        return call.cost if call.cost is not None else self._prices.cost(self._name, call.usage)

    def client_settings(self, settings: ModelSettings) -> ModelSettings:
        """Return how a model is asked in this run, given how its agent says; by that its answers are kept."""
        changes: dict[str, object] = {}
        if self._asking.cache is None:
            # A run's answers are those of its model, at whatever port that is served today.
            changes["endpoint"] = settings.endpoint or settings.model
        elif self._repeat:
            changes["endpoint"] = f"{settings.endpoint or settings.base_url} (repeat {self._repeat})"
        if "concurrency" not in settings.model_fields_set:
            changes["concurrency"] = max(settings.concurrency, self._workers)
        return settings.model_copy(update=changes)

    def _client(self, settings: ModelSettings) -> ModelClient:
        return ModelClient(self.client_settings(settings), cache=self._cache, prices=self._prices, budget=self._budget)
