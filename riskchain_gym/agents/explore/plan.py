"""What is left to do on a site, and what comes first: unseen states, near ones before far ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from riskchain_gym.agents.explore.desk import Code, FormDesk
from riskchain_gym.agents.explore.facts import PageFacts
from riskchain_gym.agents.explore.memory import SiteMemory
from riskchain_gym.agents.explore.passages import FEW_CONTROLS
from riskchain_gym.agents.explore.targets import FormGroup, Screen, Target
from riskchain_gym.agents.explore.tasks import Task, Tier
from riskchain_gym.agents.explore.words import means
from riskchain_gym.protocol.action import ActionKind

MAX_REPEATS = 4
"""How often a button may be pressed on one page while each press adds lines, as in a conversation."""

FEW_BUTTONS = 3
"""How many buttons of a row are pressed before other things are done; a long row is a list of questions."""

SHORT = 3
"""Actions that a short form takes at most."""

MAX_RETRIES = 3
"""How often a broken page is tried again."""

MAX_RELOADS = 2
"""How often a broken page is reloaded that has no link or button for it."""

MAX_RETURNS = 2
"""How often a page is asked for again while another one stands before it."""

MAX_WAITS = 6
"""How often a page that asked to wait is looked at again."""

FEW_LOOKS = 3
"""How many pages are looked at again; if none of them has changed, the others are not."""

WAIT_STEPS = 3
"""Steps to let pass before a page that asked to wait is looked at again."""


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
        self._facts: dict[Screen, PageFacts] = {}

    def note_visit(self, path: str) -> None:
        """Count that a page is looked at again for its own sake."""
        self.visits[path] += 1

    def tasks(self) -> Iterator[Task]:
        """Yield what is left to do, page by page in order of discovery."""
        self._needs_code = any(
            self._desk.is_open(form) and self._desk.asks_for_code(form) and self._desk.code_state(form) is Code.MISSING
            for page in self._memory.latest.values()
            for form in page.forms
        )
        self._facts = {page: PageFacts(page, self._memory) for page in self._memory.latest.values()}
        for page in self._facts:
            if self._memory.passages.beyond(page.path):
                continue
            yield from self._form_tasks(page)
            yield from self._control_tasks(page)
            yield from self._page_tasks(page)

    def _form_tasks(self, page: Screen) -> Iterator[Task]:
        for form in page.forms:
            if self._desk.is_open(form):
                yield Task(self._form_tier(page, form), page.path, ActionKind.SUBMIT, form=form)

    def _form_tier(self, page: Screen, form: FormGroup) -> Tier:
        code = self._desk.code_state(form)
        if code is Code.MISSING and not self._desk.in_progress(form):
            return Tier.CODE_FORM
        if form.is_filter:
            return Tier.FILTER
        if form.fields[0].key in self._memory.revealed.get(page.path, ()):
            return Tier.REVEALED
        short = self._desk.moves_left(form) <= SHORT
        if self._desk.was_refused(form) and not self._memory.passages.holds(page.path):
            return Tier.FORM_AGAIN
        if self._is_gate(page, form):
            return Tier.GATE if short else Tier.LONG_GATE
        return Tier.FORM if short else Tier.LONG_FORM

    def _is_gate(self, page: Screen, form: FormGroup) -> bool:
        """Return whether a form stands where something else was to be.

        It does on a page that stands before another one; and, unless a page is what its link said, where it is all that
        the page offers (behind another form a way back may stand beside it).
        """
        if self._memory.passages.holds(page.path):
            return True
        named = self._memory.is_named_like_its_link(page)
        if named is not None and self._memory.arrived_by_section(page):
            return not named
        return not named and self._facts[page].own_beside(form) <= (named is None)

    def _control_tasks(self, page: Screen) -> Iterator[Task]:
        run: list[Target] = []
        for target in self._memory.beside_the_frame(page):
            element = target.element
            if element.role == "button":
                if element.capabilities.click:
                    run.append(target)
                continue
            yield from self._press_tasks(page, run)
            run = []
            if element.role == "link" and element.capabilities.click and not element.disabled:
                yield from self._link_task(page, target)
        yield from self._press_tasks(page, run)

    def _press_tasks(self, page: Screen, run: list[Target]) -> Iterator[Task]:
        """Yield the buttons of a row, the first one last: of tabs it is open already, and brings its links back.

        On a page that stands before another one the first is the one that leads on.
        """
        onward = self._memory.passages.is_closed(page.path)
        ordered = run if onward else (*run[1:], *run[:1])
        for place, target in enumerate(ordered):
            tier = None if target.element.disabled else self._press_tier(page, target)
            last = place == len(run) - 1 > 0
            if (tier is Tier.AGAIN and len(run) > 1) or (tier is Tier.BUTTON and last and self._was_open(page, run)):
                continue
            if tier is Tier.BUTTON and onward and not page.forms:
                tier = Tier.ONWARD
            elif tier is Tier.BUTTON and place >= FEW_BUTTONS:
                tier = Tier.FURTHER_BUTTON
            if tier is not None:
                yield Task(tier, page.path, ActionKind.CLICK, target)

    def _was_open(self, page: Screen, run: list[Target]) -> bool:
        """Return whether a row is of tabs, and nothing was left to do on the first of them."""
        tabs = self._memory.tabs.get(page.path)
        if tabs is None or all(target.key != tabs.pressed for target in run[1:]):
            return False
        return all(self._memory.tries[page.path, key] for key in tabs.lost if key.role != "form")

    def _press_tier(self, page: Screen, target: Target) -> Tier | None:
        if self._is_retry(page, target):
            return Tier.RETRY if self._worth_retrying(page, target) else None
        mark = (page.path, target.key)
        tries = self._memory.tries[mark]
        if tries:
            return Tier.AGAIN if tries < MAX_REPEATS and self._memory.grown[mark] else None
        return _button_tier(target)

    def _link_task(self, page: Screen, target: Target) -> Iterator[Task]:
        tier: Tier | None
        if self._is_retry(page, target):
            tier = Tier.RETRY if self._worth_retrying(page, target) else None
        elif self._memory.tries[page.path, target.key]:
            tier = None
        elif self._leads_on(page, target):
            tier = Tier.ONWARD
        else:
            tier = None if self._memory.leads_to(page.path, target.key) else self._link_tier(page, target)
        if tier is not None:
            yield Task(tier, page.path, ActionKind.CLICK, target)

    def _leads_on(self, page: Screen, target: Target) -> bool:
        """Return whether a link of a page that stands before another one may lead on, be it by the home page."""
        name, memory = target.key.name, self._memory
        if memory.frame.holds(name) or not memory.passages.is_closed(page.path) or self._facts[page].asks_to_wait:
            return False
        return not page.forms if means("home", name) else not means("exit", name)

    def _is_retry(self, page: Screen, target: Target) -> bool:
        return means("retry", target.key.name) and self._facts[page].is_broken

    def _worth_retrying(self, page: Screen, target: Target) -> bool:
        solved = self._memory.reached.get((page.path, target.key), page.path) != page.path
        return not solved and self._memory.tries[page.path, target.key] < MAX_RETRIES

    def _link_tier(self, page: Screen, target: Target) -> Tier | None:
        """Return how promising a link is; ``None`` if it is named like a section, which has a link of its own."""
        name, frame = target.key.name, self._memory.frame
        if name in frame.footer or (means("minor", name) and name not in frame.header):
            return Tier.SITE_LINK if self._needs_code else Tier.MINOR_LINK
        if frame.holds(name):
            return Tier.SITE_LINK
        if means("exit", name):
            return Tier.EXIT
        if target.key in self._memory.revealed.get(page.path, ()):
            return Tier.REVEALED
        if frame.shares_a_word(name):
            return None
        if frame.header and page.path == self._memory.sightings[0].path:
            return Tier.LANDING_LINK
        few = self._facts[page].own_controls <= FEW_CONTROLS
        waits = self._facts[page].asks_to_wait
        return Tier.NEXT_LINK if few and not waits else Tier.CONTENT_LINK

    def _page_tasks(self, page: Screen) -> Iterator[Task]:
        visits = self.visits[page.path]
        if self._facts[page].is_broken and visits < MAX_RELOADS:
            if not any(means("retry", t.key.name) for t in page.targets):
                yield Task(Tier.RETRY, page.path, ActionKind.RELOAD)
        elif self._facts[page].asks_to_wait and visits < MAX_WAITS:
            rested = self._memory.here.step - page.step >= WAIT_STEPS
            yield Task(Tier.REVISIT if rested else Tier.WAIT, page.path, ActionKind.RELOAD)
        elif self._memory.passages.is_closed(page.path):
            if visits < MAX_RETURNS and page is not self._memory.here and not page.forms:
                yield Task(Tier.RETURN, page.path, ActionKind.RELOAD)
        elif self._worth_a_second_look(page):
            tier = Tier.SURPRISING if self._memory.surprises else Tier.SECOND_LOOK
            yield Task(tier, page.path, ActionKind.RELOAD)
        elif self._memory.changes > self._memory.changes_at[page.path] and visits == 0:
            yield Task(Tier.STALE, page.path, ActionKind.RELOAD)

    def _worth_a_second_look(self, page: Screen) -> bool:
        """Return whether to look at a page again: some sites show those who come back something else."""
        if page.heading not in self._memory.frame.header or self._memory.arrivals[page.path] > 1:
            return False
        return self._memory.surprises > 0 or self._memory.second_looks < FEW_LOOKS


def _button_tier(target: Target) -> Tier:
    if means("exit", target.key.name):
        return Tier.EXIT
    return Tier.ACCEPT if means("accept", target.key.name) else Tier.BUTTON
