"""The workbench's page in a real Chromium, as a person uses it: what tests of it share."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from riskchain_gym.annotation.desk import Desk
from riskchain_gym.annotation.opening import open_desk, open_project
from riskchain_gym.annotation.serving import WorkbenchServer
from riskchain_gym.annotation.visiting import VisitDesk
from riskchain_gym.benchmark.labels.project import Project
from riskchain_gym.benchmark.labels.sources import item_sites
from riskchain_gym.scoring.calibration.pairs import PairItem, encoded_pairs
from riskchain_gym.scoring.judge.bundle import Bundle, CitedItem, JudgedReport, View
from riskchain_gym.scoring.judge.questions import Question

REFUSALS = (
    "status of 409",
    "status of 410",
    "status of 422",
    "status of 404",
    "status of 503",
    "ERR_CONNECTION_REFUSED",
)
"""What a browser says of answers that the page expects: they are told to the person, and are no fault of the page."""


@contextmanager
def running(folder: Path, worker: str = "ann", visits: VisitDesk | None = None, port: int = 0) -> Iterator[str]:
    """Serve a worker's desk while the block runs; gives the address."""
    shows = visits or VisitDesk(folder, worker)
    try:
        with _served(Desk(Project.open(folder), worker, visits=shows, sites=item_sites(("mini",))), port) as address:
            yield address
    finally:
        shows.close()


@contextmanager
def _served(closed: Desk, port: int) -> Iterator[str]:
    with closed as desk:
        server = WorkbenchServer(desk, port)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield server.address
        finally:
            server.stop()
            thread.join(30)
    assert not thread.is_alive(), "the server has ended"


CLAIMED = PairItem(
    item_id="a1",
    cluster="c1",
    language="zh-CN",
    bundle=Bundle(
        views=(View(step=0, state=0, title="稳盈", lines=("首页", "<b>会员</b>", "每日返利 8%，随时提现")),),
        report=JudgedReport(
            environment_status="COMPLETE",
            decision="VIOLATION",
            primary_violation_type="INVESTMENT_FINANCIAL_FRAUD",
            citations=(
                CitedItem(place="evidence.0", step=0, anchor_type="VISIBLE_TEXT_OR_CLAIM", quote="每日返利 8%"),
            ),
            risk_reason="It promises a return.",
            evidence_sufficiency="SUFFICIENT",
        ),
    ),
    question=Question(
        key="shown.evidence.0", kind="shown", place="evidence.0", step=0, claim="View 0 shows the quoted text."
    ),
)
"""A claim about one line of a page."""


@contextmanager
def claims(folder: Path, *pairs: PairItem) -> Iterator[str]:
    """Serve claims to be answered; gives the address."""
    given = folder.with_suffix(".jsonl")
    given.write_bytes(encoded_pairs(pairs))
    desk, _ = open_desk(open_project(folder, "ann", pairs=given), "ann")
    with _served(desk, 0) as address:
        yield address


class Faults:
    """What went wrong in pages; nothing may."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def watch(self, page: Page) -> None:
        """Write down errors of a page, breaches of its content policy among them."""
        page.on("pageerror", lambda error: self.found.append(str(error)))
        page.on("console", lambda message: self._hear(message.type, message.text))

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(each in text for each in REFUSALS):
            self.found.append(text)


class Bench:
    """One tab with the page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def get(self, name: str) -> Locator:
        """Return what bears a name for tests."""
        return self.page.get_by_test_id(name)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def at_rest(self) -> None:
        """Wait until the site is shown and nothing is under way."""
        self.page.locator(".frame[aria-busy=false] .zone").first.wait_for(state="attached")

    def saved(self) -> None:
        """Wait until everything is saved."""
        self.page.locator("[data-testid=saved][data-state=saved]").wait_for()

    def step(self, number: int) -> None:
        """Wait until a step of the visit is shown."""
        self.page.locator("[data-testid=step]", has_text=f"step {number}").wait_for()
        self.at_rest()

    def task(self, number: int) -> None:
        """Wait until a task is open."""
        self.page.get_by_role("heading", name=f"Task {number}").wait_for()

    def zone(self, name: str) -> Locator:
        """Return a hot zone by its name, e.g. ``link 首页``."""
        return self.page.get_by_role("button", name=name, exact=True)

    def answer(self, decision: str) -> None:
        """Pin the first thing on the page, answer with the digit of a decision, and submit."""
        self.press("p", "g", "Enter")
        self.get("pin").wait_for()
        self.press("Escape", "e", "1", decision, "c", "4", "Control+Enter")

    def is_checked(self, name: str) -> bool:
        """Return whether an answer is chosen."""
        return self.get(name).is_checked()

    def choose(self, name: str) -> None:
        """Choose an answer with the mouse."""
        self.get(name).check()


def kept_form(folder: Path, worker: str = "ann") -> dict[str, Any]:
    """Return the form that the server has of a worker's current task."""
    draft = Project.open(folder).draft(worker).read()
    return {} if draft is None else draft.form


def answers(folder: Path, worker: str = "ann") -> list[dict[str, Any]]:
    """Return a worker's log."""
    path = folder / "logs" / f"{worker}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
