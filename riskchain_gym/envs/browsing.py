"""The browse phase: one page at a time, looked at and acted on through a backend."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.backends.base import BrowseBackend, RawPage
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.envs.inventory import Inventory
from riskchain_gym.protocol.action import (
    TARGETED,
    ActionErrorKind,
    ActionKind,
    ActionResult,
    ActionStatus,
    BrowserAction,
)
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.replay.model import AnySite

LOOP_LENGTH = 3
"""The same action on the same page state, for the how-manieth time it counts as a loop."""

_SCROLLS = frozenset({ActionKind.SCROLL_DOWN, ActionKind.SCROLL_UP})
_EXPECTS_CHANGE = TARGETED | {ActionKind.BACK}

_ERRORS: dict[ActionErrorKind, str] = {
    ActionErrorKind.ELEMENT_INTERCEPTED: "something else on the page covers the element",
    ActionErrorKind.ELEMENT_NOT_VISIBLE: "the element is not visible",
    ActionErrorKind.ACTION_TIMEOUT: "the page did not answer in time",
    ActionErrorKind.ELEMENT_DETACHED: "the element left the page meanwhile",
    ActionErrorKind.EXECUTION_ERROR: "the page could not carry it out",
    ActionErrorKind.ELEMENT_DISABLED: "the element is disabled; something may have to be done first",
    ActionErrorKind.BLOCKED_NAVIGATION: "it leads out of the site and was blocked",
    ActionErrorKind.NO_HISTORY: "there is no earlier page to go back to",
}


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
        axtree: The accessibility tree as text, if captured.
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
        self.axtree = ""

    def open(self, site: AnySite) -> ObservedPage:
        """Show the landing page.

        Raises:
            InfrastructureError: The backend failed.
        """
        if isinstance(site, CompiledSite):
            site = site.model_copy(update={"picture_alt": self._config.picture_alt})
        return self._look(self._backend.open(site))

    def act(self, action: BrowserAction) -> Visit:
        """Carry out one action other than ``stop``.

        Raises:
            InvalidActionError: The target does not exist or does not take the action; nothing was done.
            InfrastructureError: The backend failed.
        """
        key, what = None, action.action.value
        if action.action in TARGETED:
            key, element = self._inventory.target(action)
            what = f"{action.action} {self._inventory.described(element)}"
        before = self._state
        attempt = (before, action.action.value, action.element_id or "", action.option or "")
        self._tried[attempt] += 1
        self.actions += 1
        done = self._backend.act(action, key)
        page = self._look(done.page)
        failures: list[FailureKind] = []
        if done.error is not None:
            result = ActionResult(status=ActionStatus.ERROR, error=done.error)
            feedback = f"{what}: {_ERRORS[done.error]}."
            if done.error is ActionErrorKind.BLOCKED_NAVIGATION:
                failures.append(FailureKind.BLOCKED_NAVIGATION)
        elif self._state != before:
            result = ActionResult(status=ActionStatus.EXECUTED)
            feedback = f"{what}: done, the page changed."
        else:
            result = ActionResult(status=ActionStatus.NO_STATE_CHANGE)
            feedback = f"{what}: done, nothing on the page changed."
            if action.action in _EXPECTS_CHANGE:
                failures.append(FailureKind.NO_EFFECT)
        if self._tried[attempt] >= LOOP_LENGTH and action.action not in _SCROLLS:
            failures.append(FailureKind.LOOP)
        if not (page.lines or page.elements):
            failures.append(FailureKind.EMPTY_OBSERVATION)
        return Visit(page, result, feedback, tuple(failures))

    def _look(self, raw: RawPage) -> ObservedPage:
        page = self._inventory.observe(raw)
        if "screenshot" in self._config.observe:
            self.screenshot = self._backend.screenshot()
        if "axtree" in self._config.observe:
            self.axtree = self._backend.axtree(self._inventory.ids_by_key())
        self.page, self._state = page, page.state_hash()
        return page
