"""A session: one visitor's stay on one site, with the state kept between requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

from riskchain_gym.protocol.errors import InfrastructureError, RiskChainError
from riskchain_gym.sites import engine
from riskchain_gym.sites.compiled import CompiledSite, Look
from riskchain_gym.sites.drawn import drawn_page
from riskchain_gym.sites.engine import Response
from riskchain_gym.sites.fixtures import fixture_value
from riskchain_gym.sites.pageview import PageView
from riskchain_gym.sites.render import render_page
from riskchain_gym.sites.same import Same
from riskchain_gym.sites.state import SiteState, initial_state

DOCUMENTS_KEPT = 256
"""HTML documents kept for pages that are sent again, all sites of the process together; some 20 KiB each."""


class SiteSession:
    """Holds the state of one visit; every method is safe to call from any thread.

    A site that cannot answer raises an :class:`InfrastructureError` of the cause ``site_error``, whatever is asked of
    it.

    Args:
        site: The site visited.

    Attributes:
        failure: The last such error, for a caller whom only a dropped connection reaches.
    """

    has_scripts = False
    """Generated pages have none."""

    def __init__(self, site: CompiledSite) -> None:
        self.site = site
        self.failure: InfrastructureError | None = None
        self._state = initial_state(site)
        self._lock = threading.RLock()

    @property
    def state(self) -> SiteState:
        """The state as it is now."""
        return self._state

    def get(self, path: str) -> Response:
        """Answer a GET; a redirect is not followed."""
        with self._lock:
            with self._failing(path):
                self._state, response = engine.get(self.site, self._state, path)
            return response

    def peek(self, path: str) -> Response:
        """Return what a GET would answer, and change nothing."""
        with self._lock, self._failing(path):
            return engine.get(self.site, self._state, path)[1]

    def post(self, path: str, form: Mapping[str, str]) -> Response:
        """Answer a POST; a redirect is not followed."""
        with self._lock:
            with self._failing(path):
                self._state, response = engine.post(self.site, self._state, path, form)
            return response

    def document(self, page: PageView) -> bytes:
        """Return the HTML document of a page of the site, as it is sent."""
        with self._failing(page.path):
            return _document(Same(page), self.site.look)

    def open(self, path: str) -> Response:
        """Answer a GET and follow its redirects, as a browser would; the answer is a page or a file."""
        with self._lock:
            response = self.get(path)
            while response.location:
                response = self.get(response.location)
            return response

    def tick(self) -> None:
        """Count one environment step."""
        with self._lock:
            self._state = self._state.ticked()

    def reset(self) -> None:
        """Forget the visit."""
        with self._lock:
            self._state = initial_state(self.site)

    def fixture(self, path: str, key: str) -> str:
        """Return the value that the environment types into a control in the current state.

        Args:
            path: Path of the page shown, perhaps with a query.
            key: Key of the control.

        Raises:
            KeyError: The page shows no field with that key now.
        """
        with self._lock:
            page = path.partition("?")[0]
            if page not in self.site.pages:
                raise KeyError(key)
            with self._failing(path):
                fields = drawn_page(self.site, self._state, page)[1]
            field = fields[key]
            with self._failing(path):
                return fixture_value(field, self._state)

    @contextmanager
    def _failing(self, path: str) -> Iterator[None]:
        """Turn whatever a broken site raises into an error that says so: the visitor is not to blame for it."""
        try:
            yield
        except Exception as error:
            what = str(error) if isinstance(error, RiskChainError) else repr(error)
            self.failure = InfrastructureError("site_error", f"{path}: {what}")
            raise self.failure from error


@lru_cache(DOCUMENTS_KEPT)
def _document(page: Same[PageView], look: Look) -> bytes:
    return render_page(page.value, look).encode()
