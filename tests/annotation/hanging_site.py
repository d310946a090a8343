"""A world that hangs where it is told to, until it is told that a deadline has passed."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from riskchain_gym.annotation.typed import TypedValues
from riskchain_gym.annotation.visiting import VisitDesk, human_config
from riskchain_gym.envs.backends.base import ActResult, RawPage
from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.errors import InfrastructureError
from riskchain_gym.protocol.report import Region

LONG_S = 30


class Hanging(FakeBackend):
    """The fake world with controls that can be clicked in its picture, of which some spin.

    Attributes:
        spins: Keys of those controls.
        opening_spins: Whether the site hangs before it is shown.
        hung: Whether one of them was used.
        is_over: Whether the deadline of all that hangs has passed.
        opened: How often the site was opened.
        tried: How often something that spins was used.
    """

    def __init__(self) -> None:
        super().__init__(viewport=human_config().viewport)
        self.spins = frozenset({"notice"})
        self.opening_spins = False
        self.hung = threading.Event()
        self.is_over = threading.Event()
        self.opened, self.tried = 0, 0

    def open(self, site: Any) -> RawPage:
        """Show ``/``, or hang."""
        self.opened += 1
        if self.opening_spins:
            raise InfrastructureError("deadline", "no answer in time")
        return super().open(site)

    def act(self, action: BrowserAction, key: str | None) -> ActResult:
        """Carry out one action, or hang."""
        if key not in self.spins:
            return super().act(action, key)
        self.tried += 1
        self.hung.set()
        assert self.is_over.wait(LONG_S)
        self.is_open = False
        raise InfrastructureError("deadline", "no answer in time")

    def _page(self) -> RawPage:
        page = super()._page()
        boxes = [Region(x=400, y=8 + 40 * i, width=200, height=32) for i in range(len(page.elements))]
        elements = [replace(element, box=box) for element, box in zip(page.elements, boxes, strict=True)]
        return replace(page, elements=tuple(elements))


def hanging_visits(project: Path, site: Hanging) -> VisitDesk:
    """Return the visits of ann to that world; as in a workbench, what has hung is not tried again."""

    def make(config: EnvConfig, typed: TypedValues) -> RecoveringBackend:
        return RecoveringBackend(site, retry_deadlines=False)

    return VisitDesk(project, "ann", human_config().model_copy(update={"backend": "fake"}), make)
