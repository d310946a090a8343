"""The five surfaces: what stands around the messages, and how one message is laid out on each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from riskchain_gym.messages.view.looks import Label
from riskchain_gym.protocol.message import ChatMessage, Surface

Labels = Callable[[Label], str]
"""The label for a purpose, as HTML."""


def _icon(drawing: str) -> str:
    return f'<svg class="k" viewBox="0 0 24 24" aria-hidden="true">{drawing}</svg>'


_BACK = _icon('<path d="M15 4.5 7.5 12l7.5 7.5"/>')
_MORE = _icon(
    '<g class="s"><circle cx="5" cy="12" r="2"/><circle cx="12" cy="12" r="2"/><circle cx="19" cy="12" r="2"/></g>'
)
_HEART = _icon(
    '<path d="M12 20C4.5 14.6 3 11.2 3 8.6 3 6 5 4 7.4 4 9.3 4 11 5 12 6.8 13 5 14.7 4 16.6 4 19 4 21 6 21 8.6'
    'c0 2.6-1.5 6-9 11.4Z"/>'
)
_BALLOON = _icon('<path d="M4 5h16v11h-8.5L7 19.6V16H4Z" stroke-linejoin="round"/>')
_CROSS = _icon('<path d="M12 5v14M5 12h14"/>')
_PERSON = (
    '<svg viewBox="0 0 36 36" aria-hidden="true">'
    '<circle cx="18" cy="14" r="6.2"/><path d="M6 36c0-8.6 5-13 12-13s12 4.4 12 13Z"/></svg>'
)


@dataclass(frozen=True)
class SurfaceView:
    """One surface. Lengths are in rem, which is the size of the messages' text.

    Attributes:
        css_class: Class of the document's body.
        top: HTML above the messages, by the labels.
        row: HTML of one message, by the message, its text as HTML and the labels.
        bottom: HTML below the messages.
        frame_rem: Height of all that is no message.
        side_rem: Width of the picture that no text is in.
        row_rem: Height of a message without its text.
        lead_rem: Width taken before the first character of a text.
        indent_rem: Width that the recipient's messages have less.
    """

    css_class: str
    top: Callable[[Labels], str]
    row: Callable[[ChatMessage, str, Labels], str]
    bottom: str
    frame_rem: float
    side_rem: float
    row_rem: float
    lead_rem: float = 0.0
    indent_rem: float = 0.0


def _bar(labels: Labels) -> str:
    return f"<header>{_BACK}<b>{labels('title')}</b>{_MORE}</header>"


def _avatar(role: str) -> str:
    return f'<i class="a {role}">{_PERSON}</i>'


def _row(role: str, said: str) -> str:
    return f'<div class="row {role}">{_avatar(role)}<div class="said">{said}</div></div>'


def _note(text: str) -> str:
    return f'<p class="note"><span>{text}</span></p>'


def _private(message: ChatMessage, text: str, labels: Labels) -> str:  # noqa: ARG001 - nobody is named here
    return _note(text) if message.role == "system" else _row(message.role, f'<div class="t">{text}</div>')


def _group(message: ChatMessage, text: str, labels: Labels) -> str:
    if message.role == "system":
        return _note(text)
    return _row(message.role, f'<div class="n">{labels(message.role)}</div><div class="t">{text}</div>')


def _comment(message: ChatMessage, text: str, labels: Labels) -> str:
    if message.role == "system":
        return _note(text)
    meta = f'<div class="m"><span>{labels("reply")}</span><em></em>{_HEART}{_BALLOON}</div>'
    return _row(message.role, f'<div class="n">{labels(message.role)}</div><div class="t">{text}</div>{meta}')


def _live(message: ChatMessage, text: str, labels: Labels) -> str:
    name = "" if message.role == "system" else f"<b>{labels(message.role)}</b>"
    return f'<p class="over {message.role}">{name}<bdi class="t">{text}</bdi></p>'


def _post(labels: Labels) -> str:
    author = _row("author", f'<div class="n">{labels("author")}</div><u></u>')
    return f'{_bar(labels)}<section class="post">{author}<u class="long"></u></section><main>'


def _stage(labels: Labels) -> str:
    who = f'<span class="who">{_avatar("author")}<b>{labels("title")}</b></span>'
    return f'<div class="sky"></div><header>{who}{_MORE}</header><main>'


def _list(labels: Labels) -> str:
    return f"{_bar(labels)}<main>"


_COMPOSER = f"</main><footer>{_CROSS}<s></s>{_BALLOON}</footer>"

VIEWS: dict[Surface, SurfaceView] = {
    Surface.PRIVATE_MESSAGE: SurfaceView(
        "chat", _list, _private, _COMPOSER, frame_rem=7.375, side_rem=8.25, row_rem=1.875
    ),
    Surface.GROUP_CHAT: SurfaceView("chat", _list, _group, _COMPOSER, frame_rem=7.375, side_rem=8.25, row_rem=3.125),
    Surface.COMMENT: SurfaceView(
        "thread", _list, _comment, _COMPOSER, frame_rem=6.0, side_rem=5.0, row_rem=4.75, indent_rem=2.5
    ),
    Surface.DYNAMIC_REPLY: SurfaceView(
        "thread", _post, _comment, _COMPOSER, frame_rem=11.75, side_rem=5.0, row_rem=4.75, indent_rem=2.5
    ),
    Surface.LIVE_CHAT: SurfaceView(
        "live", _stage, _live, _COMPOSER, frame_rem=7.375, side_rem=5.0, row_rem=1.125, lead_rem=3.0
    ),
}
"""The view of every surface."""
