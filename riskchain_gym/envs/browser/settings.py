"""Everything about the browser that can be set, with units in the names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BrowserSettings:
    """How the browser is started and how long anything may take.

    A deadline (``_s``) bounds one call from outside: when it passes, the browser is killed and the call raises
    :class:`~riskchain_gym.protocol.errors.InfrastructureError`. A timeout (``_ms``) bounds one wait on the page.

    Attributes:
        viewport_width_px: Width of the viewport and of screenshots, in CSS pixels (device scale factor 1).
        viewport_height_px: Height of the viewport and of screenshots.
        executable: Browser binary; ``None`` looks for one (:func:`~riskchain_gym.envs.browser.find.find_chromium`).
        lang: Language of the browser and value of ``navigator.language``.
        timezone: IANA time zone of every page.
        launch_deadline_s: Starting the driver and the browser.
        open_deadline_s: Showing a landing page in a fresh context.
        act_deadline_s: One action with the observation after it.
        capture_deadline_s: One screenshot or accessibility tree.
        close_deadline_s: An orderly end; after it the processes are killed.
        load_timeout_ms: How long a document and its resources may take to load.
        quiet_cap_ms: How long a page with scripts may go on changing before it is taken as it is.
        settle_poll_ms: Interval at which a pending navigation is looked at.
    """

    viewport_width_px: int = 1280
    viewport_height_px: int = 900
    executable: Path | None = None
    lang: str = "zh-CN"
    timezone: str = "Asia/Shanghai"
    launch_deadline_s: float = 90.0
    open_deadline_s: float = 60.0
    act_deadline_s: float = 60.0
    capture_deadline_s: float = 30.0
    close_deadline_s: float = 10.0
    load_timeout_ms: int = 30_000
    quiet_cap_ms: int = 1_000
    settle_poll_ms: int = 4
