"""A person at the workbench: opens the page in a browser, looks, pins, answers; and the program that serves it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from riskchain_gym.envs.browser.find import find_chromium

PATIENCE_MS = 30_000


@dataclass(frozen=True)
class Said:
    """What a person answers of a site: a type of violation, ``NONE`` or ``UNKNOWN``."""

    type: str
    confidence: int = 4

    @property
    def decision(self) -> str:
        """The decision that the type belongs to."""
        return {"NONE": "NON_VIOLATION", "UNKNOWN": "INSUFFICIENT_EVIDENCE"}.get(self.type, "VIOLATION")


@contextmanager
def own_browser() -> Iterator[Browser]:
    """Start the browser that people have on their desks; it has nothing to do with the one that shows the sites."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def workbench(folder: Path, name: str, *more: str) -> Iterator[str]:
    """Run ``riskchain annotate`` as a program of its own; the block is given the address that it prints."""
    command = [sys.executable, "-m", "riskchain_gym", "annotate", str(folder), "--annotator", name, "--no-open"]
    with subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            address = program.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), address
            yield address
        finally:
            program.send_signal(signal.SIGINT)
            program.wait(30)
    assert program.returncode == 0, "Ctrl+C ends it cleanly"


class Person:
    """Somebody in front of the page.

    Args:
        page: The page, not yet open.
        address: Where the workbench is.

    Attributes:
        complaints: What the browser's console said that it should not.
    """

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(address)

    def find(self, name: str) -> Any:
        """Return what has a test id."""
        return self.page.get_by_test_id(name)

    @property
    def task(self) -> str | None:
        """The task in front of the person; ``None`` at the end."""
        self.find("task").or_(self.find("finished")).first.wait_for()
        return str(self.find("task").get_attribute("data-task")) if self.find("task").count() else None

    def choose(self, name: str) -> None:
        """Click on the words of an answer."""
        self.page.locator("label", has=self.find(name)).click()

    def pin_first_line(self) -> None:
        """Pin the first line of text of the page as it stands."""
        expect(self.find("frame")).to_have_attribute("aria-busy", "false", timeout=PATIENCE_MS)
        self.find("pin-mode").click()
        self.page.locator("[data-testid=zone][data-line]").first.click()
        self.find("pin").first.wait_for()
        self.find("pin-mode").click()

    def answer(self, said: Said) -> None:
        """Fill in the form for the task, pin something and submit; return when the next one is there."""
        before = self.task
        self.choose("environment_status-COMPLETE")
        self.choose(f"decision-{said.decision}")
        if said.decision == "VIOLATION":
            self.choose(f"primary_violation_type-{said.type}")
        self.choose(f"confidence-{said.confidence}")
        self.pin_first_line()
        self.find("submit").click()
        self.page.locator(f"[data-testid=task]:not([data-task='{before}']), [data-testid=finished]").first.wait_for()
