"""Errors: one class per thing a caller can do about it.

Every message says what happened, what was given and what to do next. An :class:`InfrastructureError`
is never a score: it masks the episode it happens in.
"""

from __future__ import annotations

from pathlib import Path


class RiskChainError(Exception):
    """Base class of every error this package raises on purpose."""


class ConfigError(RiskChainError, ValueError):
    """A keyword argument, a TOML file or a combination of settings that cannot be honoured."""


class NeedsBrowserError(ConfigError):
    """A site whose pages only a browser can show, for a backend that has none."""


class UnknownNameError(RiskChainError, KeyError):
    """A chain, split, agent or site name that does not exist; the message lists near matches."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class InputFileError(RiskChainError, ValueError):
    """A file that cannot be read as what it should be.

    Attributes:
        path: The offending file.
        field: The offending field (dotted path, or ``line 3: content``), or ``""`` for the file as a whole.
    """

    def __init__(self, path: Path | str, field: str, problem: str) -> None:
        self.path = Path(path)
        self.field = field
        self.problem = problem
        super().__init__(path, field, problem)

    def __str__(self) -> str:
        where = f"{self.path}: {self.field}" if self.field else f"{self.path}"
        return f"{where}: {self.problem}"


class MissingExtraError(RiskChainError, ImportError):
    """An optional dependency is not installed.

    Args:
        extra: Name of the extra that brings it (``browser``, ``rllib``, ``llm``).
        what: What needs it, as the subject of a sentence.
    """

    def __init__(self, extra: str, what: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs the optional '{extra}' extra: run  pip install 'riskchain-gym[{extra}]'.")


class BrowserUnavailableError(RiskChainError, RuntimeError):
    """No usable Chromium was found, or it does not start; the message says how to get one."""


class InfrastructureError(RiskChainError, RuntimeError):
    """The browser, its worker or the sandbox server failed; says nothing about the agent.

    Attributes:
        cause: Short machine-readable cause, e.g. ``browser_lost`` or ``deadline``.
    """

    def __init__(self, cause: str, detail: str) -> None:
        self.cause = cause
        super().__init__(cause, detail)

    def __str__(self) -> str:
        return f"{self.args[0]}: {self.args[1]}"
