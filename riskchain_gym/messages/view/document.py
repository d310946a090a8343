"""The view of a message as one HTML document."""

from __future__ import annotations

from functools import partial
from typing import get_args

from riskchain_gym.messages.tokens import TokenProfile
from riskchain_gym.messages.view.fit import fitting_size, line_count
from riskchain_gym.messages.view.looks import LOOKS, Theme, label, variables
from riskchain_gym.messages.view.style import style_sheet
from riskchain_gym.messages.view.surfaces import VIEWS, SurfaceView
from riskchain_gym.messages.view.text import codes_of, text_html
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import Message

VIEW_WIDTH_PX = 390
"""Width of the picture of a message, in pixels."""

VIEW_HEIGHT_PX = 600
"""Height of the picture of a message, in pixels."""

_LINE_REM = 1.5


def render_message(
    message: Message, *, theme: Theme = "light", width_px: int = VIEW_WIDTH_PX, height_px: int = VIEW_HEIGHT_PX
) -> str:
    """Return a message as it looks on its platform's surface: one HTML document, the same text for the same message.

    It shows what :class:`~riskchain_gym.protocol.message.Message` tells an agent, without ids, and labels of our own
    around it. It has no script, loads nothing, and is as wide and high as asked: text that needs more room is drawn
    smaller, none is cut off. The platform's own emoji codes are drawn as neutral pictures, so which code was sent
    cannot be read off the view; the codes of other platforms are text.

    Args:
        message: The message.
        theme: ``light`` or ``dark``.
        width_px: Width of the view in CSS pixels.
        height_px: Height of the view in CSS pixels.

    Raises:
        ConfigError: There is no such theme.
    """
    if theme not in get_args(Theme):
        raise ConfigError(f"There is no theme '{theme}': choose one of {', '.join(get_args(Theme))}.")
    view = VIEWS[message.surface]
    codes = codes_of(message.platform)
    labels = partial(label, platform=message.platform, surface=message.surface)
    rows = "".join(view.row(one, text_html(one.content, codes), labels) for one in message.messages)
    size = fitting_size(partial(_height_rem, message, view, codes, width_px), height_px)
    look = variables(LOOKS[message.platform], theme)
    css = (
        f":root{{{look}color-scheme:{theme};font-size:{size:g}px}}"
        f"{style_sheet(view.css_class)}body{{width:{width_px}px;min-height:{height_px}px}}"
    )
    return (
        '<!doctype html><html lang="zh-CN"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src 'unsafe-inline'\">"
        f'<title>view</title><style>{css}</style></head><body class="{view.css_class}">'
        f"{view.top(labels)}{rows}{view.bottom}</body></html>"
    )


def _height_rem(message: Message, view: SurfaceView, codes: TokenProfile, width_px: int, size_px: float) -> float:
    height = view.frame_rem
    for one in message.messages:
        side = view.side_rem + (view.indent_rem if one.role == "recipient" else 0.0)
        lines = line_count(one.content, codes, width_px / size_px - side, view.lead_rem)
        height += view.row_rem + _LINE_REM * lines
    return height
