"""A session on a replay site: it answers what was captured, and keeps no state but where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import RLock
from urllib.parse import urlsplit

from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.sites.engine import Response
from riskchain_gym.sites.replay.addresses import Address, parse
from riskchain_gym.sites.replay.fields import field_value
from riskchain_gym.sites.replay.model import ImportedSite, Resource

_SOURCES = (
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; media-src 'self' data:; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
)
POLICY = f"default-src 'none'; {_SOURCES}"
"""Content security policy of everything served: a page may load from its own site only, and runs no script."""

SCRIPT_POLICY = f"default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'; {_SOURCES}"
"""The policy of pages whose scripts were kept: they may reach their own site only."""


@dataclass(frozen=True)
class ReplayState:
    """All that a visit to a replay site leaves behind.

    Attributes:
        page: Path asked for last.
        steps: Environment steps taken so far.
    """

    page: str
    steps: int = 0


class ReplaySession:
    """Holds one visit to a replay site; every method is safe to call from any thread.

    Args:
        site: The site visited.

    Attributes:
        failure: Always ``None``: there is nothing in a replay that could fail.
    """

    def __init__(self, site: ImportedSite) -> None:
        self.site = site
        self.failure: InfrastructureError | None = None
        self._state = ReplayState(site.home)
        self._lock = RLock()

    @property
    def has_scripts(self) -> bool:
        """Whether the pages have scripts."""
        return self.site.replay.scripts

    @property
    def state(self) -> ReplayState:
        """The state as it is now."""
        return self._state

    def get(self, path: str) -> Response:
        """Answer a GET; a redirect is not followed."""
        with self._lock:
            self._state = replace(self._state, page=path)
        return self.peek(path)

    def peek(self, path: str) -> Response:
        """Return what a GET would answer, and change nothing."""
        replay = self.site.replay
        found = _find(replay.resources, path)
        if found is None and path.partition("?")[0] == "/":
            return Response(302, location=replay.entry)
        return self._response(found, 302)

    def post(self, path: str, form: Mapping[str, str]) -> Response:  # noqa: ARG002 - whatever was sent, the capture answers
        """Answer a form: with what was captured for a POST to its path, else for a GET."""
        with self._lock:
            self._state = replace(self._state, page=path)
        replay = self.site.replay
        return self._response(_find(replay.posts, path) or _find(replay.resources, path), 303)

    def open(self, path: str) -> Response:
        """Answer a GET and follow its redirects, as a browser would."""
        response = self.get(path)
        while response.location:
            response = self.get(response.location)
        return response

    def tick(self) -> None:
        """Count one environment step."""
        with self._lock:
            self._state = replace(self._state, steps=self._state.steps + 1)

    def reset(self) -> None:
        """Forget the visit."""
        with self._lock:
            self._state = ReplayState(self.site.home)

    def fixture(self, path: str, key: str) -> str:
        """Return the value that the environment types into a field.

        Args:
            path: Path of the page shown, perhaps with a query.
            key: Key of the field: its DOM id, or its place in the document.

        Raises:
            KeyError: There is no page there.
        """
        replay = self.site.replay
        shown = [_find(table, path) for table in (replay.resources, replay.posts)]
        pages = [each for each in shown if each is not None and each.content_type.startswith("text/html")]
        if not pages:
            raise KeyError(key)
        return field_value([self._body(page).decode() for page in pages], key)

    def _response(self, resource: Resource | None, redirect: int) -> Response:
        status = None if resource is not None else 404
        resource = resource or self.site.replay.resources[self.site.replay.missing]
        if resource.redirect is not None:
            return Response(redirect, location=resource.redirect)
        is_page = resource.content_type.startswith("text/html")
        return Response(
            status or resource.status,
            body=self._body(resource),
            content_type=resource.content_type,
            policy=SCRIPT_POLICY if is_page and self.site.replay.scripts else POLICY,
            filename=resource.filename,
        )

    def _body(self, resource: Resource) -> bytes:
        assert resource.sha256 is not None, "a resource that is no redirect has a body"
        return self.site.content[resource.sha256]


def _find(table: Mapping[str, Resource], path: str) -> Resource | None:
    """Return what stands on a path: exactly, else without the query."""
    parts = urlsplit(f"http://site{path}")
    address = parse(parts.geturl()) or Address("site", "/", "")
    exact = (path, address.full_path, address.path)
    return next((table[each] for each in exact if each in table), None)
