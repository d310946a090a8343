"""One attempt over the OpenAI SDK: bytes out, bytes in. The only place that knows the SDK and the key."""

from __future__ import annotations

import ipaddress
import threading
import time
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from riskchain_gym.llm.deadline import Deadline
from riskchain_gym.llm.exchange import Exchange
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.scrubbing import scrubber
from riskchain_gym.protocol.errors import MissingExtraError

MAX_ERROR = 65_536
"""Largest body in bytes that is kept of an error."""

_SENT = frozenset({"accept", "content-length", "content-type", "host", "user-agent", "x-stainless-raw-response"})
"""Headers of the SDK that go out; it reads the last one back itself. Whatever else it has, from
``OPENAI_CUSTOM_HEADERS`` or ``OPENAI_ORG_ID`` or of the machine, is for another service than the one at the address."""


class OpenAITransport:
    """Chat completions through the ``openai`` package, without its retries, redirects and headers.

    A request goes to the given address and nowhere else; on its way there it takes the proxy that the environment
    names, but for addresses of this machine.

    Args:
        base_url: The address.
        api_key: The key; it is taken out of everything that servers say.
        timeout: Seconds for the whole attempt.
        max_bytes: Largest body that is read.

    Raises:
        MissingExtraError: The ``llm`` extra is not installed.
    """

    def __init__(self, base_url: str, api_key: str, *, timeout: float, max_bytes: int) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("llm", "A language model client") from error
        http = openai.DefaultHttpxClient(
            follow_redirects=False,
            mounts=_past_proxies(base_url),
            event_hooks={"request": [self._prepare], "response": [self._refuse]},
        )
        self._client = openai.OpenAI(
            base_url=base_url, api_key=api_key, timeout=timeout, max_retries=0, http_client=http
        )
        self._key = api_key
        self._scrubbed = scrubber(api_key)
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._attempt = threading.local()
        self._in_flight: set[Deadline] = set()
        self._closed = False

    def send(self, payload: dict[str, Any]) -> Exchange:
        """Return what came of one attempt."""
        started = time.monotonic()
        self._attempt.refused = None
        with Deadline(self._timeout) as deadline:
            self._attempt.deadline = deadline
            self._in_flight.add(deadline)
            try:
                came = self._read(payload)
            except Exception as error:  # noqa: BLE001  (the boundary to SDK and network; the cause is kept by name)
                came = self._attempt.refused or Exchange(
                    fault=CallFailure.TIMEOUT if _is_timeout(error) else CallFailure.TRANSPORT,
                    detail=self._scrubbed(_said(error)),
                )
            finally:
                self._in_flight.discard(deadline)
        if deadline.passed:  # also if it looks whole: a body without a stated length ends where its connection does
            came = Exchange(fault=CallFailure.TIMEOUT, detail="the reply did not end within the timeout")
        return replace(came, body=self._scrubbed(came.body), seconds=time.monotonic() - started)

    def close(self) -> None:
        """End the attempts in flight as failures, and let no other begin."""
        self._closed = True
        for deadline in tuple(self._in_flight):
            deadline.cut()
        self._client.close()

    def _read(self, payload: dict[str, Any]) -> Exchange:
        if self._closed:
            raise RuntimeError("the client is closed")
        create: Any = self._client.chat.completions.with_streaming_response.create
        read = bytearray()
        with create(**payload) as response:
            for chunk in response.iter_bytes():
                read += chunk
                if len(read) > self._max_bytes:
                    return Exchange(fault=CallFailure.TOO_LARGE, detail="the reply is larger than max_reply_bytes")
            return Exchange(status=response.status_code, body=read.decode("utf-8", "replace"))

    def _prepare(self, request: Any) -> None:
        """Leave only what belongs to this service, and let the deadline have a connection of its own."""
        for name in set(request.headers) - _SENT:
            del request.headers[name]
        own = {"authorization": f"Bearer {self._key}", "accept-encoding": "identity", "connection": "close"}
        request.headers.update(own)
        request.extensions["trace"] = self._attempt.deadline.trace

    def _refuse(self, response: Any) -> None:
        """Take any other status than 200 from the SDK, which would follow it, or read its body whatever its size."""
        if response.status_code == 200:
            return
        read = bytearray()
        for chunk in response.iter_bytes():
            read += chunk
            if len(read) > MAX_ERROR:
                read.clear()  # a cut one could hold a part of the key
                break
        self._attempt.refused = Exchange(
            status=response.status_code,
            body=read.decode("utf-8", "replace"),
            retry_after=_seconds(response.headers.get("retry-after")),
        )
        raise _RefusedError


class _RefusedError(Exception):
    """Ends a request whose answer is known."""


def _past_proxies(address: str) -> dict[str, None]:
    """Return the mounts by which an address of this machine is reached without the environment's proxies."""
    host = urlsplit(address).hostname or ""
    try:
        here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = host == "localhost" or host.endswith(".localhost")
    return {f"all://[{host}]" if ":" in host else f"all://{host}": None} if here else {}


def _said(error: Exception) -> str:
    """Return what an error says, and what is behind it where it only says that there is no connection."""
    behind = str(error.__cause__ or "")
    return f"{type(error).__name__}: {error}" + (f" ({behind})" if behind and behind not in str(error) else "")


def _is_timeout(error: BaseException) -> bool:
    return any("Timeout" in kind.__name__ for kind in type(error).__mro__)


def _seconds(header: str | None) -> float | None:
    """Return the seconds of a Retry-After header; dates and nonsense count as not given."""
    try:
        seconds = float(header) if header else None
    except ValueError:
        return None
    return seconds if seconds is not None and 0 <= seconds < float("inf") else None
