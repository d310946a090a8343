"""An agent for the whole chain, put together from a restorer and an investigator."""

from __future__ import annotations

from riskchain_gym.agents.base import Instructions, Investigator, Observation, Restorer
from riskchain_gym.agents.view import phase_of
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.trajectory import Phase


class ChainAgent:
    """Restores with one part, investigates and reports with the other.

    Args:
        restorer: Answers the restore phase.
        investigator: Answers the browse and report phases.
    """

    def __init__(self, restorer: Restorer, investigator: Investigator) -> None:
        self.restorer = restorer
        self.investigator = investigator

    def reset(self, instructions: Instructions) -> None:
        """Forget the last episode."""
        self.investigator.reset(instructions)

    def act(self, observation: Observation) -> str:
        """Return the commit, the next browser action or the report as JSON text."""
        if phase_of(observation) is Phase.RESTORE:
            message = Message.model_validate_json(observation["text"])
            return self.restorer.restore(message).model_dump_json()
        return self.investigator.investigate(observation)

    def close(self) -> None:
        """Nothing is held."""
