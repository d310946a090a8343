"""Failure as data: what went wrong in an episode, in the words every report and table uses."""

from __future__ import annotations

from enum import StrEnum

from riskchain_gym.protocol.model import Frozen


class FailureStage(StrEnum):
    """First-failure attribution, in the order it is decided (protocol C.10)."""

    EXECUTION_FAILURE = "execution_failure"
    MISSING_REPORT = "missing_report"
    DECISION_WRONG = "decision_wrong"
    TYPE_WRONG = "type_wrong"
    SUCCESS = "success"


class FailureKind(StrEnum):
    """What can go wrong on the way.

    The environment writes them down while an episode runs. Two are left to others: ``GATE_NOT_PASSED`` is found by
    scoring, which knows where the gates of a site stand; ``TRANSPORT`` is for whoever runs an agent whose model could
    not be reached.
    """

    EMPTY_OBSERVATION = "empty_observation"
    MALFORMED_ACTION = "malformed_action"
    MISSING_TARGET = "missing_target"
    STALE_TARGET = "stale_target"
    NO_EFFECT = "no_effect"
    LOOP = "loop"
    GATE_NOT_PASSED = "gate_not_passed"
    BLOCKED_NAVIGATION = "blocked_navigation"
    LOST_DIALOG = "lost_dialog"
    LOST_TAB = "lost_tab"
    LOST_DOWNLOAD = "lost_download"
    STEP_BUDGET = "step_budget"
    TIME_BUDGET = "time_budget"
    EARLY_STOP = "early_stop"
    REFUSAL = "refusal"
    TRANSPORT = "transport"
    INVALID_REPORT = "invalid_report"
    UNRESOLVABLE_CITATION = "unresolvable_citation"


class Failure(Frozen):
    """One thing that went wrong at one step.

    Attributes:
        kind: What it was.
        step: The trajectory step it happened at (index into ``Trajectory.steps``).
        terminal: Whether it ended the case. What the agent went on from is not terminal: a single strike, and also
            strikes or an exhausted budget after which there still was a report to file.
        detail: A short sentence for people; for ``gate_not_passed`` the kind of the site's gate, or ``entry``
            where ``routing="committed"`` led to no site.
    """

    kind: FailureKind
    step: int
    terminal: bool = False
    detail: str = ""


class EpisodeStatus(StrEnum):
    """How an episode stands or ended; ``committed`` ends a restore-only episode."""

    RUNNING = "running"
    COMMITTED = "committed"
    REPORTED = "reported"
    MISSING_REPORT = "missing_report"
    BOTTOM = "bottom"
    INFRA_ERROR = "infra_error"
