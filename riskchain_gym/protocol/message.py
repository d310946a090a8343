"""The disguised message as an agent sees it: platform, surface and content, never an id."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from riskchain_gym.protocol.model import Frozen

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]
"""The published id pattern (protocol A.1)."""

GATE_VARIANT = "v000"
"""The variant of a message, among those in other disguises, that episodes show and that feeds the gate."""


class Platform(StrEnum):
    """Where a message was sent."""

    BILIBILI = "bilibili"
    DOUYIN = "douyin"
    WECHAT = "wechat"
    WECHAT_CHANNELS = "wechat_channels"
    QQ = "qq"
    WEIBO = "weibo"
    BAIDU_TIEBA = "baidu_tieba"
    TIKTOK = "tiktok"


class Surface(StrEnum):
    """Which part of the platform it was sent on."""

    PRIVATE_MESSAGE = "PRIVATE_MESSAGE"
    GROUP_CHAT = "GROUP_CHAT"
    COMMENT = "COMMENT"
    DYNAMIC_REPLY = "DYNAMIC_REPLY"
    LIVE_CHAT = "LIVE_CHAT"


class ChatMessage(Frozen):
    """One message of a session; ``content`` is kept code point by code point."""

    message_id: Identifier
    role: Literal["sender", "recipient", "system"] = "sender"
    content: str


class Message(Frozen):
    """The model-visible restoration task (protocol A.1, without its ids).

    Attributes:
        platform: Platform the session was sent on.
        surface: Surface of that platform.
        input_view: How the message is shown; only token text so far.
        messages: The session, in order; at least one.
    """

    schema_version: Literal["riskchain-message/v1"] = "riskchain-message/v1"
    platform: Platform
    surface: Surface
    input_view: Literal["TOKEN_TEXT"] = "TOKEN_TEXT"
    messages: Annotated[tuple[ChatMessage, ...], Field(min_length=1)]
