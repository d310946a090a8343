"""The recorder: builds the hash-chained trajectory while an episode runs."""

from __future__ import annotations

from typing import Any

from riskchain_gym.protocol.action import ActionResult
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.failures import EpisodeStatus, Failure, FailureKind
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import GENESIS, Phase, Step, Trajectory

ACTION_LIMIT = 20_000
"""Longest action text that is carried out and kept, in code points; longer ones are refused, and kept cut."""


class Recorder:
    """One episode as it is written down.

    Args:
        chain_id: The chain.
        variant: The message variant shown.
        protocol: Name of the rules.
        routing: As drawn for this episode.
        modalities: What the agent is given of each page.
        viewport: Width and height of screenshots in CSS pixels, or ``None`` if it is not known.

    Attributes:
        report: The accepted report, once there is one.
        pages: Observed pages by browse step, the landing view at 0.
        status: How the episode stands.
        infra_cause: Cause of an infrastructure failure, else ``""``.
        egress: Attempts of pages to reach anything outside of their site, by kind.
    """

    def __init__(
        self,
        chain_id: str,
        variant: str,
        protocol: str,
        routing: str,
        *,
        modalities: tuple[str, ...] = ("text", "elements"),
        viewport: tuple[int, int] | None = None,
    ) -> None:
        self._head: dict[str, Any] = {
            "chain_id": chain_id,
            "variant": variant,
            "protocol": protocol,
            "routing": routing,
            "modalities": modalities,
            "viewport": viewport,
        }
        self._steps: list[Step] = []
        self._states: dict[str, ObservedPage] = {}
        self._failures: list[Failure] = []
        self._landing: str | None = None
        self._commit: Commit | None = None
        self._revised: Commit | None = None
        self.report: Report | None = None
        self.pages: dict[int, ObservedPage] = {}
        self.status = EpisodeStatus.RUNNING
        self.infra_cause = ""
        self.egress: dict[str, int] = {}

    @property
    def commit(self) -> Commit | None:
        """The frozen restoration, once there is one."""
        return self._commit

    @property
    def revised_commit(self) -> Commit | None:
        """The revision of the restoration, once there is one."""
        return self._revised

    @property
    def state_count(self) -> int:
        """Number of distinct page states seen."""
        return len(self._states)

    @property
    def last(self) -> Step | None:
        """The last step, or ``None`` before the first action."""
        return self._steps[-1] if self._steps else None

    def freeze(self, commit: Commit) -> None:
        """Store the restoration, for good.

        Raises:
            RuntimeError: There is one already.
        """
        if self._commit is not None:
            raise RuntimeError("The restoration of this episode is frozen and cannot be replaced: reset to begin anew.")
        self._commit = commit

    def revise(self, commit: Commit) -> None:
        """Store the revision of the restoration, for good; what was committed stays.

        Raises:
            RuntimeError: There is one already.
        """
        if self._revised is not None:
            raise RuntimeError("The restoration of this episode was revised once and cannot be again: reset to begin.")
        self._revised = commit

    def land(self, page: ObservedPage) -> None:
        """Write down the landing view."""
        self._landing = self._store(page)
        self.pages[0] = page

    def add(
        self,
        phase: Phase,
        action: object,
        result: ActionResult,
        feedback: str,
        *,
        page: ObservedPage | None = None,
        strikes: int = 0,
    ) -> int:
        """Append one step.

        Args:
            phase: Phase the action was sent in.
            action: What the agent sent.
            result: What came of it.
            feedback: The sentence the agent is shown.
            page: The page seen afterwards, or ``None``.
            strikes: Strikes in a row after it.

        Returns:
            The step's index.
        """
        browse_step = None
        if page is not None:
            browse_step = len(self.pages)
            self.pages[browse_step] = page
        step = Step(
            index=len(self._steps),
            phase=phase,
            browse_step=browse_step,
            action=storable(action),
            result=result,
            feedback=feedback,
            page=self._store(page) if page is not None else None,
            strikes=strikes,
            scroll_y=page.scroll_y if page is not None else 0,
            previous=self._steps[-1].hash if self._steps else GENESIS,
        )
        self._steps.append(step.sealed())
        return step.index

    def fail(self, kind: FailureKind, step: int, *, terminal: bool = False, detail: str = "") -> None:
        """Write down something that went wrong at a step."""
        self._failures.append(Failure(kind=kind, step=step, terminal=terminal, detail=detail))

    def trajectory(self) -> Trajectory:
        """Return the trajectory so far."""
        return Trajectory(
            **self._head,
            landing=self._landing,
            commit=self._commit,
            steps=tuple(self._steps),
            pages=dict(self._states),
            report=self.report,
            revised_commit=self._revised,
            status=self.status,
            failures=tuple(self._failures),
            infra_cause=self.infra_cause,
            egress=dict(self.egress),
        )

    def _store(self, page: ObservedPage) -> str:
        state = page.state_hash()
        self._states.setdefault(state, page)
        return state


def plain_text(action: object) -> object:
    """Return an action that is text as nothing but text, whatever a subclass makes of it; anything else as it is."""
    return str.__str__(action) if issubclass(type(action), str) else action


def storable(action: object) -> str:
    """Return what is kept of an action: text that every file can hold, cut to the limit.

    Half surrogate pairs, which no UTF-8 file can hold, are kept as escapes; of what is no text only the type is kept.
    """
    text = action if isinstance(action, str) else f"<{type(action).__name__}>"
    return text[:ACTION_LIMIT].encode("utf-8", "backslashreplace").decode("utf-8")[:ACTION_LIMIT]
