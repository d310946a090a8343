"""Sites to look at: random ones, the pages on a way through one, and a visit in any browser."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from riskchain_gym.protocol.gold import PathStep
from riskchain_gym.protocol.keyed import KeyedRandom, keyed_id
from riskchain_gym.sites.archetypes import load_archetype
from riskchain_gym.sites.certify import replay
from riskchain_gym.sites.compile import compile_site
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.engine import Response
from riskchain_gym.sites.library import Library, library
from riskchain_gym.sites.render import render_page
from riskchain_gym.sites.server import SandboxServer
from riskchain_gym.sites.session import SiteSession
from riskchain_gym.sites.spec import Lang


@dataclass(frozen=True)
class ShownPage:
    """A page as it is served.

    Attributes:
        caption: Its path and title.
        html: Its document.
    """

    caption: str
    html: str


@dataclass(frozen=True)
class DrawnSite:
    """A site drawn at random, and from what.

    Attributes:
        archetype: Name of its archetype.
        site: The site.
    """

    archetype: str
    site: CompiledSite

    @property
    def caption(self) -> str:
        """Archetype and, in a second line, language, presentation form and theme."""
        look = self.site.look
        return f"{self.archetype}\n{self.site.lang} · {look.presentation} · {look.theme}"


def random_sites(
    count: int, key: bytes, *, lang: Lang | None = None, content: Library | None = None
) -> Iterator[DrawnSite]:
    """Yield sites over all archetypes; none comes twice before all have come.

    Args:
        count: How many.
        key: What they are drawn under.
        lang: Only this language; by default each site is drawn one of its archetype's.
        content: Content folder; the project's own by default.

    Raises:
        InputFileError: An archetype's files are wrong.
    """
    content = content or library()
    rng = KeyedRandom(key, "shown sites")
    names = [name for name in content.archetype_names() if lang is None or lang in content.languages(name)]
    order: list[str] = []
    for i in range(count if names else 0):
        if not order:
            order = list(names)
            rng.shuffle(order)
        name, label = order.pop(), f"shown-{i}"
        spoken: Lang = rng.choice(content.languages(name)) if lang is None else lang
        spec = load_archetype(name, content, spoken)
        compiled = compile_site(spec, key, label, keyed_id(key, "site", label), content=content)
        yield DrawnSite(name, compiled.site)


def landing_page(site: CompiledSite) -> ShownPage:
    """Return the first page that a visitor of the site sees."""
    page = SiteSession(site).open(site.home).page
    assert page is not None, "a landing page is a page"
    return ShownPage(f"{page.path} {page.title}", render_page(page, site.look))


def pages_on_path(site: CompiledSite, path: Sequence[PathStep]) -> Iterator[ShownPage]:
    """Yield the landing page and every page that the steps of a path bring up, in order.

    Raises:
        CertificateError: A step names a control that the page does not show.
    """
    for page in replay(site, path):
        yield ShownPage(f"{page.path} {page.title}", render_page(page, site.look))


class Visit(SiteSession):
    """A person's visit: what is asked for counts as a step, its redirects with it; no environment counts any here."""

    def __init__(self, site: CompiledSite) -> None:
        super().__init__(site)
        self._redirected = False
        self._asking = threading.RLock()

    def get(self, path: str) -> Response:
        """Answer a GET; a redirect is not followed."""
        return self._counted(lambda: super(Visit, self).get(path))

    def post(self, path: str, form: Mapping[str, str]) -> Response:
        """Answer a POST; a redirect is not followed."""
        return self._counted(lambda: super(Visit, self).post(path, form))

    def _counted(self, answer: Callable[[], Response]) -> Response:
        with self._asking:
            if not self._redirected:
                self.tick()
            response = answer()
            self._redirected = bool(response.location)
            return response


@contextmanager
def served(site: CompiledSite) -> Iterator[str]:
    """Serve a site to the browsers of this machine and yield its address, until the block is left."""
    with SandboxServer() as server:
        visit = Visit(site)
        for host in ("127.0.0.1", "localhost"):
            server.register(f"{host}:{server.port}", visit)
        yield f"http://127.0.0.1:{server.port}/"
