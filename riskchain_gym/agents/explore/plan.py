"""What is left to do on a site, and what comes first: unseen states, near ones before far ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from riskchain_gym.agents.explore.desk import Code, FormDesk
from riskchain_gym.agents.explore.memory import SiteMemory
from riskchain_gym.agents.explore.obstacles import asks_to_wait, is_broken
from riskchain_gym.agents.explore.targets import FormGroup, Target, forms_on, targets_on
from riskchain_gym.agents.explore.words import means
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.action import ActionKind

MAX_REPEATS = 4
"""How often a button may be pressed on one page while each press adds lines, as in a conversation."""

FEW_BUTTONS = 3
"""How many buttons of a row are pressed before other things are done; a long row is a list of questions."""

SHORT = 3
"""Actions that a short form takes at most."""

MAX_RETRIES = 3
"""How often a broken page is tried again."""

MAX_WAITS = 6
"""How often a page that asked to wait is looked at again."""

WAIT_STEPS = 3
"""Steps to let pass before a page that asked to wait is looked at again."""


CLICK_COST = 2
"""What a click on the way to a page weighs against the tiers."""


class Tier(IntEnum):
    """Order of work, cheap and promising first; a page each click further away must offer ``CLICK_COST`` more."""

    ACCEPT = 0
    GATE = 2
    RETRY = 3
    REVEALED = 4
    BUTTON = 5
    SITE_LINK = 6
    CONTENT_LINK = 7
    FORM = 8
    LANDING_LINK = 10
    LONG_GATE = 11
    LONG_FORM = 12
    FURTHER_BUTTON = 13
    MINOR_LINK = 14
    FILTER = 15
    CODE_FORM = 16
    REVISIT = 17
    AGAIN = 18
    WAIT = 19
    STALE = 20
    TWIN_LINK = 21
    EXIT = 22


WHY: dict[Tier, str] = {
    Tier.ACCEPT: "accept, to get on",
    Tier.GATE: "pass a gate",
    Tier.LONG_GATE: "pass a gate",
    Tier.RETRY: "try a broken page again",
    Tier.REVEALED: "use what a button has brought up",
    Tier.BUTTON: "press a button not tried yet",
    Tier.FORM: "complete a form",
    Tier.SITE_LINK: "visit a section not seen yet",
    Tier.CONTENT_LINK: "follow a link not tried yet",
    Tier.LONG_FORM: "complete a form",
    Tier.LANDING_LINK: "follow a link of the landing page, which may name a section",
    Tier.FURTHER_BUTTON: "press one more button of a long row",
    Tier.FILTER: "show a list another way",
    Tier.MINOR_LINK: "follow a minor link",
    Tier.CODE_FORM: "complete a form that wants a code",
    Tier.REVISIT: "come back to a page that asked to wait",
    Tier.AGAIN: "press again, it brought something new",
    Tier.WAIT: "wait for a page",
    Tier.STALE: "see whether a page has changed since a form was sent",
    Tier.TWIN_LINK: "follow a link named like one followed before",
    Tier.EXIT: "try the way out",
}
"""The reason given with an action, by the tier of its task."""


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
        self._needs_code = False

    def note_visit(self, path: str) -> None:
        """Count that a page is looked at again for its own sake."""
        self.visits[path] += 1

    def tasks(self) -> Iterator[Task]:
        """Yield what is left to do, page by page in order of discovery."""
        self._needs_code = any(
            self._desk.is_open(form) and self._desk.code_state(form) is Code.MISSING
            for page in self._memory.latest.values()
            for form in forms_on(page)
        )
        for page in self._memory.latest.values():
            yield from self._form_tasks(page)
            yield from self._control_tasks(page)
            yield from self._page_tasks(page)

    def _form_tasks(self, page: Sighting) -> Iterator[Task]:
        for form in forms_on(page):
            if self._desk.is_open(form):
                yield Task(self._form_tier(page, form), page.path, ActionKind.SUBMIT, form=form)

    def _form_tier(self, page: Sighting, form: FormGroup) -> Tier:
        code = self._desk.code_state(form)
        if code is Code.MISSING and not self._desk.in_progress(form):
            return Tier.CODE_FORM
        if form.is_filter:
            return Tier.FILTER
        short = self._desk.moves_left(form) <= SHORT
        if short and form.fields[0].key in self._memory.revealed.get(page.path, ()):
            return Tier.REVEALED
        if code is Code.SEEN or self._is_gate(page, form):
            return Tier.GATE if short else Tier.LONG_GATE
        return Tier.FORM if short else Tier.LONG_FORM

    def _is_gate(self, page: Sighting, form: FormGroup) -> bool:
        """Return whether a form stands where something else was to be.

        It does on a page that is not called what its link in the header said; and, unless a page is what its link
        said, where it is all that the page offers (behind another form a way back may stand beside it).
        """
        named = self._memory.is_named_like_its_link(page)
        if named is not None and self._memory.arrived_by_section(page):
            return not named
        parts = {part.key for part in (form.form, form.button, *form.fields) if part}
        others = [t for t in targets_on(page) if t.key not in parts and t.key.role != "form"]
        return not named and sum(not self._memory.frame.holds(t.key.name) for t in others) <= (named is None)

    def _control_tasks(self, page: Sighting) -> Iterator[Task]:
        inside = {form.button.key for form in forms_on(page) if form.button}
        run: list[Target] = []
        for target in targets_on(page):
            element = target.element
            if element.role == "form":
                continue
            if element.role == "button" and element.capabilities.click and target.key not in inside:
                run.append(target)
                continue
            yield from self._press_tasks(page, run)
            run = []
            if element.role == "link" and element.capabilities.click and not element.disabled:
                yield from self._link_task(page, target)
        yield from self._press_tasks(page, run)

    def _press_tasks(self, page: Sighting, run: list[Target]) -> Iterator[Task]:
        """Yield the buttons of a row, the first one last: of tabs it is open already, and brings its links back."""
        for place, target in enumerate((*run[1:], *run[:1])):
            tier = None if target.element.disabled else self._press_tier(page, target)
            if tier is Tier.BUTTON and place >= FEW_BUTTONS:
                tier = Tier.FURTHER_BUTTON
            if tier is not None:
                yield Task(tier, page.path, ActionKind.CLICK, target)

    def _press_tier(self, page: Sighting, target: Target) -> Tier | None:
        if self._is_retry(page, target):
            return Tier.RETRY if self._worth_retrying(page, target) else None
        mark = (page.path, target.key)
        tries = self._memory.tries[mark]
        if tries:
            return Tier.AGAIN if tries < MAX_REPEATS and self._memory.grown[mark] else None
        return _button_tier(target)

    def _link_task(self, page: Sighting, target: Target) -> Iterator[Task]:
        name = target.key.name
        tries = self._memory.tries[page.path, target.key]
        if self._is_retry(page, target):
            if self._worth_retrying(page, target):
                yield Task(Tier.RETRY, page.path, ActionKind.CLICK, target)
            return
        if tries:
            return
        known = self._memory.leads_to(page.path, target.key)
        if known is not None:
            if not self._memory.frame.holds(name) and known != page.path and not means("home", name):
                yield Task(Tier.TWIN_LINK, page.path, ActionKind.CLICK, target)
            return
        yield Task(self._link_tier(page, target), page.path, ActionKind.CLICK, target)

    def _is_retry(self, page: Sighting, target: Target) -> bool:
        return means("retry", target.key.name) and is_broken(page, self._memory.own_lines(page))

    def _worth_retrying(self, page: Sighting, target: Target) -> bool:
        solved = self._memory.reached.get((page.path, target.key), page.path) != page.path
        return not solved and self._memory.tries[page.path, target.key] < MAX_RETRIES

    def _link_tier(self, page: Sighting, target: Target) -> Tier:
        name, frame = target.key.name, self._memory.frame
        if (means("minor", name) or name in frame.footer) and not self._needs_code:
            return Tier.MINOR_LINK
        if frame.holds(name):
            return Tier.SITE_LINK
        if means("exit", name):
            return Tier.EXIT
        if target.key in self._memory.revealed.get(page.path, ()):
            return Tier.REVEALED
        first = self._memory.sightings[0]
        return Tier.LANDING_LINK if frame.header and page.path == first.path else Tier.CONTENT_LINK

    def _page_tasks(self, page: Sighting) -> Iterator[Task]:
        visits = self.visits[page.path]
        if is_broken(page, self._memory.own_lines(page)) and visits < MAX_RETRIES:
            if not any(means("retry", t.key.name) for t in targets_on(page)):
                yield Task(Tier.RETRY, page.path, ActionKind.RELOAD)
        elif asks_to_wait(self._memory.own_lines(page)) and visits < MAX_WAITS:
            rested = self._memory.here.step - page.step >= WAIT_STEPS
            yield Task(Tier.REVISIT if rested else Tier.WAIT, page.path, ActionKind.RELOAD)
        elif self._memory.changes > self._memory.changes_at[page.path] and visits == 0:
            yield Task(Tier.STALE, page.path, ActionKind.RELOAD)


def _button_tier(target: Target) -> Tier:
    if means("exit", target.key.name):
        return Tier.EXIT
    return Tier.ACCEPT if means("accept", target.key.name) else Tier.BUTTON
