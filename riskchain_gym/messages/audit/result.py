"""What a check has found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from riskchain_gym.protocol.model import Frozen

SHOWN = 5
"""How many offenders a result names."""

_LONGEST = 160


class CheckResult(Frozen):
    """The outcome of one check.

    Attributes:
        name: Name of the check.
        status: ``PASS``, ``FAIL``, or ``SKIPPED`` where the folder lacks what the check looks at.
        looked_at: What was looked at; for a skipped check, why it was not.
        count: How many of them.
        breaches: How many breaches were found.
        offenders: The first of them, each ``split sample_id: what``.
    """

    name: str
    status: Literal["PASS", "FAIL", "SKIPPED"]
    looked_at: str
    count: int = 0
    breaches: int = 0
    offenders: tuple[str, ...] = ()


@dataclass
class Findings:
    """What a check collects while it runs.

    Attributes:
        looked_at: What is looked at, in the plural, e.g. ``rows``.
        count: How many so far.
        breaches: How many breaches so far.
        offenders: The first of them.
    """

    looked_at: str
    count: int = 0
    breaches: int = 0
    offenders: list[str] = field(default_factory=list)

    def add(self, where: str, what: str) -> None:
        """Note a breach.

        Args:
            where: Split and sample id, or what else names the place.
            what: What is wrong there.
        """
        self.breaches += 1
        if len(self.offenders) < SHOWN:
            line = f"{where}: {what}"
            self.offenders.append(line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…")

    def result(self, name: str) -> CheckResult:
        """Return the outcome."""
        return CheckResult(
            name=name,
            status="FAIL" if self.breaches else "PASS",
            looked_at=self.looked_at,
            count=self.count,
            breaches=self.breaches,
            offenders=tuple(self.offenders),
        )
