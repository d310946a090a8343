"""The phase machine: restore, browse, report, done. It knows nothing of Gymnasium."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskchain_gym.envs.backends.base import BrowseBackend
from riskchain_gym.envs.browsergym_actions import read_browsergym_action
from riskchain_gym.envs.browsing import Browsing
from riskchain_gym.envs.cases import Case
from riskchain_gym.envs.config import EnvConfig, Kind
from riskchain_gym.envs.parsing import InvalidActionError, PhaseAction, check_message_ids, parse_action
from riskchain_gym.envs.phase_ends import LAST_STRIKE, SPENT
from riskchain_gym.envs.recorder import Recorder, plain_text
from riskchain_gym.envs.revision import REVISED, REVISED_ONCE
from riskchain_gym.envs.rewards import PAID_AT_ONCE, Reward, Transition, episode_terms
from riskchain_gym.protocol.action import ActionErrorKind, ActionKind, ActionResult, ActionStatus, BrowserAction
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Commit
from riskchain_gym.protocol.errors import BrowserUnavailableError, InfrastructureError
from riskchain_gym.protocol.failures import EpisodeStatus, FailureKind
from riskchain_gym.protocol.gold import GoldChain, MessageGold
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.scoring.citations import citation_problem
from riskchain_gym.scoring.episode import score_episode

_log = logging.getLogger(__name__)

GateJudge = Callable[[Commit], bool]
"""Says whether a commit's entry resolves to the chain's site, or that there is none where there is none."""

_PROBLEM_LIMIT = 200
_DONE = ActionResult(status=ActionStatus.EXECUTED)
_INVALID = ActionResult(status=ActionStatus.INVALID)
_LOST = ActionResult(status=ActionStatus.ERROR, error=ActionErrorKind.INFRASTRUCTURE)


@dataclass(frozen=True)
class Episode:
    """What one episode is played with, frozen at reset.

    Attributes:
        case: Chain and variant.
        routing: ``reference`` or ``committed``, as drawn.
        reward: What it pays.
        gold: Gold of the chain, or of its message alone where the episode ends at the commit; ``None`` where the reward
            needs none.
        gate: The gate, or ``None`` where nothing asks for it.
    """

    case: Case
    routing: str
    reward: Reward
    gold: GoldChain | MessageGold | None = None
    gate: GateJudge | None = None


class Machine:
    """One episode from reset to its end.

    Args:
        kind: The environment.
        config: Its settings.
        episode: What is played.
        backend: The browse backend; ``None`` in a restore-only environment that shows no picture of the message.
        clock: Monotonic seconds, for the time budget.

    Raises:
        BrowserUnavailableError: A browse-only environment opens its site here, one that observes ``message_image``
            draws its message here, and the browser has never started and does not now. In the whole chain the site is
            opened at the commit, and there that is an infrastructure failure like any other.

    Attributes:
        phase: The current phase; after the end, the one it ended in.
        feedback: The sentence about the last action, ``""`` before the first.
        message_image: The message as a picture, uint8 (height, width, 3), if captured.
        browsing: The browse phase, once the landing page was asked for.
        recorder: The trajectory as it grows.
        gate: g, once known.
        outcome: The score, once ended.
        terms: What the optional reward terms added to the episode's rewards, by name, once it has ended.
    """

    def __init__(
        self,
        kind: Kind,
        config: EnvConfig,
        episode: Episode,
        backend: BrowseBackend | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.kind = kind
        self.config = config
        self.episode = episode
        self._backend = backend
        self._clock = clock
        self._deadline: float | None = None
        self._strikes = 0
        self._lost_at_reset = False
        chain = episode.case.chain
        self.recorder = Recorder(
            chain.chain_id,
            episode.case.variant,
            config.protocol,
            episode.routing,
            modalities=config.page_modalities,
            viewport=config.viewport,
        )
        self.phase = Phase.BROWSE if kind == "browse" else Phase.RESTORE
        self.feedback = ""
        self.message_image: NDArray[np.uint8] | None = None
        self.browsing: Browsing | None = None
        self.gate: int | None = None
        self.outcome: Outcome | None = None
        self.terms: dict[str, float] = {}
        try:
            if kind == "browse":
                self._open_site()
            elif "message_image" in config.observe:
                assert backend is not None
                self.message_image = backend.message_image(self._message, config.message_theme)
        except InfrastructureError as error:
            self._lose(error)
            self._lost_at_reset = True

    @property
    def over(self) -> bool:
        """Whether the episode has ended and its end was handed out."""
        return self.recorder.status is not EpisodeStatus.RUNNING and not self._lost_at_reset

    @property
    def valid(self) -> bool:
        """Whether the episode counts: no infrastructure failure."""
        return self.recorder.status is not EpisodeStatus.INFRA_ERROR

    @property
    def strikes(self) -> int:
        """Invalid actions in a row so far; a phase begins with none."""
        return self._strikes

    @property
    def steps_left(self) -> int:
        """Browse actions left; 0 where there is no browse phase."""
        if self.kind == "restore":
            return 0
        return self.config.max_steps - (self.browsing.actions if self.browsing else 0)

    @property
    def seconds_left(self) -> float:
        """Seconds left: all of them before the browse phase, infinite without a budget.

        Where an exhausted budget opens the report phase, that phase has no time limit and the answer is 0; where it
        ends the episode (``on_budget="bottom"``), browse and report phase share the budget.
        """
        if self.config.max_seconds is None:
            return float("inf")
        if self.phase is Phase.REPORT and self.config.on_budget == "report":
            return 0.0
        if self._deadline is None:
            return self.config.max_seconds
        return max(0.0, self._deadline - self._clock())

    def act(self, action: object) -> float:
        """Take one action of the agent.

        Args:
            action: JSON text; anything else is an invalid action.

        Returns:
            The reward of the step; 0 for an episode that does not count. Whatever breaks the step off, an interrupt
            included, is raised, and the episode has ended uncounted.
        """
        if self._lost_at_reset:
            self._lost_at_reset = False
            return 0.0
        action = plain_text(action)
        committed = self.recorder.commit is not None
        actions = self.browsing.actions if self.browsing else 0
        try:
            self._take_or_refuse(action)
        except InfrastructureError as error:
            self._lose(error)
        except BaseException as error:
            # Half a step may be done and not written down, so nothing can be built on it.
            self._lose(InfrastructureError("interrupted", type(error).__name__))
            raise
        if not self.valid:
            return 0.0
        cost = self.config.terms.step_cost * ((self.browsing.actions if self.browsing else 0) - actions)
        return self._pay(committed) - cost

    @property
    def _message(self) -> Message:
        return self.episode.case.chain.variants[self.episode.case.variant]

    def _take_or_refuse(self, action: object) -> None:
        if self.phase is Phase.REPORT and self.config.on_budget == "bottom" and self.seconds_left <= 0:
            self._come_too_late(action)
            return
        try:
            match self._read(action):
                case Commit() as commit if self.phase is Phase.REPORT:
                    self._revise(action, commit)
                case Commit() as commit:
                    self._commit(action, commit)
                case BrowserAction() as browser_action:
                    self._browse(self._written(action, browser_action), browser_action)
                case Report() as report:
                    self._report(action, report)
        except InvalidActionError as error:
            self._refuse(action, error)

    def _read(self, action: object) -> PhaseAction:
        if self.browsing is not None and self.phase is Phase.BROWSE and self.config.actions == "browsergym":
            return read_browsergym_action(action, self.browsing.find, self.browsing.form_of)
        return parse_action(self.phase, action, revises=self.config.revision != "none")

    def _written(self, action: object, browser_action: BrowserAction) -> object:
        """Return a browse action as trajectories hold it: JSON, which keeps a call as its reason."""
        return browser_action.model_dump_json(exclude_defaults=True) if self.config.actions == "browsergym" else action

    def _commit(self, action: object, commit: Commit) -> None:
        check_message_ids(commit, self._message)
        self.recorder.freeze(commit)
        self._accept(action, "The restoration is committed.")
        judge = self.episode.gate
        self._leave_restore(None if judge is None else int(judge(commit)))

    def _revise(self, action: object, commit: Commit) -> None:
        if self.recorder.revised_commit is not None:
            raise InvalidActionError(FailureKind.MALFORMED_ACTION, REVISED_ONCE)
        check_message_ids(commit, self._message)
        self.recorder.revise(commit)
        self._accept(action, REVISED)

    def _leave_restore(self, gate: int | None) -> None:
        self._strikes = 0
        self.gate = gate
        if self.kind == "restore":
            self._end(EpisodeStatus.COMMITTED)
        elif self.episode.routing == "committed" and not self.gate:
            self._end(EpisodeStatus.BOTTOM)
        else:
            self._open_site()

    def _open_site(self) -> None:
        assert self._backend is not None
        site = self.episode.case.chain.site
        assert site is not None, "a chain without a site is played in a restore-only environment"
        self.browsing = Browsing(self._backend, self.config)
        try:
            landing = self.browsing.open(site)
        except BrowserUnavailableError as error:
            if self.kind == "browse":
                raise
            raise InfrastructureError("launch", f"The browser did not start: {error}") from error
        self.recorder.land(landing)
        self.phase = Phase.BROWSE
        if self.config.max_seconds is not None:
            self._deadline = self._clock() + self.config.max_seconds

    def _browse(self, action: object, browser_action: BrowserAction) -> None:
        assert self.browsing is not None
        if browser_action.action is ActionKind.STOP:
            self._stop(action)
            return
        try:
            visit = self.browsing.act(browser_action)
        except InfrastructureError as error:
            self.recorder.add(self.phase, action, _LOST, f"The infrastructure failed ({error.cause}).")
            raise
        spent = self._spent()
        self._strikes = 0
        self.feedback = f"{visit.feedback} {SPENT[spent]}" if spent else visit.feedback
        step = self.recorder.add(self.phase, action, visit.result, self.feedback, page=visit.page)
        for failure in visit.failures:
            self.recorder.fail(failure, step, detail=visit.feedback)
        if spent is not None:
            self._exhaust(spent, step)

    def _stop(self, action: object) -> None:
        spent = self._spent()
        step = self._accept(action, SPENT[spent] if spent else LAST_STRIKE[Phase.BROWSE])
        if spent is not None:
            self._exhaust(spent, step)
            return
        if self.recorder.state_count <= 1:
            detail = "stopped at the landing view"
            self.recorder.fail(FailureKind.EARLY_STOP, step, detail=detail)
        self.phase = Phase.REPORT

    def _come_too_late(self, action: object) -> None:
        self._strikes += 1
        self.feedback = f"{SPENT[FailureKind.TIME_BUDGET]} The episode has ended."
        step = self.recorder.add(self.phase, action, _INVALID, self.feedback, strikes=self._strikes)
        self._exhaust(FailureKind.TIME_BUDGET, step)

    def _spent(self) -> FailureKind | None:
        if self.steps_left <= 0:
            return FailureKind.STEP_BUDGET
        return FailureKind.TIME_BUDGET if self.seconds_left <= 0 else None

    def _exhaust(self, spent: FailureKind, step: int) -> None:
        bottom = self.config.on_budget == "bottom"
        self.recorder.fail(spent, step, terminal=bottom)
        if bottom:
            self._end(EpisodeStatus.BOTTOM)
        else:
            self._strikes = 0
            self.phase = Phase.REPORT

    def _report(self, action: object, report: Report) -> None:
        for name, cited in (("evidence", report.evidence), ("counterevidence", report.counterevidence)):
            for i, citation in enumerate(cited):
                if (problem := citation_problem(citation, self.recorder.pages)) is not None:
                    raise InvalidActionError(
                        FailureKind.UNRESOLVABLE_CITATION,
                        f"{name}.{i}: {problem[:_PROBLEM_LIMIT]}; "
                        "cite only what was shown, word for word, with its step.",
                    )
        self._accept(action, "The report is filed.")
        self.recorder.report = report
        self._end(EpisodeStatus.REPORTED)

    def _accept(self, action: object, feedback: str) -> int:
        self._strikes = 0
        self.feedback = feedback
        return self.recorder.add(self.phase, action, _DONE, feedback)

    def _refuse(self, action: object, error: InvalidActionError) -> None:
        """Count a strike; the last one ends the phase, or the episode."""
        self._strikes += 1
        strikes, phase = self._strikes, self.phase
        last = strikes >= self.config.strikes
        bottom = last and self.config.on_strikes == "bottom" and phase is not Phase.REPORT
        spent = self._spent() if phase is Phase.BROWSE and not last else None
        ending = "The episode has ended." if bottom else LAST_STRIKE[phase] if last else SPENT[spent] if spent else ""
        # What was wrong with a restoration may quote it, and the browse phase shows nothing of the restoration.
        said = "" if last and not bottom and phase is Phase.RESTORE else error.sentence
        self.feedback = f"{said} Strike {strikes} of {self.config.strikes}. {ending}".strip()
        step = self.recorder.add(phase, action, _INVALID, self.feedback, strikes=strikes)
        ends = bottom or (last and phase is Phase.REPORT)
        self.recorder.fail(error.kind, step, terminal=ends, detail=error.sentence)
        if spent is not None:
            self._exhaust(spent, step)
        if not last:
            return
        if bottom:
            self._end(EpisodeStatus.BOTTOM)
        elif phase is Phase.REPORT:
            self._end(EpisodeStatus.MISSING_REPORT)
        elif phase is Phase.BROWSE:
            self._strikes = 0
            self.phase = Phase.REPORT
        else:
            self.recorder.freeze(EMPTY_COMMIT)
            self._leave_restore(0)

    def _lose(self, error: InfrastructureError) -> None:
        """End the episode uncounted: whatever the backend could not recover from by itself loses it."""
        level = logging.DEBUG if error.cause == "interrupted" else logging.WARNING
        _log.log(level, "An episode was lost to the infrastructure (%s).", error)
        self.recorder.infra_cause = error.cause
        self.feedback = f"The infrastructure failed ({error.cause}): this episode does not count, reset to go on."
        self._end(EpisodeStatus.INFRA_ERROR)

    def _end(self, status: EpisodeStatus) -> None:
        self.recorder.status = status
        if self._backend is not None and self.browsing is not None:
            self.recorder.egress = self._backend.egress()
        ended, gold, rules = self.recorder.trajectory(), self.episode.gold, self.config
        self.outcome = score_episode(ended, gold, max_steps=rules.max_steps, strikes=rules.strikes)
        if self.valid and self.episode.gold is not None:
            self.terms = episode_terms(self.config.terms, self.outcome, self.browsing.actions if self.browsing else 0)

    def _pay(self, committed: bool) -> float:
        outcome = self.outcome
        closed = self.recorder.commit is not None or outcome is not None
        paid = self.episode.reward.pay(
            Transition(
                commits=not committed and closed and self.kind != "browse",
                committed=committed,
                ends=outcome is not None,
                gate=self.gate,
                web=outcome.web_correct if outcome else None,
                end_to_end=outcome.end_to_end_correct if outcome else None,
            )
        )
        # Empty until the end, so nothing is paid twice.
        return paid + sum(value for name, value in self.terms.items() if name not in PAID_AT_ONCE)
