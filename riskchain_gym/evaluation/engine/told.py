"""Errors as data: what one process raises is raised again in another, and what a caller reads of it is there."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from riskchain_gym.agents.oracle import OracleError
from riskchain_gym.evaluation.closing import AgentUnclosedError
from riskchain_gym.llm.fuse import FuseBlownError, ModelUnaskableError
from riskchain_gym.llm.reply import Reply
from riskchain_gym.protocol.errors import (
    BrowserUnavailableError,
    ConfigError,
    InfrastructureError,
    InputFileError,
    MissingExtraError,
    NeedsBrowserError,
    UnknownNameError,
)

Told = dict[str, Any]


_MOST_TOLD = 100_000
"""Code points that are told of a text."""


class RaisedElsewhereError(RuntimeError):
    """Something that this package does not know was raised in another process; its traceback is in the message.

    Attributes:
        kind: Name of the class of what was raised.
        ends_program: Whether it was no exception but what ends a program, such as ``SystemExit``.
    """

    def __init__(self, kind: str, message: str, trace: str, *, ends_program: bool) -> None:
        super().__init__(f"{kind}: {message}\n\n{trace}" if not ends_program else f"{kind}({message})")
        self.kind = kind
        self.ends_program = ends_program


_PLAIN: dict[str, type[Exception]] = {
    each.__name__: each
    for each in (
        AgentUnclosedError,
        BrowserUnavailableError,
        ConfigError,
        NeedsBrowserError,
        OracleError,
        UnknownNameError,
    )
}

_READ: dict[str, Callable[[Told], Exception]] = {
    "FuseBlownError": lambda told: FuseBlownError(
        str(told["args"][0]), str(told["args"][1]), Reply.model_validate(told["reply"])
    ),
    "InfrastructureError": lambda told: InfrastructureError(str(told["args"][0]), str(told["args"][1])),
    "InputFileError": lambda told: InputFileError(Path(told["args"][0]), str(told["args"][1]), str(told["args"][2])),
    "MissingExtraError": lambda told: _missing_extra(str(told["extra"]), str(told["args"][0])),
    "ModelUnaskableError": lambda told: ModelUnaskableError(str(told["args"][0]), Reply.model_validate(told["reply"])),
    **{name: lambda told, kind=kind: kind(str(told["args"][0])) for name, kind in _PLAIN.items()},  # type: ignore[misc]
}


def told(error: BaseException) -> Told:
    """Return an error as plain data."""
    reply = getattr(error, "reply", None)
    return {
        "kind": type(error).__name__,
        "known": type(error).__module__.partition(".")[0] == __name__.partition(".")[0],
        "args": [text_of(each) for each in error.args] or [""],
        "reply": reply.model_dump(mode="json") if isinstance(reply, Reply) else None,
        "extra": text_of(getattr(error, "extra", "")),
        "message": text_of(error),
        "trace": "".join(traceback.format_exception(error))[-_MOST_TOLD:],
        "ends_program": not isinstance(error, Exception),
    }


def rebuilt(data: Mapping[str, Any]) -> Exception:
    """Return the error that :func:`told` was given, or one that shows it.

    Raises:
        ValueError: The data are not what :func:`told` returns.
    """
    found = dict(data)
    try:
        kind = str(found["kind"])
        if found["known"] is True and kind in _READ:
            return _READ[kind](found)
        ends = bool(found["ends_program"])
        return RaisedElsewhereError(kind, str(found["message"]), str(found["trace"]), ends_program=ends)
    except (LookupError, TypeError) as error:
        raise ValueError("that is no error that was told of") from error


def text_of(said: object) -> str:
    """Return what an error, or a part of one, says; one whose text cannot be read is still told of."""
    try:
        return str.__str__(str(said))[:_MOST_TOLD]
    except Exception as broken:  # noqa: BLE001 - code of others; what it raises stands in place of its text
        return f"(its message cannot be read: {type(broken).__name__})"


def _missing_extra(extra: str, message: str) -> MissingExtraError:
    error = MissingExtraError(extra, "This")
    error.args, error.msg = (message,), message
    return error
