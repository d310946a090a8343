"""What is left to do on a site, and what comes first: unseen states, near ones before far ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from riskchain_gym.agents.explore.desk import FormDesk
from riskchain_gym.agents.explore.memory import SiteMemory
from riskchain_gym.agents.explore.targets import FormGroup, Target, forms_on, is_field, targets_on
from riskchain_gym.agents.explore.words import means
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.action import ActionKind

MAX_REPEATS = 4
"""How often a button may be pressed on one page while each press shows new lines."""

MAX_RETRIES = 3
"""How often a broken page is tried again."""

SHORT_PAGE = 24
"""Most lines that a page has that shows nothing but an error (header and footer included)."""

MAX_WAITS = 6
"""How often a page that asked to wait is looked at again."""

WAIT_STEPS = 3
"""Steps to let pass before a page that asked to wait is looked at again."""


CLICK_COST = 2
"""What a click on the way to a page weighs against the tiers."""


class Tier(IntEnum):
    """Order of work, most promising first; a page each click further away must offer ``CLICK_COST`` more."""

    ACCEPT = 0
    FORM = 2
    RETRY = 3
    BUTTON = 4
    CONTENT_LINK = 6
    SITE_LINK = 7
    MINOR_LINK = 10
    CODE_FORM = 11
    REVISIT = 12
    WAIT = 14
    TWIN_LINK = 16
    EXIT = 17


@dataclass(frozen=True)
class Task:
    """One thing left to do.

    Attributes:
        tier: How promising it is.
        path: Page it is done on.
        kind: The action; for a form the desk chooses field by field.
        target: The control, if the action has one.
        form: The form to work on, if it is that.
    """

    tier: Tier
    path: str
    kind: ActionKind
    target: Target | None = None
    form: FormGroup | None = None

    @property
    def identity(self) -> tuple[object, ...]:
        """Same for the same work, whenever it is listed."""
        return self.path, self.kind, self.target.key if self.target else None, self.form.form_id if self.form else None


class Planner:
    """Lists the work left on every page seen.

    Args:
        memory: What is known of the site.
        desk: The forms in progress.
    """

    def __init__(self, memory: SiteMemory, desk: FormDesk) -> None:
        self._memory = memory
        self._desk = desk
        self.visits: Counter[str] = Counter()

    def note_visit(self, path: str) -> None:
        """Count that a page is looked at again for its own sake."""
        self.visits[path] += 1

    def tasks(self) -> Iterator[Task]:
        """Yield what is left to do, page by page in order of discovery."""
        for page in self._memory.latest.values():
            yield from self._form_tasks(page)
            yield from self._control_tasks(page)
            yield from self._page_tasks(page)

    def _form_tasks(self, page: Sighting) -> Iterator[Task]:
        for form in forms_on(page):
            if not self._desk.is_open(form):
                continue
            if form.fields:
                code = self._desk.wants_code(form) and not self._desk.in_progress(form)
                yield Task(Tier.CODE_FORM if code else Tier.FORM, page.path, ActionKind.SUBMIT, form=form)
            elif form.button is not None:
                yield Task(_button_tier(form.button), page.path, ActionKind.SUBMIT, form=form)

    def _control_tasks(self, page: Sighting) -> Iterator[Task]:
        inside = {part.key for form in forms_on(page) for part in (form.form, form.button, *form.fields) if part}
        for target in targets_on(page):
            element = target.element
            if target.key in inside or element.disabled or not element.capabilities.click or is_field(element):
                continue
            if element.role == "link":
                yield from self._link_task(page, target)
            elif self._worth_pressing(page, target):
                yield Task(_button_tier(target), page.path, ActionKind.CLICK, target)

    def _worth_pressing(self, page: Sighting, target: Target) -> bool:
        mark = (page.path, target.key)
        tries = self._memory.tries[mark]
        return tries == 0 or (tries < MAX_REPEATS and self._memory.fruitful[mark])

    def _link_task(self, page: Sighting, target: Target) -> Iterator[Task]:
        name = target.key.name
        tries = self._memory.tries[page.path, target.key]
        if means("retry", name) and is_broken(page):
            if tries < MAX_RETRIES:
                yield Task(Tier.RETRY, page.path, ActionKind.CLICK, target)
            return
        if tries:
            return
        known = self._memory.leads_to(page.path, target.key)
        if known is not None:
            if not self._memory.is_navigation(name):
                yield Task(Tier.TWIN_LINK, page.path, ActionKind.CLICK, target)
            return
        yield Task(self._link_tier(target), page.path, ActionKind.CLICK, target)

    def _link_tier(self, target: Target) -> Tier:
        name = target.key.name
        if means("minor", name):
            return Tier.MINOR_LINK
        if means("exit", name):
            return Tier.EXIT
        return Tier.SITE_LINK if self._memory.is_navigation(name) else Tier.CONTENT_LINK

    def _page_tasks(self, page: Sighting) -> Iterator[Task]:
        visits = self.visits[page.path]
        if is_broken(page) and visits < MAX_RETRIES:
            if not any(means("retry", t.key.name) for t in targets_on(page)):
                yield Task(Tier.RETRY, page.path, ActionKind.RELOAD)
        elif asks_to_wait(page) and visits < MAX_WAITS:
            rested = self._memory.here.step - page.step >= WAIT_STEPS
            yield Task(Tier.REVISIT if rested else Tier.WAIT, page.path, ActionKind.RELOAD)
        elif self._memory.changes > self._memory.changes_at[page.path] and visits == 0:
            yield Task(Tier.REVISIT, page.path, ActionKind.RELOAD)


def _button_tier(target: Target) -> Tier:
    if means("exit", target.key.name):
        return Tier.EXIT
    return Tier.ACCEPT if means("accept", target.key.name) else Tier.BUTTON


def is_broken(page: Sighting) -> bool:
    """Return whether a page shows an error instead of its content."""
    return len(page.lines) <= SHORT_PAGE and any(means("broken", line) for line in (page.title, *page.lines))


def asks_to_wait(page: Sighting) -> bool:
    """Return whether a page asks to come back later."""
    return any(means("wait", line) for line in page.lines)
