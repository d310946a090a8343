"""A contact sheet of messages as they look: one PNG to see at a glance what a split shows."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from riskchain_gym.envs.browser.drawing import drawing_browser
from riskchain_gym.envs.browser.message_page import MessagePage
from riskchain_gym.messages.view.document import VIEW_HEIGHT_PX, VIEW_WIDTH_PX, render_message
from riskchain_gym.messages.view.looks import Theme
from riskchain_gym.messages.view.style import FONTS
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import Message

LARGEST_SHEET = 96
"""How many messages a sheet can hold; browsers draw no picture of any size."""

_COLUMNS = 6
_GAP_PX = 24
_CAPTION_PX = 32


def write_sheet(messages: Sequence[Message], out_path: Path, theme: Theme = "light") -> None:
    """Draw messages side by side, six to a row, each above its platform and surface.

    Args:
        messages: One to :data:`LARGEST_SHEET` messages.
        out_path: PNG file to write; its folder must exist.
        theme: Colours.

    Raises:
        ConfigError: No message, too many of them, or no such theme.
        MissingExtraError: The ``browser`` extra is not installed.
        BrowserUnavailableError: There is no browser, or it does not start.
        InfrastructureError: The browser failed.
        OSError: The file cannot be written.
    """
    if not 1 <= len(messages) <= LARGEST_SHEET:
        raise ConfigError(f"A sheet holds 1 to {LARGEST_SHEET} messages, got {len(messages)}: give another number.")
    documents = [render_message(message, theme=theme) for message in messages]
    captions = [f"{message.platform} · {message.surface}" for message in messages]
    out_path.write_bytes(base64.b64decode(_drawn(documents, captions, theme)))


def _drawn(documents: Sequence[str], captions: Sequence[str], theme: Theme) -> str:
    with drawing_browser("drawing messages") as drawing:

        def page(width_px: int, height_px: int) -> MessagePage:
            return MessagePage(drawing.browser, drawing.settings, width_px, height_px)

        small = drawing.call(lambda: page(VIEW_WIDTH_PX, VIEW_HEIGHT_PX))
        pictures = [drawing.call(partial(small.draw, document)) for document in documents]
        sheet, width_px, height_px = _sheet(pictures, captions, theme)
        return drawing.call(lambda: page(width_px, height_px).draw(sheet))


def _sheet(pictures: Sequence[str], captions: Sequence[str], theme: Theme) -> tuple[str, int, int]:
    """Return the document that shows the pictures, its width and its height."""
    columns = min(len(pictures), _COLUMNS)
    rows = -(-len(pictures) // columns)
    width_px = columns * (VIEW_WIDTH_PX + _GAP_PX) + _GAP_PX
    height_px = rows * (VIEW_HEIGHT_PX + _CAPTION_PX + _GAP_PX) + _GAP_PX
    paper, ink = ("#dfe1e4", "#3a3f45") if theme == "light" else ("#2c2f33", "#c9cdd2")
    css = (
        f"*{{box-sizing:border-box;margin:0}}body{{width:{width_px}px;height:{height_px}px;padding:{_GAP_PX}px;"
        f"display:grid;grid-template-columns:repeat({columns},{VIEW_WIDTH_PX}px);gap:{_GAP_PX}px;background:{paper};"
        f"color:{ink};font:15px/{_CAPTION_PX}px {FONTS}}}img{{display:block;border-radius:8px}}"
    )
    cells = "".join(
        f'<figure><img src="data:image/png;base64,{picture}" width="{VIEW_WIDTH_PX}" height="{VIEW_HEIGHT_PX}" alt="">'
        f"<figcaption>{caption}</figcaption></figure>"
        for picture, caption in zip(pictures, captions, strict=True)
    )
    return f'<!doctype html><meta charset="utf-8"><style>{css}</style><body>{cells}</body>', width_px, height_px
