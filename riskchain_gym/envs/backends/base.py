"""The backend protocol: all that the phase machine knows of a browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.messages.view.looks import Theme
from riskchain_gym.protocol.action import ActionErrorKind, BrowserAction
from riskchain_gym.protocol.errors import NeedsBrowserError
from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.page import Capabilities, ObservedLine, ObservedPicture
from riskchain_gym.protocol.report import Region
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.replay.model import AnySite

NAME_LIMIT = 240
"""Longest name of an element kept, and longest title of a page, in code points (protocol C.3)."""

PLACEHOLDER_LIMIT = 120
"""Longest placeholder kept, in code points (protocol C.3)."""


@dataclass(frozen=True)
class RawElement:
    """An actionable element before the environment has given it an id.

    Attributes:
        key: What makes it the same element again: its DOM id, or a fallback the backend derives. Two elements of one
            page never share a key.
        others: As in :class:`~riskchain_gym.protocol.page.ObservedElement`.
    """

    key: str
    role: str
    name: str
    type: str = ""
    placeholder: str = ""
    options: tuple[str, ...] = ()
    disabled: bool = False
    checked: bool = False
    has_value: bool = False
    capabilities: Capabilities = field(default_factory=Capabilities)
    box: Region | None = None


@dataclass(frozen=True)
class RawPage:
    """A page as a backend reports it; the path holds no host."""

    path: str
    title: str
    status: int
    lines: tuple[ObservedLine, ...]
    elements: tuple[RawElement, ...]
    pictures: tuple[ObservedPicture, ...] = ()
    scroll_y: int = 0
    height: int = 0


@dataclass(frozen=True)
class BrowsergymPage:
    """What browsergym-core says of a page, and what its marks ("bids") act on here.

    Attributes:
        dom: The DOM snapshot, as JSON.
        axtree: The accessibility tree, as JSON.
        properties: Visibility, box, clickability and set-of-marks flag by bid, as JSON.
        focused: Bid of the focused element, or ``""``.
        bids: Bid of each actionable element, by key.
        targets: Key of the actionable element by bid: its own, and those of what lies in it.
        forms: Key of the form around an actionable element, by the element's key.
    """

    dom: str
    axtree: str
    properties: str
    focused: str
    bids: Mapping[str, str]
    targets: Mapping[str, str]
    forms: Mapping[str, str]


@dataclass(frozen=True)
class ActResult:
    """What one action did. Whether the state changed is for the phase machine to say: it compares state hashes.

    Attributes:
        page: The page afterwards.
        error: Why the action could not be carried out, or ``None``.
        lost: What the page wanted to show and an agent never sees: a dialog, another tab, a download.
    """

    page: RawPage
    error: ActionErrorKind | None = None
    lost: tuple[FailureKind, ...] = ()


class BrowseBackend(Protocol):
    """A browser, real or not, that shows one site at a time.

    Every method may raise :class:`~riskchain_gym.protocol.errors.InfrastructureError`; after that only :meth:`open`,
    :meth:`message_image` and :meth:`close` are legal, and the first two start whatever has died again. What it can
    show beside pages stands in :data:`~riskchain_gym.envs.config.BACKENDS`.
    """

    def open(self, site: AnySite) -> RawPage:
        """Forget the last episode and show the site's landing page in its initial state.

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
        """

    def act(self, action: BrowserAction, key: str | None) -> ActResult:
        """Carry out one action (never ``stop``), the target named by its key on the current page.

        Each call counts as one environment step for the site, whatever comes of it.
        """

    def screenshot(self) -> NDArray[np.uint8]:
        """Return the viewport, uint8 of shape (height, width, 3); only with modality ``screenshot``."""

    def axtree(self, ids: dict[str, str]) -> str:
        """Return the accessibility tree as text, elements marked by their id; only with modality ``axtree``.

        Args:
            ids: Element ids by element key, for the current page.
        """

    def dom(self, ids: dict[str, str]) -> str:
        """Return the page as readable HTML, elements marked by their id; only with modality ``dom``.

        What is hidden, and what says nothing, is left out; values that were typed in are there.

        Args:
            ids: Element ids by element key, for the current page.
        """

    def browsergym(self) -> BrowsergymPage:
        """Return what browsergym-core says of the page; only with modality ``browsergym``."""

    def message_image(self, message: Message, theme: Theme) -> NDArray[np.uint8]:
        """Return a message as it looks on its platform's surface; only with modality ``message_image``.

        Needs no open site, and leaves one that is open as it is.

        Args:
            message: The message.
            theme: Colours.

        Returns:
            uint8 of shape (:data:`~riskchain_gym.messages.view.document.VIEW_HEIGHT_PX`,
            :data:`~riskchain_gym.messages.view.document.VIEW_WIDTH_PX`, 3).

        Raises:
            BrowserUnavailableError: The browser has never started and does not now.
        """

    def egress(self) -> dict[str, int]:
        """Return how often pages of the open site tried to reach anything outside of it, by kind.

        It is for whoever runs the environment, never for an agent. Nothing was reached.
        """

    def close(self) -> None:
        """Release everything; idempotent."""


def only_compiled(site: AnySite, backend: str) -> CompiledSite:
    """Return a site whose pages are values, for a backend without a browser.

    Raises:
        NeedsBrowserError: It is an imported one, whose pages only a browser can show.
    """
    if not isinstance(site, CompiledSite):
        raise NeedsBrowserError(
            f'backend="{backend}" cannot show an imported site, whose pages are HTML: use backend="chromium".'
        )
    return site
