"""What can go wrong with a call to a model, as data; a failed call has no answer and is never read as one."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any


class CallFailure(StrEnum):
    """Why a call gave no usable answer.

    Attributes:
        TRANSPORT: No whole answer came: no connection, a cut one, HTTP 408, 425, 500, 502, 503, 504, or HTTP 200
            with an error in it.
        TIMEOUT: The server took longer than the timeout.
        RATE_LIMITED: HTTP 429.
        AUTH: HTTP 401 or 403: the key is missing, wrong or not allowed to do this.
        MODEL_NOT_FOUND: HTTP 404: the server has no such model, or no such path.
        IMAGES_UNSUPPORTED: The server or the model takes no images.
        CONTEXT_TOO_LONG: The request is longer than the model can read.
        BAD_REQUEST: The server refuses the request for another reason (any other HTTP 4xx).
        BAD_RESPONSE: What came is no chat completion, with HTTP 200 or a status that is not listed here.
        TOO_LARGE: The reply is larger than the client reads.
        EMPTY: The model said nothing.
        REFUSED: The model, or a filter around it, declines; some filters do so by an HTTP status of their own.
        TRUNCATED: The answer was cut at the token limit.
        INVALID_JSON: JSON was asked for and the answer is none, or has more around it.
        SCHEMA: The answer is JSON of another shape than asked for.
        OVER_COST: The budget is used up; nothing was sent.
        COST_UNKNOWN: What was answered so far has no known cost, so that the budget cannot be kept; nothing was sent.
    """

    TRANSPORT = "transport"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    AUTH = "auth"
    MODEL_NOT_FOUND = "model_not_found"
    IMAGES_UNSUPPORTED = "images_unsupported"
    CONTEXT_TOO_LONG = "context_too_long"
    BAD_REQUEST = "bad_request"
    BAD_RESPONSE = "bad_response"
    TOO_LARGE = "too_large"
    EMPTY = "empty"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    INVALID_JSON = "invalid_json"
    SCHEMA = "schema"
    OVER_COST = "over_cost"
    COST_UNKNOWN = "cost_unknown"


RETRIED_STATUSES: frozenset[int] = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses that are worth another attempt (protocol B.2)."""

RETRIED: frozenset[CallFailure] = frozenset(
    {CallFailure.TRANSPORT, CallFailure.TIMEOUT, CallFailure.RATE_LIMITED, CallFailure.EMPTY}
)
"""Failures that are worth another attempt; every other one is final."""

OF_THE_MODEL: frozenset[CallFailure] = frozenset(
    {CallFailure.REFUSED, CallFailure.TRUNCATED, CallFailure.INVALID_JSON, CallFailure.SCHEMA}
)
"""Failures that the model's own words are, so that a cache keeps them; all others are never kept."""

UNPAID: frozenset[CallFailure] = frozenset({CallFailure.OVER_COST, CallFailure.COST_UNKNOWN})
"""Why a budget lets nothing pass."""

LOST: frozenset[CallFailure] = frozenset(
    {
        CallFailure.TRANSPORT,
        CallFailure.TIMEOUT,
        CallFailure.RATE_LIMITED,
        CallFailure.BAD_RESPONSE,
        CallFailure.BAD_REQUEST,
    }
)
"""Failures that say nothing of the model: no answer could be had, and another time one may be."""

UNASKABLE: frozenset[CallFailure] = frozenset({CallFailure.AUTH, CallFailure.MODEL_NOT_FOUND})
"""Failures that every further call would meet with too, until address, name or key is mended."""

_FILTERS = frozenset({"content_filter", "content_policy_violation", "data_inspection_failed"})
_FILTERED = "content exists risk"
"""What filters say that answer HTTP 400 in the place of the model: those of Azure, of proxies, DashScope, DeepSeek."""

_IMAGE_WORDS = ("image", "vision", "multimodal", "mmproj")
_LENGTH_WORDS = (
    "context length",
    "context_length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
)

_SHORT = 500
"""Characters of a body without JSON that is a sentence, and no page of a proxy."""


def failure_of_status(status: int, said: str) -> CallFailure:
    """Name what an HTTP status other than 200 means.

    Args:
        status: The status.
        said: Body of the answer; which of its requests a server refuses, it says in words only.
    """
    if status == 429:
        return CallFailure.RATE_LIMITED
    if status in RETRIED_STATUSES:
        return CallFailure.TRANSPORT
    if status in (401, 403):
        return CallFailure.AUTH
    if status == 404:
        return CallFailure.MODEL_NOT_FOUND
    if not 400 <= status < 500:
        return CallFailure.BAD_RESPONSE
    codes, words = _told(said)
    if status == 400 and (codes & _FILTERS or _FILTERED in words):
        return CallFailure.REFUSED
    words = " ".join([words, *sorted(codes)])
    if any(word in words for word in _LENGTH_WORDS):
        return CallFailure.CONTEXT_TOO_LONG
    if status != 413 and any(word in words for word in _IMAGE_WORDS):
        return CallFailure.IMAGES_UNSUPPORTED
    return CallFailure.BAD_REQUEST


def _told(said: str) -> tuple[frozenset[str], str]:
    """Return the codes of an error and its words, in lower case, without what it echoes of the request."""
    try:
        body: Any = json.loads(said)
    except (ValueError, RecursionError):
        return frozenset(), said.lower() if len(said) <= _SHORT else ""
    body = body[0] if isinstance(body, list) and body else body
    error = body.get("error") or body if isinstance(body, dict) else body
    if isinstance(error, str):
        return frozenset(), error.lower()
    if not isinstance(error, dict):
        return frozenset(), ""
    fields = {name: value.lower() for name, value in error.items() if isinstance(value, str)}
    return frozenset(fields[name] for name in ("code", "type") if name in fields), fields.get("message", "")
