"""Does the browser really start here, and can it draw what the pages hold?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.envs.browser.drawing import drawing_browser
from riskchain_gym.envs.browser.scripts import script
from riskchain_gym.envs.browser.settings import BrowserSettings

SAMPLES: Mapping[str, str] = {"Chinese": "汉", "emoji": "🧧"}
"""One text for each kind of glyph that messages and pages need."""


@dataclass(frozen=True)
class BrowserProbe:
    """What a started browser says of itself.

    Attributes:
        version: Its version.
        drawn: Whether each of :data:`SAMPLES` is drawn with a glyph of its own, and not as the missing-glyph box.
    """

    version: str
    drawn: Mapping[str, bool]


def probe_browser(binary: Path) -> BrowserProbe:
    """Start a browser, draw the samples in it, and end it.

    Raises:
        MissingExtraError: The ``browser`` extra is not installed.
        BrowserUnavailableError: It does not start.
        InfrastructureError: It failed, or does not answer.
    """
    with drawing_browser("drawing samples of text", BrowserSettings(executable=binary)) as drawing:

        def probe() -> BrowserProbe:
            drawn = drawing.browser.new_page().evaluate(script("glyphs"), list(SAMPLES.values()))
            return BrowserProbe(version=drawing.browser.version, drawn=dict(zip(SAMPLES, drawn, strict=True)))

        return drawing.call(probe)
