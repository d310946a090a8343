"""A workbench that is served for real on the loopback, in this process, with a world that needs no browser."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from browsed import fake_visits

from riskchain_gym.annotation.desk import Desk
from riskchain_gym.annotation.opening import open_desk
from riskchain_gym.annotation.serving import WorkbenchServer
from riskchain_gym.annotation.visiting import VisitDesk
from riskchain_gym.benchmark.labels.assign import draw_plan
from riskchain_gym.benchmark.labels.plan import Worker
from riskchain_gym.benchmark.labels.project import Project, create_project
from riskchain_gym.benchmark.labels.sources import item_sites

TEAM = (
    Worker(name="ann", role="annotator"),
    Worker(name="bob", role="annotator"),
    Worker(name="rev", role="reviewer"),
    Worker(name="cord", role="coordinator"),
)
ALONE = (Worker(name="ann", role="annotator"),)
SPLIT = "mini"


def make_project(
    folder: Path, sites: int = 3, workers: Sequence[Worker] = TEAM, repeats: float = 0, split: str = SPLIT
) -> Project:
    """Return a new project of so many sites."""
    found = item_sites((split,))
    plan = draw_plan(
        "sites",
        tuple(found)[:sites],
        workers,
        source=found.source,
        source_sha256=found.sha256,
        seed=7,
        passes=2 if len(workers) > 1 else 1,
        repeats=repeats,
    )
    return create_project(folder, plan)


@dataclass
class Answered:
    """An answer of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Its body."""
        return json.loads(self.body)


class Client:
    """Asks a workbench; every request is a connection of its own."""

    def __init__(self, address: str) -> None:
        self.host, self.path = address.removeprefix("http://").split("/", 1)
        self.path = f"/{self.path}"

    def ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answered:
        """Send a request as it stands, the path from the root."""
        connection = http.client.HTTPConnection(self.host, timeout=30)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return Answered(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str) -> Answered:
        """Ask for an address below the token."""
        return self.ask("GET", self.path + path)

    def post(self, path: str, body: Any) -> Answered:
        """Send JSON to an address below the token."""
        sent = json.dumps(body).encode()
        return self.ask("POST", self.path + path, sent, {"Content-Type": "application/json"})

    def state(self) -> Any:
        """Return the state."""
        return self.get("api/state").json

    def form(self, **more: Any) -> dict[str, Any]:
        """Return a complete form for the current task: harmless, one line of the landing page pinned."""
        task_id = self.state()["task"]["task_id"]
        self.get("api/visit")
        pinned = self.post("api/pin", {"task_id": task_id, "step": 0, "line": 1})
        assert pinned.status == 200, pinned.body
        pin = {"id": "p1", "side": "evidence", "anchor_type": "BENIGN_SERVICE_CONSISTENCY", **pinned.json["pin"]}
        return {**HARMLESS, "pins": [pin], **more}

    def submit(self, form: dict[str, Any], *, task_id: str = "", revision: int | None = None) -> Answered:
        """Answer the current task."""
        task = {} if task_id and revision is not None else self.state()["task"]
        sent = {
            "task_id": task_id or task["task_id"],
            "revision": task["draft"]["revision"] if revision is None else revision,
            "tab": "one",
            "form": form,
            "seconds": 12.5,
        }
        return self.post("api/submit", sent)

    def answer(self, **more: Any) -> Any:
        """Answer the current task and return the state then."""
        answered = self.submit(self.form(**more))
        assert answered.status == 200, answered.body
        return answered.json["state"]


HARMLESS = {
    "environment_status": "COMPLETE",
    "decision": "NON_VIOLATION",
    "primary_violation_type": None,
    "secondary_violation_types": [],
    "confidence": 4,
    "note": "",
}
FRAUD = {"decision": "VIOLATION", "primary_violation_type": "FRAUD_DECEPTIVE_INDUCEMENT"}


@contextmanager
def served(folder: Path, worker: str = "ann", visits: VisitDesk | None = None, split: str = SPLIT) -> Iterator[Client]:
    """Serve a worker's desk in a project of sites while the block runs."""
    shows = visits or fake_visits(folder, worker)
    try:
        with _serving(Desk(Project.open(folder), worker, visits=shows, sites=item_sites((split,)))) as client:
            yield client
    finally:
        shows.close()


@contextmanager
def served_pairs(folder: Path, worker: str = "ann") -> Iterator[Client]:
    """Serve a worker's desk in a project of pairs while the block runs."""
    desk, _ = open_desk(Project.open(folder), worker)
    with _serving(desk) as client:
        yield client


@contextmanager
def _serving(desk: Desk) -> Iterator[Client]:
    with desk:
        server = WorkbenchServer(desk)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield Client(server.address)
        finally:
            server.stop()
            thread.join(30)
    assert not thread.is_alive(), "the server has ended"
