"""Sites to browse as a person, in the fake backend's little world of four pages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from riskchain_gym.annotation.human_visit import HumanVisit
from riskchain_gym.annotation.typed import TypedValues
from riskchain_gym.annotation.view import View
from riskchain_gym.annotation.visit import Visit
from riskchain_gym.annotation.visit_store import VISITS
from riskchain_gym.annotation.visiting import VisitDesk, human_config
from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.envs.backends.fake import FakeBackend
from riskchain_gym.envs.backends.recovering import RecoveringBackend
from riskchain_gym.envs.config import EnvConfig
from riskchain_gym.protocol.action import BrowserAction
from riskchain_gym.protocol.report import Citation, Report

TASK = "t1"


def first_chain() -> PublicChain:
    """Return a chain of a split; in the fake world its site only lends its name."""
    return load_public("mini")[0]


def fake_visits(
    project: Path, worker: str = "ann", fail_at: Iterable[int] = (), backend: type[FakeBackend] = FakeBackend
) -> VisitDesk:
    """Return the visits of a worker without a browser.

    Args:
        project: Folder of the project.
        worker: The worker.
        fail_at: Numbers of the backend's calls that lose the browser; it recovers from two of them.
        backend: The world.
    """

    def make(config: EnvConfig, typed: TypedValues) -> RecoveringBackend:
        return RecoveringBackend(backend(viewport=config.viewport, fail_at=fail_at))

    return VisitDesk(project, worker, human_config().model_copy(update={"backend": "fake"}), make)


def opened(visits: VisitDesk, chain: PublicChain | None = None, task: str = TASK) -> Visit:
    """Return the visit of a task to a chain's site, the first chain's by default."""
    chain = chain or first_chain()
    return visits.visit(task, chain.chain_id, chain.site)


def named(view: View, name: str) -> str:
    """Return the id of the element with a name."""
    return next(e.element_id for e in view.elements if e.name == name)


def act(visit: Visit, action: str, name: str | None = None, **more: Any) -> View:
    """Act on the current page, on the element with a name if there is one."""
    view = visit.view()
    target = None if name is None else named(view, name)
    return visit.act(BrowserAction(action=action, element_id=target, **more), view.step)


def report_on(citation: Citation, **more: Any) -> Report:
    """Return a report that rests on one citation."""
    given: dict[str, Any] = {
        "environment_status": "COMPLETE",
        "decision": "NON_VIOLATION",
        "primary_violation_type": "NONE",
        "evidence": (citation,),
        "risk_reason": "The cited observations, by the codebook.",
        "confidence": 4,
        "evidence_sufficiency": "SUFFICIENT",
    }
    return Report(**given | more)


def cited(visit: Visit, step: int, **place: Any) -> Citation:
    """Return a citation of a pinned place."""
    pin = visit.pin(step, **place)
    return Citation(anchor_type="VISIBLE_TEXT_OR_CLAIM", **pin.model_dump(exclude={"thumbnail"}))


def kept_visit(project: Path, name: str, worker: str = "ann") -> HumanVisit:
    """Return a visit that has ended and that no answer names, such as one that was broken off."""
    return HumanVisit.model_validate_json((project / VISITS / worker / name).read_bytes())
