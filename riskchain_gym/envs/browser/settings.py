"""Everything about the browser that can be set, with units in the names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ScreenshotFormat = Literal["png", "jpeg"]
"""What the browser encodes pictures of pages with."""


@dataclass(frozen=True)
class BrowserSettings:
    """How the browser is started and how long anything may take.

    A deadline (``_s``) bounds one call from outside, from when its turn has come: when it passes, the browser is killed
    and the call raises :class:`~riskchain_gym.protocol.errors.InfrastructureError`. A timeout (``_ms``) bounds one wait
    on the page.

    Attributes:
        viewport_width_px: Width of the viewport and of screenshots, in CSS pixels (device scale factor 1).
        viewport_height_px: Height of the viewport and of screenshots.
        executable: Browser binary; ``None`` looks for one (:func:`~riskchain_gym.envs.browser.find.find_chromium`).
        headless: Whether the browser runs without a window; with one it needs a display and a full Chromium.
        screenshot_format: What screenshots are encoded with on their way here; ``jpeg`` is smaller and not exact.
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
        page_memory_mib: How much memory (resident set size) the process of a page may hold; one that is found with more
            while a call takes long is killed, which the call reports as ``browser_lost``.
        recycle_episodes: After how many sites and messages shown a browser is replaced by a new one, before the next.
        spare_page: Whether the page of the next site is made ahead while nothing else is to do. It halves the time of a
            reset and takes some 25 MiB.
        recycle_mib: Likewise, above how much memory of browser and driver (proportional set size, looked at now and
            then).
    """

    viewport_width_px: int = 1280
    viewport_height_px: int = 900
    executable: Path | None = None
    headless: bool = True
    screenshot_format: ScreenshotFormat = "png"
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
    spare_page: bool = True
    recycle_episodes: int = 1000
    recycle_mib: int = 1024
    page_memory_mib: int = 2048
