"""How platforms differ in the view: a hue and a few shapes of our own, and no platform's brand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from riskchain_gym.protocol.message import Platform, Surface

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Look:
    """What is particular to one platform.

    Attributes:
        hue: Hue of bubbles and accents, OKLCH degrees; none is the platform's own.
        bubble_rem: Corner radius of bubbles.
        avatar_pct: Corner radius of avatars in percent; 50 is a disc.
        tail: Whether bubbles point at their writer.
        title: Where the title stands.
    """

    hue: int
    bubble_rem: float
    avatar_pct: int
    tail: bool
    title: Literal["center", "left"]


LOOKS: dict[Platform, Look] = {
    Platform.BILIBILI: Look(125, 0.75, 50, tail=False, title="center"),
    Platform.DOUYIN: Look(75, 1.0, 50, tail=False, title="left"),
    Platform.WECHAT: Look(285, 0.375, 22, tail=True, title="center"),
    Platform.WECHAT_CHANNELS: Look(185, 0.625, 50, tail=False, title="left"),
    Platform.QQ: Look(325, 0.9, 50, tail=True, title="left"),
    Platform.WEIBO: Look(215, 0.5, 50, tail=True, title="center"),
    Platform.BAIDU_TIEBA: Look(45, 0.4, 26, tail=False, title="center"),
    Platform.TIKTOK: Look(150, 1.1, 50, tail=False, title="center"),
}

Label = Literal["title", "sender", "recipient", "author", "reply"]

_ZH: dict[Label, str] = {"sender": "网友", "recipient": "我", "author": "楼主", "reply": "回复"}
_EN: dict[Label, str] = {"sender": "member", "recipient": "me", "author": "author", "reply": "Reply"}
_TITLES: dict[Surface, tuple[str, str]] = {
    Surface.PRIVATE_MESSAGE: ("私信", "Messages"),
    Surface.GROUP_CHAT: ("群聊", "Group"),
    Surface.COMMENT: ("评论", "Comments"),
    Surface.DYNAMIC_REPLY: ("动态", "Post"),
    Surface.LIVE_CHAT: ("直播间", "Live"),
}
_SENDERS: dict[Surface, tuple[str, str]] = {
    Surface.GROUP_CHAT: ("群友", "member"),
    Surface.LIVE_CHAT: ("观众", "viewer"),
}


def label(what: Label, platform: Platform, surface: Surface) -> str:
    """Return an invented label, in the language of the platform's users.

    Args:
        what: What is labelled.
        platform: The platform.
        surface: The surface.
    """
    english = platform is Platform.TIKTOK
    if what == "title":
        return _TITLES[surface][english]
    if what == "sender" and surface in _SENDERS:
        return _SENDERS[surface][english]
    return (_EN if english else _ZH)[what]


def variables(look: Look, theme: Theme) -> str:
    """Return the CSS variables of a platform's look in a theme."""
    hue = look.hue
    colours = {
        "light": {
            "page": f"oklch(.965 .008 {hue})",
            "bar": f"oklch(.992 .004 {hue})",
            "line": f"oklch(.905 .01 {hue})",
            "ink": f"oklch(.25 .02 {hue})",
            "muted": f"oklch(.55 .02 {hue})",
            "faint": f"oklch(.87 .012 {hue})",
            "theirs": "oklch(1 0 0)",
            "mine": f"oklch(.895 .062 {hue})",
            "accent": f"oklch(.57 .12 {hue})",
            "one": f"oklch(.76 .09 {(hue + 150) % 360})",
            "two": f"oklch(.74 .1 {hue})",
            "dim": f"oklch(.66 .04 {hue})",
            "dim2": f"oklch(.59 .04 {hue})",
            "glow": f"oklch(.82 .06 {(hue + 40) % 360})",
            "veil": "oklch(.22 .01 250/.56)",
        },
        "dark": {
            "page": f"oklch(.185 .011 {hue})",
            "bar": f"oklch(.225 .013 {hue})",
            "line": f"oklch(.3 .014 {hue})",
            "ink": f"oklch(.94 .008 {hue})",
            "muted": f"oklch(.67 .02 {hue})",
            "faint": f"oklch(.37 .016 {hue})",
            "theirs": f"oklch(.29 .014 {hue})",
            "mine": f"oklch(.41 .075 {hue})",
            "accent": f"oklch(.75 .11 {hue})",
            "one": f"oklch(.55 .08 {(hue + 150) % 360})",
            "two": f"oklch(.56 .09 {hue})",
            "dim": f"oklch(.2 .025 {hue})",
            "dim2": f"oklch(.15 .02 {hue})",
            "glow": f"oklch(.38 .07 {(hue + 40) % 360})",
            "veil": "oklch(.08 .01 250/.55)",
        },
    }[theme]
    shape = {
        "radius": f"{look.bubble_rem}rem",
        "face": f"{look.avatar_pct}%",
        "title": look.title,
        "tail": "block" if look.tail else "none",
    }
    return "".join(f"--{name}:{value};" for name, value in {**colours, **shape}.items())
