"""Pages drawn once for all states that show them alike, over visits too; the pages asked for last are kept."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from jinja2 import TemplateError

from riskchain_gym.sites.blocks import FieldSpec
from riskchain_gym.sites.compiled import CompiledPage, CompiledSite, path_of
from riskchain_gym.sites.expressions import ExpressionError, expression_uses, template_uses
from riskchain_gym.sites.pageview import PageView
from riskchain_gym.sites.same import Same
from riskchain_gym.sites.shapes import Uses
from riskchain_gym.sites.slots import Slot, iter_slots
from riskchain_gym.sites.state import SiteState
from riskchain_gym.sites.view import show_page_and_fields

PAGES_KEPT = 4096
"""Pages kept, all sites of the process together; some 30 KiB each with what the text backend makes of it."""

_PAGES_READ = 4 * PAGES_KEPT
"""Pages of which it is kept what they read: those of the largest splits, a few hundred bytes each."""

Drawn = tuple[PageView, Mapping[str, FieldSpec]]
"""A page, and the form fields on it by the key of their control."""


def drawn_page(site: CompiledSite, state: SiteState, path: str, served_as: str | None = None) -> Drawn:
    """Return what :func:`~riskchain_gym.sites.view.show_page_and_fields` does, the same object for the same picture.

    Args:
        site: The site.
        state: Its state, this showing of the page counted.
        path: Path of the page.
        served_as: Path and query it was asked for by, if different.

    Raises:
        ExpressionError: A placeholder does not fit the values of the state.
    """
    reads = _reads(Same(site.pages[path]))
    if reads is None:
        return show_page_and_fields(site, state, path, served_as)
    return _drawn(_Asked(site, state, path, served_as or path, reads))


class _Asked:
    """What a page is drawn from; equal to another where nothing that the page reads is different."""

    __slots__ = ("_key", "path", "served_as", "site", "state")

    def __init__(self, site: CompiledSite, state: SiteState, path: str, served_as: str, reads: Uses) -> None:
        self.site, self.state, self.path, self.served_as = site, state, path, served_as
        rejection = state.rejection
        # With their types: 1 equals true, and is shown as something else.
        values = [(type(value), value) for value in map(state.vars.get, reads.variables)]
        self._key = (
            id(site),
            path,
            served_as,
            tuple(values),
            tuple([state.visits.get(path_of(page), 0) for page in reads.visits]),
            state.steps if reads.steps else 0,
            rejection and (rejection.action, rejection.error, tuple(rejection.values.items())),
        )

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._key == other._key


@lru_cache(PAGES_KEPT)
def _drawn(asked: _Asked) -> Drawn:
    return show_page_and_fields(asked.site, asked.state, asked.path, asked.served_as)


@lru_cache(_PAGES_READ)
def _reads(page: Same[CompiledPage]) -> Uses | None:
    """Return what decides how a page is drawn, or ``None`` where that cannot be told."""
    try:
        slots = list(iter_slots(page.value))
        # A fixture is typed, never drawn.
        return Uses.together([_read(slot, text) for slot, text, place in slots if not place.endswith(".fixture")])
    except (ExpressionError, TemplateError, LookupError, RecursionError):
        return None


def _read(slot: Slot, text: str) -> Uses:
    match slot:
        case Slot.EXPR:
            return expression_uses(text)
        case Slot.TEXT if "{{" in text:
            return template_uses(text)
        case Slot.VAR:
            return Uses(variables=frozenset({text}))
        case _:
            return Uses()
