"""The models that the agents of a run ask: one client each, shared by all threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.llm.budget import Budget
from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.llm.client import ChatModel, ModelClient
from riskchain_gym.llm.fake import FakeEndpoint
from riskchain_gym.llm.fake_agent import scripted_agent
from riskchain_gym.llm.fuse import FusedModel
from riskchain_gym.llm.prices import PriceTable
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.model import sha256_of

SCRIPTED = "scripted"
"""The ``base_url`` that stands for the scripted endpoint of this process; it is started when first asked for."""

MakeClient = Callable[[ModelSettings], ChatModel]


class Models:
    """Opens models and closes them.

    Args:
        cache: Folder for answers, which are not asked for twice; ``None`` keeps none.
        prices: Prices, else those that come with the package.
        budget: Guard that further calls are refused by.
        api_key: The key, else that of the environment.
        make_client: Makes what is asked, for estimates and tests; else the client of an OpenAI-compatible address.
    """

    def __init__(
        self,
        *,
        cache: Path | None = None,
        prices: PriceTable | None = None,
        budget: Budget | None = None,
        api_key: str | None = None,
        make_client: MakeClient | None = None,
    ) -> None:
        self._cache = ReplyCache(cache) if cache is not None else None
        self._prices = prices
        self._budget = budget
        self._api_key = api_key
        self._make_client = make_client or self._client
        self._open: dict[str, FusedModel] = {}
        self._clients: list[ChatModel] = []
        self._endpoint: FakeEndpoint | None = None
        self._lock = threading.Lock()

    def settings(self, fields: Mapping[str, Any]) -> ModelSettings:
        """Return the settings that an agent's ``[model]`` table says; what it leaves out comes from the environment.

        Raises:
            ConfigError: Neither table nor environment names an address and a model, or a value cannot be.
        """
        named = dict(fields)
        if named.get("base_url") == SCRIPTED:
            named["base_url"] = self._scripted().base_url
        return ModelSettings.of(**named)

    def asked(self, settings: ModelSettings, *, closing: Callable[[], None] | None = None) -> AskedModel:
        """Return a way to a model for one agent; agents with the same settings share the client.

        Args:
            settings: Where the model is and how it is asked.
            closing: Called when the agent is closed.

        Raises:
            MissingExtraError: The ``llm`` extra is not installed.
            ConfigError: The key cannot be one, or there is a budget and the model has no price to count by.
        """
        name = sha256_of(settings)
        with self._lock:
            if name not in self._open:
                client = self._make_client(settings)
                self._clients.append(client)
                self._open[name] = FusedModel(client)
            return AskedModel(self._open[name], closing=closing)

    def close(self) -> None:
        """End calls in flight and close every client; idempotent."""
        with self._lock:
            clients, self._clients, self._open = self._clients, [], {}
            endpoint, self._endpoint = self._endpoint, None
        for client in clients:
            if isinstance(client, ModelClient):
                client.close()
        if endpoint is not None:
            endpoint.close()

    def __enter__(self) -> Models:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _client(self, settings: ModelSettings) -> ModelClient:
        return ModelClient(settings, api_key=self._api_key, cache=self._cache, prices=self._prices, budget=self._budget)

    def _scripted(self) -> FakeEndpoint:
        with self._lock:
            if self._endpoint is None:
                self._endpoint = FakeEndpoint(scripted_agent, record=False)
            return self._endpoint
