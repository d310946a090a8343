"""What can go wrong while a person browses; each error says what to do, and none costs an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riskchain_gym.protocol.errors import RiskChainError

if TYPE_CHECKING:
    from riskchain_gym.annotation.view import View


class ActionRefusedError(RiskChainError, ValueError):
    """An action that the page does not take; nothing was done and nothing was written down."""


class PageHungError(RiskChainError, RuntimeError):
    """An action that the page has not answered in time; it is not kept, and the visit goes on at the page before."""

    cause = "hung"


class PinRefusedError(RiskChainError, ValueError):
    """A place that cannot be pinned; the message says why."""


class ReportRefusedError(RiskChainError, ValueError):
    """A report that cites what the visit has not shown; the visit goes on."""


class StaleStepError(RiskChainError, ValueError):
    """An action on a page that is not the current one: another tab went on meanwhile.

    Attributes:
        view: The current view.
    """

    def __init__(self, view: View, step: int) -> None:
        self.view = view
        super().__init__(
            f"The visit has gone on to step {view.step}, the action was for step {step}: look at it again."
        )


class VisitClosedError(RiskChainError, RuntimeError):
    """Browsing is closed: what was seen can be cited, and the visit can be begun anew.

    Attributes:
        cause: ``diverged``, ``lost``, or what failed, e.g. ``browser_lost`` or ``storage``.
    """

    def __init__(self, cause: str, message: str) -> None:
        self.cause = cause
        super().__init__(message)
