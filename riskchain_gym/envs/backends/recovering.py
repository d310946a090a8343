"""Recovery: a backend that fails in mid-episode is opened again and led, action by action, to where it was."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.backends.base import ActResult, BrowseBackend, BrowsergymPage, RawPage
from riskchain_gym.envs.inventory import Inventory
from riskchain_gym.messages.view.looks import Theme
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.model import sha256_of
from riskchain_gym.sites.replay.model import AnySite

R = TypeVar("R")

_log = logging.getLogger(__name__)

RECOVERIES = 2
"""How many failures an episode survives."""

REPLAY_LIMIT_S = 300.0
"""How long one replay may take; one that is not through by then counts as a failure of its own."""

NOT_RECOVERED = frozenset({"site_error", "forked", "replay_diverged"})
"""Causes that another try cannot mend, or must not.

``site_error``: the site's own page cannot be made, and would not be the next time. ``forked``: the browser is well, in
the parent process; a replay here would play the one episode twice. ``replay_diverged``: what is shown now is not the
page that the agent was shown.
"""


@dataclass(frozen=True)
class _Entry:
    """An entry of the action log: what was asked (``None``: the landing page) and what it came to."""

    action: BrowserAction | None
    key: str | None
    result: ActResult


@dataclass
class _Episode:
    """An open site.

    Attributes:
        log: All that was shown, the landing page first; empty until that was shown.
        failures: Failures recovered from, or tried to.
        is_behind: Whether the inner backend may stand elsewhere than at the end of the log.
        unseen: The failure of a glance, which the next call makes up for; ``None`` if there was none.
        seen: Every page, line and element that was shown, by itself: what is shown again is held once.
    """

    site: AnySite
    log: list[_Entry] = field(default_factory=list)
    failures: int = 0
    is_behind: bool = False
    unseen: InfrastructureError | None = None
    seen: dict[Any, Any] = field(default_factory=dict)

    def shared(self, page: RawPage) -> RawPage:
        """Return a page, or its parts, as they were shown before where they are equal: the log holds all of them."""
        lines = tuple([self.seen.setdefault(line, line) for line in page.lines])
        elements = tuple([self.seen.setdefault(element, element) for element in page.elements])
        page = replace(page, lines=lines, elements=elements)
        known: RawPage = self.seen.setdefault(page, page)
        return known


class RecoveringBackend:
    """A backend that survives :data:`RECOVERIES` failures of the one within, in every episode.

    A site's pages are a function of the site and the actions alone, so an episode can be played again: after an
    :class:`~riskchain_gym.protocol.errors.InfrastructureError` the site is opened anew, which starts again whatever
    has died, the action log is replayed, and the failed call is done once more. Each page replayed must be the one
    that was shown before: the state hash (everything but geometry, as in trajectories), the element keys and the kind
    of error. Neither the agent nor its clock (:meth:`clock`) notices. An inner backend that says ``not_open`` of a site
    that is open here has lost it, and is treated alike.

    Raised as they come are the next failure after those, and at once those of :data:`NOT_RECOVERED`; a replay that
    shows another page raises the cause ``replay_diverged``. The episode is lost then, and only :meth:`open`,
    :meth:`message_image` and :meth:`close` are legal. A browser that has never started
    (:class:`~riskchain_gym.protocol.errors.BrowserUnavailableError`) is not tried again. A page that hangs or ends its
    browser whenever it is shown costs three deadlines and two replays, each of at most :data:`REPLAY_LIMIT_S` and one
    call.

    Args:
        inner: The backend that does the work.
        now: Monotonic seconds.
        queued: How many seconds calls of ``inner`` have waited so far for others that use what it uses.
        retry_deadlines: Whether a call that missed its deadline (cause ``deadline``) is done once more. Without it such
            a failure is raised at once and loses the episode, for those before whom nobody should wait three times.

    Attributes:
        inner: That backend.
        relaunches: How often a failure was answered so, by cause, since the backend was made; each is logged as a
            warning too.
    """

    def __init__(
        self,
        inner: BrowseBackend,
        now: Callable[[], float] = time.monotonic,
        queued: Callable[[], float] = lambda: 0.0,
        *,
        retry_deadlines: bool = True,
    ) -> None:
        self.inner = inner
        self.relaunches: Counter[str] = Counter()
        self._now = now
        self._queued = queued
        self._final = NOT_RECOVERED if retry_deadlines else NOT_RECOVERED | {"deadline"}
        self._lost_s = 0.0
        self._episode: _Episode | None = None
        self._why_none = "none was opened"

    def clock(self) -> float:
        """Return monotonic seconds that stand still over failed calls, replays and queues, for time budgets."""
        return self._now() - self._lost_s

    def open(self, site: AnySite) -> RawPage:
        """Forget the last episode and show the site's landing page in its initial state.

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
            InfrastructureError: The site cannot be opened.
        """
        self._forget("the last one did not open")
        episode = _Episode(site)
        landing = episode.shared(self._persist(lambda: self.inner.open(site), episode))
        episode.log.append(_Entry(None, None, ActResult(landing)))
        episode.is_behind = False
        self._episode = episode
        return landing

    def act(self, action: BrowserAction, key: str | None) -> ActResult:
        """Carry out one action (never ``stop``) and look at the page afterwards.

        Raises:
            InfrastructureError: The episode is lost, or no site is open.
        """
        episode = self._opened()

        def once() -> ActResult:
            # An interrupt leaves half an action behind; only what is in the log was done.
            episode.is_behind = True
            return self.inner.act(action, key)

        result = self._persist(once, episode)
        result = replace(result, page=episode.shared(result.page))
        episode.log.append(_Entry(action, key, result))
        episode.is_behind = False
        return result

    def screenshot(self) -> NDArray[np.uint8]:
        """Return the viewport, uint8 of shape (height, width, 3).

        Raises:
            InfrastructureError: The episode is lost, or no site is open.
        """
        return self._persist(self.inner.screenshot, self._opened())

    def glance(self) -> NDArray[np.uint8]:
        """Return the viewport as :meth:`screenshot` does, for who only looks on: tried once, at no cost to the episode.

        A failure is none of those that the episode survives. The next call replays what the picture has cost, logged
        and counted in ``relaunches`` by the cause that is raised here; until then there is no other picture.

        Raises:
            InfrastructureError: There is no picture, or no site is open.
        """
        episode = self._opened()
        if episode.unseen is not None:
            raise InfrastructureError(*episode.unseen.args) from episode.unseen
        if episode.is_behind:
            raise InfrastructureError("not_open", "The page is not the one shown last: the next action replays it.")
        began, queued = self._now(), self._queued()
        try:
            picture = self.inner.screenshot()
        except InfrastructureError as error:
            episode.unseen = error
            self._lost_s += self._now() - began
            raise
        self._lost_s += self._queued() - queued
        return picture

    def axtree(self, ids: dict[str, str]) -> str:
        """Return the accessibility tree as text, elements marked by their id.

        Args:
            ids: Element ids by element key, for the current page.

        Raises:
            InfrastructureError: The episode is lost, or no site is open.
        """
        return self._persist(lambda: self.inner.axtree(ids), self._opened())

    def dom(self, ids: dict[str, str]) -> str:
        """Return the page as readable HTML, elements marked by their id.

        Args:
            ids: Element ids by element key, for the current page.

        Raises:
            InfrastructureError: The episode is lost, or no site is open.
        """
        return self._persist(lambda: self.inner.dom(ids), self._opened())

    def browsergym(self) -> BrowsergymPage:
        """Return what browsergym-core says of the page.

        Raises:
            InfrastructureError: The episode is lost, or no site is open.
        """
        return self._persist(self.inner.browsergym, self._opened())

    def message_image(self, message: Message, theme: Theme) -> NDArray[np.uint8]:
        """Return a message as it looks on its platform's surface.

        It belongs to no open site, so nothing is replayed, and the inner backend itself draws it again in a fresh
        browser if the one there is has died.

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
            InfrastructureError: It was not drawn.
        """
        return self.inner.message_image(message, theme)

    def egress(self) -> dict[str, int]:
        """Return how often pages tried to reach anything outside, as counted since the last replay."""
        return self.inner.egress()

    def close(self) -> None:
        """Release everything; idempotent."""
        self._forget("the backend is closed")
        self.inner.close()

    def _persist(self, call: Callable[[], R], episode: _Episode) -> R:
        """Do a call; after a failure, catch up and do it again, as often as the episode allows."""
        began = self._now()
        self._make_up(episode)
        while True:
            try:
                if episode.is_behind:
                    self._catch_up(episode)
                last, queued = self._now(), self._queued()
                result = call()
            except InfrastructureError as error:
                episode.is_behind = True
                if error.cause in self._final or episode.failures >= RECOVERIES:
                    self._forget(f"the last one was lost ({error.cause})")
                    raise
                episode.failures += 1
                self.relaunches[error.cause] += 1
                _log.warning(
                    "A browse episode met failure %d of the %d it survives and is replayed from its %d pages (%s).",
                    episode.failures,
                    RECOVERIES,
                    len(episode.log),
                    error,
                )
            else:
                self._lost_s += last - began + self._queued() - queued
                return result

    def _make_up(self, episode: _Episode) -> None:
        """Have a replay make up for a failed glance, unless that mends nothing."""
        error, episode.unseen = episode.unseen, None
        if error is None:
            return
        if error.cause in self._final:
            self._forget(f"the last one was lost ({error.cause})")
            raise error
        episode.is_behind = True
        self.relaunches[error.cause] += 1
        _log.warning(
            "A browse episode failed while it was only looked at and is replayed from its %d pages (%s).",
            len(episode.log),
            error,
        )

    def _catch_up(self, episode: _Episode) -> None:
        """Bring the inner backend to the end of the log; with an empty log the call that opens the site does."""
        end = self._now() + REPLAY_LIMIT_S
        for step, entry in enumerate(episode.log):
            if self._now() > end:
                raise InfrastructureError(
                    "deadline", f"The replay had come to step {step} of {len(episode.log) - 1} in {REPLAY_LIMIT_S:g} s."
                )
            if entry.action is None:
                again = ActResult(self.inner.open(episode.site))
            else:
                again = self.inner.act(entry.action, entry.key)
            if _hash(again) != _hash(entry.result):
                raise InfrastructureError("replay_diverged", _difference(step, entry.result, again))
        episode.is_behind = False

    def _opened(self) -> _Episode:
        if self._episode is None:
            raise InfrastructureError("not_open", f"No site is open, {self._why_none}: call open() first.")
        return self._episode

    def _forget(self, why: str) -> None:
        self._episode, self._why_none = None, why


def _hash(result: ActResult) -> str:
    """Return the hash of what an action came to: that of the page's state as trajectories hold it, keys for ids."""
    state = Inventory().observe(result.page).state_hash()
    return sha256_of([state, [element.key for element in result.page.elements], result.error])


def _difference(step: int, before: ActResult, again: ActResult) -> str:
    shown, now = (f"{result.page.path} (error: {result.error or 'none'})" for result in (before, again))
    return f"Step {step} showed {shown}; replayed it shows {now}, and what is on the page or its error is another."
