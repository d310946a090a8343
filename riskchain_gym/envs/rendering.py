"""What people see: plain text, or a picture; outside the browse phase the picture is a drawn card."""

from __future__ import annotations

import importlib.util
import os
import sys
import textwrap
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.backends.base import BrowseBackend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.config import BACKENDS, ENV_IDS, Kind, Modality
from riskchain_gym.envs.machine import Machine
from riskchain_gym.envs.suggest import did_you_mean
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError, MissingExtraError
from riskchain_gym.protocol.trajectory import Phase

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont
    from PIL.ImageFont import ImageFont as BitmapFont

RENDER_FPS = 2
RENDERED: tuple[Modality, ...] = ("screenshot",)
"""What ``render_mode="rgb_array"`` asks of a backend."""

MODES = ("ansi", "rgb_array", "human")

WINDOWED = "chromium"
"""The backend whose browser can be watched."""

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
_FONTS = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKsc-Regular.otf",
    "NotoSansSC-Regular.otf",
    "wqy-zenhei.ttc",
    "wqy-microhei.ttc",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
    "DejaVuSans.ttf",
)
"""Fonts tried for the card, those with Chinese first."""

_TITLES = {Phase.RESTORE: "Restore", Phase.BROWSE: "Browse", Phase.REPORT: "Report"}
_PAPER, _INK, _MUTED, _ACCENT = (250, 249, 246), (33, 37, 41), (134, 142, 150), (34, 84, 121)


def check_render_mode(mode: str | None, kind: Kind, backend: str) -> None:
    """Refuse a render mode that cannot be honoured.

    Args:
        mode: The mode.
        kind: The environment.
        backend: Name of its backend.

    Raises:
        ConfigError: There is no such mode; or ``human`` where there is no browser, or no display for its window.
        MissingExtraError: ``rgb_array`` without Pillow.
    """
    if mode is None:
        return
    if mode not in MODES:
        raise ConfigError(f"There is no render_mode '{mode}'.{did_you_mean(mode, MODES)} Known: {', '.join(MODES)}.")
    if mode == "rgb_array" and not _has_pillow():
        raise MissingExtraError("browser", "render_mode='rgb_array'")
    if mode == "human":
        _check_window(kind, backend)


def render_modes(kind: Kind, backend: str) -> list[str]:
    """Return the render modes that work here with a backend."""
    pictures = kind == "restore" or "screenshot" in BACKENDS[backend]
    drawn = ["rgb_array"] if pictures and _has_pillow() else []
    return ["ansi", *drawn, *(["human"] if kind != "restore" and backend == WINDOWED and has_display() else [])]


def has_display() -> bool:
    """Say whether a window can be opened on this machine."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in _DISPLAYS)


def _check_window(kind: Kind, backend: str) -> None:
    if kind == "restore":
        raise ConfigError(
            f"render_mode='human' shows the browser and {ENV_IDS[kind]} opens no site: use 'ansi' or 'rgb_array'."
        )
    if backend != WINDOWED:
        raise ConfigError(
            f"render_mode='human' shows the browser and backend='{backend}' has none: use backend='{WINDOWED}', or "
            "render_mode='ansi'."
        )
    if not has_display():
        raise ConfigError(
            f"render_mode='human' opens a window and this machine has no display ({' and '.join(_DISPLAYS)} are not "
            "set): run it on a desktop or under xvfb-run, or use render_mode='rgb_array'."
        )


def write(machine: Machine) -> str:
    """Return the current view as text."""
    head = f"== {_TITLES[machine.phase]} · {machine.recorder.status} · {machine.steps_left} steps left =="
    return "\n".join([head, *_body(machine), *([f"» {machine.feedback}"] if machine.feedback else [])])


def draw(machine: Machine, backend: BrowseBackend | None) -> NDArray[np.uint8]:
    """Return the current view as uint8 (height, width, 3): the page while browsing, else a card.

    A browser that is gone gives a card too: rendering never ends an episode, nor does it use up what one survives.
    """
    if machine.phase is Phase.BROWSE and machine.valid and backend is not None:
        try:
            shown = backend.glance() if isinstance(backend, RecoveringBackend) else backend.screenshot()
            return shown.copy()
        except InfrastructureError:
            return _card(machine)
    return _card(machine)


def _body(machine: Machine) -> list[str]:
    if machine.phase is Phase.RESTORE:
        case = machine.episode.case
        message = case.chain.variants[case.variant]
        shown = [f"{message.platform} · {message.surface}"]
        for one in message.messages:
            shown += [f"[{one.message_id}] {one.role}:", *one.content.split("\n")]
        return shown
    pages = machine.recorder.pages
    if machine.phase is Phase.REPORT:
        return [f"{step:>3} {page.path} {page.title}" for step, page in pages.items()]
    page = machine.browsing.page if machine.browsing is not None else None
    if page is None:
        return []
    controls = [f"  [{e.element_id}] {e.role} {e.name!r}{' (disabled)' if e.disabled else ''}" for e in page.elements]
    pictures = [f"  [{picture.key}] picture {picture.alt!r}" for picture in page.pictures]
    return [f"{page.path} · {page.title}", *(line.text for line in page.lines), *controls, *pictures]


def _card(machine: Machine) -> NDArray[np.uint8]:
    from PIL import Image, ImageDraw

    width, height = machine.config.viewport
    unit = max(height // 30, 8)
    image = Image.new("RGB", (width, height), _PAPER)
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((0, 0, max(unit // 3, 2), height), fill=_ACCENT)
    left, top = 2 * unit, 2 * unit
    canvas.text((left, top), _TITLES[machine.phase], fill=_ACCENT, font=_font(2 * unit))
    top += 4 * unit
    columns = max((width - 3 * unit) // unit, 4)
    lines = [(line, _INK) for text in _body(machine) for line in _wrapped(text, columns)]
    lines += [(line, _MUTED) for line in ["", *_wrapped(machine.feedback, columns)]]
    for line, colour in lines[: max((height - top) // (2 * unit), 1)]:
        canvas.text((left, top), line, fill=colour, font=_font(unit))
        top += 2 * unit
    return np.asarray(image, dtype=np.uint8).copy()


def _wrapped(text: str, columns: int) -> list[str]:
    """Break a line so that it fits, a Chinese character counting as wide as two Latin ones."""
    wide = any(unicodedata.east_asian_width(char) in "WF" for char in text)
    return textwrap.wrap(text, columns if wide else 2 * columns - columns // 4) or [""]


@cache
def _font(size: int) -> FreeTypeFont | BitmapFont:
    from PIL import ImageFont

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def _has_pillow() -> bool:
    return importlib.util.find_spec("PIL") is not None
