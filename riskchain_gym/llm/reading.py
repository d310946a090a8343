"""From the body of a chat completion to an answer or a named failure; the same for fresh bodies and cached ones."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, ValidationError

from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.refusals import declines
from riskchain_gym.llm.reply import Reply, Usage

READER_VERSION = "reader/3"
"""Version of what this module makes of a body; part of the cache's key."""

_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL | re.IGNORECASE)


def read_completion(raw: str, form: type[BaseModel] | None) -> Reply:
    """Read the body of an answer with HTTP 200.

    Where a form was asked for, the words must be one JSON object and nothing else; one code fence around it is let
    pass. Whatever else is said, no answer is made of it.

    Args:
        raw: The body.
        form: The shape that was asked for, or ``None`` for prose.
    """
    try:
        body = _with_whole_characters(json.loads(raw))
        if error := _error_in(body):
            usage = _usage(body.get("usage"))
            billed = int(usage is not None)
            return Reply(failure=CallFailure.TRANSPORT, detail=error, usage=usage, answers=billed, raw=raw)
        choice = body["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        if not isinstance(text, str):
            raise TypeError("content is no text")
        reply = Reply(
            text=text,
            usage=_usage(body.get("usage")),
            model=str(body.get("model") or ""),
            finish_reason=str(choice.get("finish_reason") or ""),
            answers=1,
            raw=raw,
        )
        refusal = str(message.get("refusal") or "")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        detail = f"the server's answer is no chat completion ({type(error).__name__})"
        return Reply(failure=CallFailure.BAD_RESPONSE, detail=detail, answers=1, raw=raw)
    if refusal or reply.finish_reason == "content_filter":
        return _failed(reply, CallFailure.REFUSED, refusal or "a content filter stopped the answer")
    if reply.finish_reason == "length":
        return _failed(reply, CallFailure.TRUNCATED, "the answer was cut at the token limit")
    if not text.strip():
        return _failed(reply, CallFailure.EMPTY, "the model said nothing")
    return _prose(reply) if form is None else _formed(reply, form)


def _error_in(body: Any) -> str:
    """Return the error that a server or one behind it reports with HTTP 200, or ``""`` if it reports none."""
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    for holder in (body, first):
        if isinstance(holder, dict) and (error := holder.get("error")):
            return f"HTTP 200 with an error: {error.get('message', error) if isinstance(error, dict) else error}"
    broken = isinstance(first, dict) and first.get("finish_reason") == "error"
    return "HTTP 200 with an answer that the server broke off (finish_reason: error)" if broken else ""


def _prose(reply: Reply) -> Reply:
    if declines(reply.text):
        return _failed(reply, CallFailure.REFUSED, "the model declines")
    return reply


def _formed(reply: Reply, form: type[BaseModel]) -> Reply:
    text = reply.text.strip()
    fenced = _FENCED.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once, parse_constant=_no_constant)
        value = _with_whole_characters(value)
    except (ValueError, RecursionError):
        if declines(text):
            return _failed(reply, CallFailure.REFUSED, "the model declines")
        return _failed(reply, CallFailure.INVALID_JSON, "the answer is not one JSON object and nothing else")
    try:
        parsed = form.model_validate(value, strict=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "answer"
        return _failed(reply, CallFailure.SCHEMA, f"{where}: {first['msg']}")
    return reply.model_copy(update={"parsed": parsed.model_dump(mode="json")})


def _failed(reply: Reply, failure: CallFailure, detail: str) -> Reply:
    return reply.model_copy(update={"failure": failure, "detail": detail})


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a name is given twice")
    return value


def _with_whole_characters(value: Any) -> Any:
    """Return a JSON value with ``?`` for half surrogate pairs, which JSON can spell and no file can hold."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _usage(given: Any) -> Usage | None:
    """Return the tokens, or ``None`` if they are not given or make no sense: no request has none."""
    if not isinstance(given, dict):
        return None
    details = given.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    counts = {
        "input_tokens": given.get("prompt_tokens"),
        "cached_input_tokens": 0 if cached is None else cached,
        "output_tokens": given.get("completion_tokens"),
    }
    try:
        usage = Usage.model_validate(counts, strict=True)
    except ValidationError:
        return None
    return usage if usage.cached_input_tokens <= usage.input_tokens > 0 else None
