"""The state of one visit to a site: a value, so that a visit can be replayed, searched and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from riskchain_gym.sites.compiled import CompiledSite, path_of
from riskchain_gym.sites.expressions import Given
from riskchain_gym.sites.spec import Scalar


@dataclass(frozen=True)
class Rejection:
    """A form that was sent back.

    Attributes:
        action: Path it was posted to.
        error: What the page says about it.
        values: What had been typed, by field, passwords left out.
    """

    action: str
    error: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class SiteState:
    """All that a site remembers of its visitor.

    Attributes:
        vars: State variables.
        visits: How often each page was shown, by path.
        steps: Environment steps taken so far.
        page: Path of the page shown last.
        rejection: The form that the page shows an error for, if any.
    """

    vars: Mapping[str, Scalar] = field(default_factory=dict)
    visits: Mapping[str, int] = field(default_factory=dict)
    steps: int = 0
    page: str = "/"
    rejection: Rejection | None = None

    def shown(self, path: str) -> SiteState:
        """Return the state after a page was shown; an error is forgotten when another page is shown."""
        rejection = self.rejection if path == self.page else None
        visits = {**self.visits, path: self.visits.get(path, 0) + 1}
        return SiteState(self.vars, visits, self.steps, path, rejection)

    def ticked(self) -> SiteState:
        """Return the state one environment step later."""
        return SiteState(self.vars, self.visits, self.steps + 1, self.page, self.rejection)

    def context(self, form: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return what expressions may use: the variables, ``visited``, ``visits``, ``steps`` and ``form``."""
        return {
            **self.vars,
            "visits": _Visits(self.visits),
            "visited": _Visited(self.visits),
            "steps": self.steps,
            "form": Given(form or {}, ""),
        }


class _Visits:
    """How often each page was shown, by its name."""

    def __init__(self, by_path: Mapping[str, int]) -> None:
        self._by_path = by_path

    def __getitem__(self, page: str) -> int:
        return self._by_path.get(path_of(page), 0)


class _Visited(_Visits):
    """Whether each page was shown, by its name."""

    def __getitem__(self, page: str) -> bool:
        return super().__getitem__(page) > 0


def initial_state(site: CompiledSite) -> SiteState:
    """Return the state of a visitor who has just arrived."""
    return SiteState(vars=dict(site.state))
