"""A workbench as a process of its own, which kills itself where it is told to."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any, NoReturn

from browsed import fake_visits
from workbench_kit import Client

from riskchain_gym.annotation.desk import Desk
from riskchain_gym.annotation.serving import WorkbenchServer
from riskchain_gym.annotation.shelf import Shelf
from riskchain_gym.annotation.visiting import VisitDesk
from riskchain_gym.benchmark.labels import drafts, writer
from riskchain_gym.benchmark.labels.drafts import DraftBox
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.labels.sources import item_sites
from riskchain_gym.benchmark.labels.writer import LogWriter
from riskchain_gym.signals import stopped_by_signals


def die() -> NoReturn:
    """End at once, as a machine does that loses its power."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def dies(owner: Any, name: str, when: str) -> Callable[[], None]:
    """Return what makes a function end the process before or after its work."""

    def arm() -> None:
        whole = getattr(owner, name)

        def deadly(*args: Any, **kwargs: Any) -> Any:
            if when == "before":
                die()
            whole(*args, **kwargs)
            die()

        setattr(owner, name, deadly)

    return arm


def half_a_line() -> None:
    """Make the log's writing end the process in the middle of a line."""

    def deadly(file: Any, line: bytes) -> None:
        os.write(file.fileno(), line[: len(line) // 2])
        die()

    writer.write_line = deadly


PLACES: dict[str, Callable[[], None]] = {
    "submit: before the visit": dies(VisitDesk, "keep", "before"),
    "submit: after the visit": dies(VisitDesk, "keep", "after"),
    "submit: in the event": half_a_line,
    "submit: after the event": dies(LogWriter, "append", "after"),
    "submit: after the visit is settled": dies(VisitDesk, "settle", "after"),
    "submit: after the form is cleared": dies(DraftBox, "clear", "after"),
    "undo: before the visit": dies(VisitDesk, "reopen", "before"),
    "undo: after the visit": dies(VisitDesk, "reopen", "after"),
    "undo: after the form": dies(Shelf, "lay_out", "after"),
    "undo: in the event": half_a_line,
    "undo: after the event": dies(LogWriter, "append", "after"),
    "draft: before it is written": dies(drafts, "write_atomically", "before"),
    "draft: after it is written": dies(drafts, "write_atomically", "after"),
}


def serve(folder: Path, worker: str, place: str, address: Connection) -> None:
    """Serve until SIGTERM; tell the address once it can be asked."""
    visits = fake_visits(folder, worker)
    with Desk(Project.open(folder), worker, visits=visits, sites=item_sites(("mini",))) as desk:
        server = WorkbenchServer(desk)
        if place:
            PLACES[place]()
        with stopped_by_signals(server.stop):
            address.send(server.address)
            server.run()
    visits.close()


@contextmanager
def child(folder: Path, place: str = "", worker: str = "ann") -> Iterator[tuple[ForkProcess, Client]]:
    """Run a workbench in a process of its own; it is forked, for a fresh one would import for seconds."""
    here, there = Pipe()
    process = ForkProcess(target=serve, args=(folder, worker, place, there))
    process.start()
    try:
        yield process, Client(here.recv())
    finally:
        process.kill()
        process.join()
