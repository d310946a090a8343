"""Where a model is and how it is asked; everything but the key, so that settings can be recorded."""

from __future__ import annotations

import json
import os
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, JsonValue, ValidationError, field_validator

from riskchain_gym.llm.request import Structure
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.hints import named_wrongly
from riskchain_gym.protocol.model import Frozen

BASE_URL_VARIABLE = "RISKCHAIN_LLM_BASE_URL"
API_KEY_VARIABLE = "RISKCHAIN_LLM_API_KEY"
MODEL_VARIABLE = "RISKCHAIN_LLM_MODEL"


_SENT = frozenset(
    {
        "model",
        "messages",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "seed",
        "response_format",
        "stream",
        "n",
        "tools",
    }
)
"""Fields of a request that are not for ``extra``: they have settings of their own, or one value that works."""


class ModelSettings(Frozen):
    """How a model is asked. The key is not among it: it is given to the client alone.

    Attributes:
        base_url: Address up to and without ``/chat/completions``, e.g. ``http://127.0.0.1:8000/v1``.
        model: Name of the model at that address.
        endpoint: What the cache knows the address by; the address itself if empty. Give two addresses of the very same
            model one name, and they share their cache.
        temperature: Sampling temperature, or ``None`` to leave it to the server, as does ``"server"`` in a TOML file,
            which has no word for nothing.
        seed: Sampling seed, or ``None`` to leave it to the server.
        max_tokens: Longest answer in tokens.
        token_limit: Name that the server has for that limit.
        structure: How the server is told the shape of an answer.
        timeout: Seconds that one attempt may take as a whole, a day at most.
        attempts: Attempts in all (protocol B.2).
        concurrency: Calls in flight at once, over all threads.
        max_reply_bytes: Largest body that is read.
        extra: Further fields of the request that only this server knows; none that is sent anyway.
    """

    model_config = ConfigDict(hide_input_in_errors=True)  # an address may hold a password

    base_url: str
    model: Annotated[str, Field(min_length=1)]
    endpoint: str = ""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    seed: int | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 1024
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105  (no secret)
    structure: Structure = "json_schema"
    timeout: Annotated[float, Field(gt=0, le=86_400)] = 300.0
    attempts: Annotated[int, Field(ge=1, le=10)] = 3
    concurrency: Annotated[int, Field(ge=1)] = 4
    max_reply_bytes: Annotated[int, Field(ge=1024)] = 4 * 1024 * 1024
    extra: dict[str, JsonValue] = Field(default_factory=dict)

    @field_validator("temperature", mode="before")
    @classmethod
    def _is_left_to_the_server(cls, value: object) -> object:
        return None if value == "server" else value

    @field_validator("extra")
    @classmethod
    def _is_the_servers_own(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted(_SENT & value.keys()):
            raise ValueError(f"'{taken[0]}' is sent already: extra is for fields that only this server knows")
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        return value

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        _ = parts.port  # raises for one that cannot be
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an http or https address, e.g. http://127.0.0.1:8000/v1")
        if parts.path.rstrip("/").endswith("/chat/completions"):
            raise ValueError("must end before /chat/completions")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(f"must hold no user, password or query: give the key as {API_KEY_VARIABLE}")
        return value.rstrip("/")

    @classmethod
    def of(cls, *, base_url: str | None = None, model: str | None = None, **others: Any) -> Self:
        """Return settings of arguments; an address or model that is ``None`` comes from the environment.

        Args:
            base_url: The address, else ``RISKCHAIN_LLM_BASE_URL``.
            model: The model, else ``RISKCHAIN_LLM_MODEL``.
            others: Further attributes.

        Raises:
            ConfigError: Neither argument nor environment gives a value, or one cannot be.
        """
        found = {
            "base_url": base_url or os.environ.get(BASE_URL_VARIABLE, ""),
            "model": model or os.environ.get(MODEL_VARIABLE, ""),
        }
        for name, variable in (("base_url", BASE_URL_VARIABLE), ("model", MODEL_VARIABLE)):
            if not found[name]:
                flag = f"--{name.replace('_', '-')}"
                raise ConfigError(f"A language model needs a {name}: give one with {flag}, or set {variable}.")
        try:
            return cls(**found, **others)
        except ValidationError as error:
            if wrong := named_wrongly(error, [cls]):
                raise ConfigError(f"Model settings: {wrong[0]}: {wrong[1]}") from None
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ConfigError(f"Model settings: {where}: {first['msg'].removeprefix('Value error, ')}.") from None


def api_key_of(given: str | None) -> str:
    """Return the key that is given, else the environment's, else a word for servers that want none.

    Raises:
        ConfigError: No header can carry it; the message does not quote it.
    """
    key = (given or os.environ.get(API_KEY_VARIABLE, "")).strip() or "none"
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(f"The key of the language model ({API_KEY_VARIABLE}) must be one word of printable ASCII.")
    return key
