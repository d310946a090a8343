"""The browse phase: one page at a time, looked at and acted on through a backend."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.backends.base import BrowseBackend, BrowsergymPage, RawPage
from riskchain_gym.envs.config import PICTURES, EnvConfig
from riskchain_gym.envs.inventory import Inventory
from riskchain_gym.envs.parsing import InvalidActionError
from riskchain_gym.envs.suggest import shown
from riskchain_gym.protocol.action import (
    TARGETED,
    ActionErrorKind,
    ActionKind,
    ActionResult,
    ActionStatus,
    BrowserAction,
)
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.feedback import sentence
from riskchain_gym.protocol.page import ObservedElement, ObservedPage
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.replay.model import AnySite

LOOP_LENGTH = 3
"""The same action on the same page state, for the how-manieth time it counts as a loop."""

_SCROLLS = frozenset({ActionKind.SCROLL_DOWN, ActionKind.SCROLL_UP})
_EXPECTS_CHANGE = TARGETED | {ActionKind.BACK}


@dataclass(frozen=True)
class Visit:
    """What one browser action came to.

    Attributes:
        page: The page afterwards.
        result: What the environment made of the action.
        feedback: The same, as a sentence.
        failures: What is to be written down as gone wrong.
    """

    page: ObservedPage
    result: ActionResult
    feedback: str
    failures: tuple[FailureKind, ...]


class Browsing:
    """The page of an episode, its element ids and what has been tried on it.

    Args:
        backend: The backend to browse with.
        config: What to capture with every page, and what may be said of it.

    Attributes:
        page: The current page.
        actions: Browser actions carried out so far.
        screenshot: The viewport, uint8 (height, width, 3), if captured.
        marked: The same with every actionable element framed and labelled with its id, if asked for.
        axtree: The accessibility tree as text, if captured.
        dom: The page as readable HTML, if captured.
        marks: What browsergym-core says of the page, if captured.
    """

    def __init__(self, backend: BrowseBackend, config: EnvConfig) -> None:
        self._backend = backend
        self._config = config
        self._inventory = Inventory(words=config.page_text)
        self._tried: Counter[tuple[str, str, str, str]] = Counter()
        self._state = ""
        self.page: ObservedPage | None = None
        self.actions = 0
        self.screenshot: NDArray[np.uint8] | None = None
        self.marked: NDArray[np.uint8] | None = None
        self.axtree = ""
        self.dom = ""
        self.marks: BrowsergymPage | None = None

    def open(self, site: AnySite) -> ObservedPage:
        """Show the landing page.

        Raises:
            InfrastructureError: The backend failed.
        """
        if isinstance(site, CompiledSite):
            site = site.with_alts(self._config.picture_alt)
        return self._look(self._backend.open(site))

    def check(self, action: BrowserAction) -> None:
        """Refuse an action whose target does not exist or does not take it, and do nothing else.

        Raises:
            InvalidActionError: :meth:`act` would raise it.
        """
        if action.action in TARGETED:
            self._inventory.target(action)

    def act(self, action: BrowserAction) -> Visit:
        """Carry out one action other than ``stop``.

        Raises:
            InvalidActionError: The target does not exist or does not take the action; nothing was done.
            InfrastructureError: The backend failed.
        """
        key, what = None, action.action.value
        if action.action in TARGETED:
            key, element = self._inventory.target(action)
            pressed = f"{action.key} on " if action.key else ""
            what = f"{action.action} {pressed}{self._inventory.described(element)}"
        before = self._state
        attempt = (before, action.action.value, action.element_id or "", action.option or action.key or "")
        self._tried[attempt] += 1
        self.actions += 1
        done = self._backend.act(action, key)
        page = self._look(done.page)
        failures = list(done.lost)
        if done.error is not None:
            result = ActionResult(status=ActionStatus.ERROR, error=done.error)
            if done.error is ActionErrorKind.BLOCKED_NAVIGATION:
                failures.append(FailureKind.BLOCKED_NAVIGATION)
        elif self._state != before:
            result = ActionResult(status=ActionStatus.EXECUTED)
        else:
            result = ActionResult(status=ActionStatus.NO_STATE_CHANGE)
            if action.action in _EXPECTS_CHANGE:
                failures.append(FailureKind.NO_EFFECT)
        if self._tried[attempt] >= LOOP_LENGTH and action.action not in _SCROLLS:
            failures.append(FailureKind.LOOP)
        if not (page.lines or page.elements):
            failures.append(FailureKind.EMPTY_OBSERVATION)
        return Visit(page, result, f"{what}: {sentence(result)}.", tuple(failures))

    def find(self, bid: str) -> ObservedElement:
        """Return the actionable element that a bid of browsergym-core means, or else an element id.

        A bid means the element that has it, or the one that what has it lies in.

        Raises:
            InvalidActionError: There is none.
        """
        ids = self._inventory.ids_by_key()
        if self.marks is None or bid in ids.values():
            return self._inventory.find(bid)
        if bid in self.marks.targets:
            return self._inventory.find(ids[self.marks.targets[bid]])
        here = ", ".join(own for own, key in self.marks.targets.items() if self.marks.bids[key] == own)
        raise InvalidActionError(
            FailureKind.MISSING_TARGET,
            f"Nothing that can be acted on has the bid {shown(bid)}. Bids of what can be, here: {here or 'none'}.",
        )

    def form_of(self, element: ObservedElement) -> ObservedElement | None:
        """Return the form that an element of the page stands in, as far as it is known: else the page's only form."""
        ids = self._inventory.ids_by_key()
        if self.marks is not None:
            around = {ids[key]: ids[form] for key, form in self.marks.forms.items()}
            return self._inventory.find(around[element.element_id]) if element.element_id in around else None
        forms = [e for e in (self.page.elements if self.page else ()) if e.capabilities.submit]
        return forms[0] if len(forms) == 1 else None

    def _look(self, raw: RawPage) -> ObservedPage:
        page = self._inventory.observe(raw)
        asked = self._config.observe
        if not PICTURES.isdisjoint(asked):
            self.screenshot = self._backend.screenshot()
        if "screenshot_som" in asked and self.screenshot is not None:
            from riskchain_gym.envs.browser.set_of_marks import mark_elements

            self.marked = mark_elements(self.screenshot, page)
        if "axtree" in asked:
            self.axtree = self._backend.axtree(self._inventory.ids_by_key())
        if "dom" in asked:
            self.dom = self._backend.dom(self._inventory.ids_by_key())
        if "browsergym" in asked:
            self.marks = self._backend.browsergym()
        self.page, self._state = page, page.state_hash()
        return page
