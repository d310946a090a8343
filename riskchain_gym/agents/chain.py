"""An agent for the whole chain, put together from a restorer and an investigator."""

from __future__ import annotations

from riskchain_gym.agents.base import Closing, Instructions, Investigator, Observation, Resetting, Restorer, Writing
from riskchain_gym.agents.view import phase_of
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.trajectory import Phase


class ChainAgent:
    """Restores with one part, investigates and reports with the other.

    Args:
        restorer: Answers the restore phase; one that writes its own answers is asked for those.
        investigator: Answers the browse and report phases.
    """

    def __init__(self, restorer: Restorer, investigator: Investigator) -> None:
        self.restorer = restorer
        self.investigator = investigator

    def reset(self, instructions: Instructions) -> None:
        """Forget the last episode."""
        if isinstance(self.restorer, Resetting):
            self.restorer.reset(instructions)
        self.investigator.reset(instructions)

    def act(self, observation: Observation) -> str:
        """Return the commit, the next browser action or the report as JSON text, or what a part wrote in its place."""
        if phase_of(observation) is not Phase.RESTORE:
            return self.investigator.investigate(observation)
        if isinstance(self.restorer, Writing):
            return self.restorer.answer(observation)
        message = Message.model_validate_json(observation["text"])
        return self.restorer.restore(message).model_dump_json()

    def close(self) -> None:
        """Close both parts, as far as they hold something; idempotent if they are."""
        for part in (self.restorer, self.investigator):
            if isinstance(part, Closing):
                part.close()
