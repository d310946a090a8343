"""Does the browser really start here, and can it draw what the pages hold?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.envs.backends.worker import OwnerThread
from riskchain_gym.envs.browser.launch import BrowserProcess
from riskchain_gym.envs.browser.scripts import script
from riskchain_gym.envs.browser.settings import BrowserSettings

SAMPLES: Mapping[str, str] = {"Chinese": "汉", "emoji": "🧧"}
"""One text for each kind of glyph that messages and pages need."""

_NO_PORT = 9


@dataclass(frozen=True)
class BrowserProbe:
    """What a started browser says of itself.

    Attributes:
        version: Its version.
        drawn: Whether each of :data:`SAMPLES` is drawn with a glyph of its own, and not as the missing-glyph box.
    """

    version: str
    drawn: Mapping[str, bool]


def probe_browser(binary: Path, settings: BrowserSettings | None = None) -> BrowserProbe:
    """Start a browser, draw the samples in it, and end it.

    Raises:
        BrowserUnavailableError: It does not start.
        WorkerTimeoutError: It does not answer.
    """
    settings = settings or BrowserSettings(executable=binary)
    process = BrowserProcess(_NO_PORT, settings)
    thread = OwnerThread("riskchain-probe")

    def probe() -> BrowserProbe:
        process.start()
        page = process.browser.new_page()
        drawn = page.evaluate(script("glyphs"), list(SAMPLES.values()))
        return BrowserProbe(version=process.browser.version, drawn=dict(zip(SAMPLES, drawn, strict=True)))

    try:
        found = thread.call(probe, settings.launch_deadline_s)
        thread.call(process.close, settings.close_deadline_s)
    finally:
        process.kill()
        thread.stop(settings.close_deadline_s)
    return found
