"""What the explorer remembers of a site: what it saw, where controls led, what did nothing."""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

from riskchain_gym.agents.explore.effects import Attempt, Effect, Tabs
from riskchain_gym.agents.explore.frame import Frame, find_frame
from riskchain_gym.agents.explore.passages import Passages
from riskchain_gym.agents.explore.targets import Key, Screen, Target
from riskchain_gym.agents.explore.twins import Group, Twins, find_twins, group_of
from riskchain_gym.agents.explore.words import means
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.action import ActionKind


class Way(NamedTuple):
    """How to get to a page: how many clicks away it is, and the first link (``None`` for the current page)."""

    clicks: int
    first: Target | None


class SiteMemory:
    """Everything seen on one site.

    Attributes:
        sightings: Every page seen, in order.
        latest: The last screen of each path.
        tries: How often a control was acted on, by path and key.
        reached: Where following a control led last.
        grown: Controls whose last use added new lines and took none away.
        knowledge: How many sightings brought a line never seen before.
        revealed: Controls that a button brought onto its page, by path: another button may take them away again.
        tabs: Pages whose first pressed button put one panel in the place of another, by path.
        passages: Pages that stand before others.
        arrivals: How often a path was come to from another one.
        second_looks: How often a page was come to again.
        surprises: How often it then showed something never seen before.
        changes: How many forms the site took.
        frame: Links that stand on every page, before and after its content.
        changes_at: Value of ``changes`` when a path was last seen.
    """

    def __init__(self) -> None:
        self.sightings: list[Sighting] = []
        self.latest: dict[str, Screen] = {}
        self.tries: Counter[tuple[str, Key]] = Counter()
        self.reached: dict[tuple[str, Key], str] = {}
        self.grown: dict[tuple[str, Key], bool] = {}
        self.revealed: dict[str, frozenset[Key]] = {}
        self.tabs: dict[str, Tabs] = {}
        self.passages = Passages()
        self.arrivals: Counter[str] = Counter()
        self.second_looks = 0
        self.surprises = 0
        self.knowledge = 0
        self.changes = 0
        self.changes_at: dict[str, int] = {}
        self._paths_of_line: dict[str, set[str]] = {}
        self._followed: dict[str, str] = {}
        self._arrived_by: dict[str, tuple[str, Key]] = {}
        self._leads: dict[tuple[str, Key], str | None] = {}
        self._twins: dict[Group, Twins] | None = None
        self._own_lines: dict[Screen, tuple[str, ...]] = {}
        self._headings: list[tuple[str, str]] = []
        self._shared: frozenset[str] = frozenset()
        self.frame = Frame(frozenset(), frozenset())

    @property
    def here(self) -> Screen:
        """The page now on the screen."""
        return self.latest[self.sightings[-1].path]

    def record(self, page: Sighting, attempt: Attempt | None) -> Effect:
        """Take in a page and put down what the last action did.

        Args:
            page: The page shown now.
            attempt: The action that led to it, or ``None`` for the landing view.
        """
        before = self.here if self.sightings else None
        screen = Screen(page)
        new_lines = tuple(line for line in page.lines if line not in self._paths_of_line)
        effect = Effect(
            accepted=before is None or page.step != before.step,
            changed=before is None or before.state != screen.state,
            new_lines=new_lines,
            fresh_here=page.lines if before is None else tuple(x for x in page.lines if x not in before.line_set),
            grew=before is not None and before.line_set <= screen.line_set,
        )
        self.sightings.append(page)
        self._own_lines = {}
        for line in page.lines:
            self._paths_of_line.setdefault(line, set()).add(page.path)
        self.knowledge += bool(new_lines)
        if attempt is not None:
            self._note(attempt, screen, effect)
            if before is not None and before.path == page.path and attempt.key and attempt.key.role == "button":
                self._note_press(attempt.key, before, screen)
        if before is None or before.path != page.path or (attempt and attempt.kind is ActionKind.RELOAD):
            self._note_arrival(page.path, attempt, effect)
        self.latest[page.path] = screen
        self.changes_at[page.path] = self.changes
        self.frame = find_frame(list(self.latest.values()))
        self._note_passage(attempt, screen, effect)
        self._note_names(screen)
        return effect

    def _note_names(self, screen: Screen) -> None:
        """Work out anew what names stand for: links of header and footer, titles of pages."""
        self._forget_leads()
        self._shared = frozenset(t.key.name for t in screen.links if self.frame.holds(t.key.name))
        named = ((path, page.heading) for path, page in self.latest.items() if not self.passages.holds(path))
        self._headings = [(path, heading) for path, heading in named if len(heading) > 1]

    def _note_arrival(self, path: str, attempt: Attempt | None, effect: Effect) -> None:
        self.arrivals[path] += 1
        sent = attempt is not None and attempt.kind is ActionKind.SUBMIT
        if self.arrivals[path] > 1 and not sent and self.changes_at[path] == self.changes:
            self.second_looks += 1
            self.surprises += bool(effect.new_lines)

    def _note_press(self, pressed: Key, before: Screen, screen: Screen) -> None:
        self.revealed[screen.path] = screen.keys - before.keys
        first = sum(n for (path, key), n in self.tries.items() if path == screen.path and key.role == "button") == 1
        names = {target.key.name for target in before.targets}
        gone = any(line not in screen.line_set and line not in names for line in before.lines)
        if first and gone and pressed in screen.keys:
            self.tabs[screen.path] = Tabs(pressed, before.keys - screen.keys)

    def _note_passage(self, attempt: Attempt | None, screen: Screen, effect: Effect) -> None:
        if attempt is None or attempt.key is None or not effect.accepted or attempt.path == screen.path:
            self.passages.see(screen)
            return
        is_section = attempt.key.role == "link" and self.frame.holds(attempt.key.name)
        own = sum(not self.frame.holds(target.key.name) for target in screen.loose)
        self.passages.note(screen, attempt.key.name, attempt.path, is_section=is_section, own_controls=own)

    def _note(self, attempt: Attempt, page: Screen, effect: Effect) -> None:
        if attempt.key is None:
            return
        mark = (attempt.path, attempt.key)
        self.tries[mark] += 1
        self.grown[mark] = effect.grew and bool(effect.new_lines)
        if attempt.kind in {ActionKind.CLICK, ActionKind.SUBMIT} and effect.accepted:
            self.reached[mark] = page.path
            self._arrived_by[page.path] = mark
            if attempt.key.role == "link" and self.is_unique(attempt.path, attempt.key):
                self._followed[attempt.key.name] = page.path

    def is_named_like_its_link(self, page: Screen) -> bool | None:
        """Return whether a page's title is the wording of the link that led there; ``None`` if no link did."""
        mark = self._arrived_by.get(page.path)
        if mark is None or mark[1].role != "link":
            return None
        return page.title.startswith(mark[1].name)

    def arrived_by_section(self, page: Screen) -> bool:
        """Return whether the link that led to a page last belongs to header or footer."""
        mark = self._arrived_by.get(page.path)
        return mark is not None and self.frame.holds(mark[1].name)

    def own_lines(self, page: Screen) -> tuple[str, ...]:
        """Return the lines of a page that no other page shows: its content without header and footer."""
        if page not in self._own_lines:
            self._own_lines[page] = tuple(line for line in page.lines if len(self._paths_of_line[line]) == 1)
        return self._own_lines[page]

    def is_unique(self, path: str, key: Key) -> bool:
        """Return whether a link's name says where it leads: a section's, or one of its kind and no 'more' or 'next'."""
        if self.frame.holds(key.name):
            return True
        twin = Key(key.role, key.name, 1)
        return not means("generic", key.name) and twin not in self.latest[path].keys

    def leads_to(self, path: str, key: Key) -> str | None:
        """Return where a link leads, as far as known.

        It was followed here; or it is named like the page it is on, or like the landing page; or a link of its name
        was followed elsewhere; or two of its namesakes on this page were followed and led to one place.
        """
        mark = (path, key)
        if mark not in self._leads:
            lead = self._find_lead(path, key)
            self._leads[mark] = lead and (self.passages.beyond(lead) or lead)
        return self._leads[mark]

    def _find_lead(self, path: str, key: Key) -> str | None:
        if (known := self.reached.get((path, key))) is not None:
            return known
        if len(key.name) > 1 and self.latest[path].title.startswith(key.name):
            return path
        if means("home", key.name):
            return self.sightings[0].path
        if self.is_unique(path, key):
            return self._followed.get(key.name) or self._titled(key.name, path)
        if self._twins is None:
            self._twins = find_twins(self.reached)
        twins = self._twins.get(group_of(path, key))
        return twins.lead_of(key.nth) if twins else None

    def _forget_leads(self) -> None:
        self._leads = {}
        self._twins = None

    def _titled(self, name: str, origin: str) -> str | None:
        """Return the other page whose title, without the name of the site, a link's wording holds."""
        return next((path for path, heading in self._headings if path != origin and heading in name), None)

    def note_taken(self, form_path: str) -> None:
        """Note that the site took a form; where it was a gate, the links that led to it may be tried once more."""
        self._forget_leads()
        self.changes += 1
        self.changes_at[self.here.path] = self.changes
        if self.here.path == form_path:
            return
        new = self.arrivals[self.here.path] == 1
        passed = self._entrance(form_path) if new else None
        for mark, reached in list(self.reached.items()):
            if reached != form_path or mark[1].role != "link" or means("login", mark[1].name):
                continue
            if passed is not None and mark[1].name == passed[1].name:
                self.reached[mark] = self.here.path
                self._followed[mark[1].name] = self.here.path
            else:
                del self.reached[mark]
                self.tries[mark] = 0
                self._followed.pop(mark[1].name, None)

    def _entrance(self, path: str) -> tuple[str, Key] | None:
        """Return the link by which one came to a page, be it by way of forms and buttons."""
        been = {path}
        mark = self._arrived_by.get(path)
        while mark is not None and mark[1].role != "link" and mark[0] not in been:
            been.add(mark[0])
            mark = self._arrived_by.get(mark[0])
        return mark

    def beside_the_frame(self, page: Screen) -> tuple[Target, ...]:
        """Return the links and buttons of a page, without those of header and footer if they stand here as well."""
        if page is self.here:
            return page.loose
        return tuple(target for target in page.loose if target.key.name not in self._shared)

    def ways(self) -> dict[str, Way]:
        """Return the known way to every page within reach of the current one: clicks away, and the first link."""
        start = self.here.path
        ways = {start: Way(0, None)}
        queue = deque([start])
        while queue:
            path = queue.popleft()
            clicks, first = ways[path]
            for target in self.beside_the_frame(self.latest[path]):
                if target.key.role != "link" or target.element.disabled:
                    continue
                reached = self.leads_to(path, target.key)
                if reached is not None and reached not in ways and reached in self.latest:
                    ways[reached] = Way(clicks + 1, first or target)
                    queue.append(reached)
        return ways
