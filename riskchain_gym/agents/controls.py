"""Controls: agents that show what a score is worth without looking, or with looking only once."""

from __future__ import annotations

from abc import ABC, abstractmethod

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.read.reader import Reader, first_thing_shown
from riskchain_gym.agents.view import Sighting, phase_of, sighting_of
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.commit import EMPTY_COMMIT, Commit
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.report import Report
from riskchain_gym.protocol.trajectory import Phase

NO_REPORT = "{}"
"""What :class:`NoopInvestigator` sends instead of a report; no schema accepts it."""


def stop() -> str:
    """Return the action that ends the browse phase."""
    return BrowserAction(action=ActionKind.STOP, stop_status="COMPLETE").model_dump_json(exclude_defaults=True)


class NoopRestorer:
    """Restores nothing: an empty commit, whose gate is closed."""

    def restore(self, message: Message) -> Commit:  # noqa: ARG002 -- the same for every message
        """Return the empty commit."""
        return EMPTY_COMMIT


class NoopInvestigator:
    """Looks at nothing and never files a valid report."""

    def reset(self, instructions: Instructions) -> None:
        """Nothing is kept."""

    def investigate(self, observation: Observation) -> str:
        """Return a stop, or an invalid report."""
        return stop() if phase_of(observation) is Phase.BROWSE else NO_REPORT


class Noop(ChainAgent):
    """Does nothing: restores nothing, looks at nothing, never files a valid report. Must score 0."""

    def __init__(self) -> None:
        super().__init__(NoopRestorer(), NoopInvestigator())


class _LandingInvestigator(ABC):
    """Stops at the landing view; what it reports is for the subclass to say."""

    def __init__(self) -> None:
        self._seen: list[Sighting] = []

    def reset(self, instructions: Instructions) -> None:  # noqa: ARG002 -- the same for every budget
        """Forget the last site."""
        self._seen = []

    def investigate(self, observation: Observation) -> str:
        """Stop at once, then report."""
        if phase_of(observation) is Phase.BROWSE:
            self._seen = self._seen or [sighting_of(observation)]
            return stop()
        return self._report(self._seen).model_dump_json()

    @abstractmethod
    def _report(self, seen: list[Sighting]) -> Report:
        """Return the report on the landing view, given as a list of at most one page."""


class AlwaysViolation(_LandingInvestigator):
    """Reports the same violation for every site and cites the first line of the landing view.

    Args:
        violation_type: The type it reports: one of the nine concrete types.

    Raises:
        ConfigError: It is not one of them.
    """

    def __init__(self, violation_type: str = ViolationType.FRAUD_DECEPTIVE_INDUCEMENT.value) -> None:
        super().__init__()
        if violation_type not in CONCRETE_TYPES:
            known = ", ".join(CONCRETE_TYPES)
            raise ConfigError(f"violation_type: '{violation_type}' is no concrete type, choose one of {known}.")
        self._type = ViolationType(violation_type)

    def _report(self, seen: list[Sighting]) -> Report:
        return Report(
            environment_status=EnvironmentStatus.COMPLETE,
            decision=Decision.VIOLATION,
            primary_violation_type=self._type,
            evidence=(first_thing_shown(seen),),
            risk_reason="A control: the same answer for every site.",
            confidence=1,
            evidence_sufficiency="SUFFICIENT",
            note="A control: the same answer for every site.",
        )


class LandingOnly(_LandingInvestigator):
    """Reads the landing view with the rule-based reader and looks no further.

    Args:
        reader: The reader; default: the one that ships with the package.
    """

    def __init__(self, reader: Reader | None = None) -> None:
        super().__init__()
        self._reader = reader or Reader()

    def _report(self, seen: list[Sighting]) -> Report:
        return self._reader.report(seen)
