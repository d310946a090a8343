"""A backend that is lost when told to, and then has to be opened again, as a browser would have to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from riskchain_gym.envs.backends.base import ActResult, BrowseBackend, RawPage
from riskchain_gym.protocol.errors import InfrastructureError

R = TypeVar("R")

SECRET = "k3f9a2.test at 127.0.0.1:4242 left /home/user/profile"


class LossyBackend:
    """Counts the calls of a backend, from 1, and fails at some of them after they were carried out.

    Attributes:
        fail_at: The numbers of those calls.
        cause: With what cause they fail.
        calls: Calls so far.
        opens: How many of them opened a site.
        on_call: Called before each, with its number.
    """

    def __init__(self, inner: BrowseBackend, fail_at: Iterable[int] = (), cause: str = "browser_lost") -> None:
        self.inner = inner
        self.fail_at = frozenset(fail_at)
        self.cause = cause
        self.calls = 0
        self.opens = 0
        self.on_call: Callable[[int], None] = lambda _: None
        self._is_lost = True

    def open(self, site: Any) -> RawPage:
        self.opens += 1
        self._is_lost = False
        return self._count(lambda: self.inner.open(site))

    def act(self, action: Any, key: str | None) -> ActResult:
        return self._count(lambda: self.inner.act(action, key))

    def screenshot(self) -> Any:
        return self._count(self.inner.screenshot)

    def axtree(self, ids: dict[str, str]) -> str:
        return self._count(lambda: self.inner.axtree(ids))

    def dom(self, ids: dict[str, str]) -> str:
        return self._count(lambda: self.inner.dom(ids))

    def message_image(self, message: Any, theme: Any) -> Any:
        return self.inner.message_image(message, theme)

    def egress(self) -> dict[str, int]:
        return self.inner.egress()

    def close(self) -> None:
        self.inner.close()

    def _count(self, call: Callable[[], R]) -> R:
        self.calls += 1
        if self._is_lost:
            raise InfrastructureError("not_open", "It was lost: call open().")
        self.on_call(self.calls)
        result = call()
        if self.calls in self.fail_at:
            self._is_lost = True
            raise InfrastructureError(self.cause, f"Call {self.calls} failed: {SECRET}.")
        return result
