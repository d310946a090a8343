"""Playing a recorded visit without a browser: the pages are those of the record."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.backends.base import ActResult, RawElement, RawPage
from riskchain_gym.envs.cases import Case, Chain
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.envs.machine import Episode, Machine
from riskchain_gym.envs.rewards import make_reward
from riskchain_gym.messages.view.looks import Theme
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.errors import InfrastructureError, RiskChainError
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.message import GATE_VARIANT, Message
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.sites.replay.model import AnySite

_LOST = frozenset({FailureKind.LOST_DIALOG, FailureKind.LOST_TAB, FailureKind.LOST_DOWNLOAD})


class DamagedRecordError(RiskChainError, ValueError):
    """A record that does not play as it says: it was changed after it was written."""


def episode_on(chain: Chain, config: EnvConfig) -> Episode:
    """Return what a person's visit to the site of a chain is played with: no gold, no reward.

    It is written down with the variant of the gate; nothing of the message is shown.
    """
    return Episode(Case(chain, GATE_VARIANT), "reference", make_reward(config, "browse", None))


def play(trajectory: Trajectory, chain: Chain, config: EnvConfig) -> Machine:
    """Return a machine that stands where a recorded visit does, its further pages unknown.

    It takes ``stop`` and a report; any other action is an infrastructure failure.

    Args:
        trajectory: The visit so far.
        chain: Its chain.
        config: Its settings.

    Raises:
        DamagedRecordError: The record does not play as it says.
    """
    machine = Machine(
        "browse", config.model_copy(update={"observe": ()}), episode_on(chain, config), Playback(trajectory)
    )
    for step in trajectory.steps:
        machine.act(step.action)
        if machine.recorder.last is None or machine.recorder.last.hash != step.hash:
            raise DamagedRecordError(
                f"Step {step.index} of the visit to '{trajectory.chain_id}' does not play as its record says: "
                "the record was changed, restart the visit."
            )
    return machine


class Playback:
    """A browse backend that shows the pages of a record, one an action, whatever the action is.

    Args:
        trajectory: The record; steps without a page are passed over.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self._pages = trajectory.browse_steps()
        self._egress = dict(trajectory.egress)
        self._steps = {step.browse_step: step for step in trajectory.steps if step.browse_step is not None}
        self._lost: dict[int, tuple[FailureKind, ...]] = {}
        by_index = {step.index: number for number, step in self._steps.items()}
        for failure in trajectory.failures:
            if failure.kind in _LOST and failure.step in by_index:
                number = by_index[failure.step]
                self._lost[number] = (*self._lost.get(number, ()), failure.kind)
        self._at = 0

    def open(self, site: AnySite) -> RawPage:  # noqa: ARG002 - the record says what it showed
        """Show the recorded landing page."""
        self._at = 0
        return self._page()

    def act(self, action: BrowserAction, key: str | None) -> ActResult:  # noqa: ARG002 - the record says what it did
        """Show the page that the record has next."""
        self._at += 1
        page = self._page()
        return ActResult(page, self._steps[self._at].result.error, self._lost.get(self._at, ()))

    def screenshot(self) -> NDArray[np.uint8]:
        """Refuse: pictures are no part of a record."""
        self._refuse()

    def axtree(self, ids: dict[str, str]) -> str:  # noqa: ARG002
        """Refuse, likewise."""
        self._refuse()

    def dom(self, ids: dict[str, str]) -> str:  # noqa: ARG002
        """Refuse, likewise."""
        self._refuse()

    def browsergym(self) -> NoReturn:
        """Refuse, likewise."""
        self._refuse()

    def message_image(self, message: Message, theme: Theme) -> NDArray[np.uint8]:  # noqa: ARG002
        """Refuse, likewise."""
        self._refuse()

    def egress(self) -> dict[str, int]:
        """Return what the record counted."""
        return dict(self._egress)

    def close(self) -> None:
        """Nothing to release."""

    def _refuse(self) -> NoReturn:
        raise InfrastructureError("not_recorded", "A record of a visit holds pages and nothing else.")

    def _page(self) -> RawPage:
        page = self._pages.get(self._at)
        if page is None:
            raise InfrastructureError("not_recorded", f"The record has no browse step {self._at}.")
        return _raw(page)


def _raw(page: ObservedPage) -> RawPage:
    """Return a page as a backend would report it; ids stand for keys, and are given out again as they were."""
    return RawPage(
        path=page.path,
        title=page.title,
        status=page.status,
        lines=page.lines,
        elements=tuple(
            RawElement(
                key=element.element_id,
                role=element.role,
                name=element.name,
                type=element.type,
                placeholder=element.placeholder,
                options=element.options,
                disabled=element.disabled,
                checked=element.checked,
                has_value=element.has_value,
                capabilities=element.capabilities,
                box=element.box,
            )
            for element in page.elements
        ),
        pictures=page.pictures,
        scroll_y=page.scroll_y,
        height=page.height,
    )
