"""What an agent is told where a phase ends without its doing."""

from __future__ import annotations

from riskchain_gym.protocol.failures import FailureKind
from riskchain_gym.protocol.trajectory import Phase

SPENT = {
    FailureKind.STEP_BUDGET: "The step budget is spent.",
    FailureKind.TIME_BUDGET: "The time budget is spent.",
}
"""By the budget that is exhausted."""

LAST_STRIKE = {
    Phase.RESTORE: "An empty restoration is committed.",
    Phase.BROWSE: "Browsing has ended: report now.",
    Phase.REPORT: "The report is missing, the episode has ended.",
}
"""By the phase that the last strike ends."""
