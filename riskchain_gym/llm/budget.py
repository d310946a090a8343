"""A guard that stops calls once they have cost enough."""

from __future__ import annotations

import threading

from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.protocol.errors import ConfigError


class Budget:
    """Counts what calls cost, over all threads and clients that share it.

    Calls in flight when the limit is reached still end, so that the sum may exceed the limit by as many answers as are
    asked for at once; attempts that no answer came of are not counted. An answer whose cost is unknown closes the
    budget: a guard that cannot count lets nothing more pass, whatever its limit.

    Args:
        limit: US dollars.

    Raises:
        ConfigError: The limit is not a positive number.
    """

    def __init__(self, limit: float) -> None:
        if not 0 < limit < float("inf"):
            raise ConfigError(f"A budget must be a positive number of US dollars, got {limit}.")
        self.limit = limit
        self._spent = 0.0
        self._uncounted = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """US dollars counted so far."""
        with self._lock:
            return self._spent

    def refusal(self) -> tuple[CallFailure, str] | None:
        """Return why no further call is let pass, in a word and in a sentence, or ``None`` if one is."""
        with self._lock:
            if self._uncounted:
                return CallFailure.COST_UNKNOWN, (
                    f"the cost of {self._uncounted} answer(s) is unknown, for which the server counts no tokens or "
                    f"there is no price, so that the budget of ${self.limit:g} cannot be kept"
                )
            if self._spent >= self.limit:
                return CallFailure.OVER_COST, f"${self._spent:.4f} of the budget of ${self.limit:g} are spent"
        return None

    def add(self, cost: float | None) -> None:
        """Count one call.

        Args:
            cost: US dollars, or ``None`` if unknown.
        """
        with self._lock:
            if cost is None:
                self._uncounted += 1
            else:
                self._spent += cost


def counts(failure: CallFailure | None, cost: float | None) -> bool:
    """Say whether a budget counts an answer: what is no completion, and says no tokens, is taken to have cost nothing.

    A proxy's page with HTTP 200 would close the budget for good else.

    Args:
        failure: Why it is no usable answer.
        cost: US dollars, or ``None`` if unknown.
    """
    return cost is not None or failure is not CallFailure.BAD_RESPONSE
