"""What the explorer remembers of a site: what it saw, where controls led, what did nothing."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import NamedTuple

from riskchain_gym.agents.explore.frame import Frame, find_frame
from riskchain_gym.agents.explore.obstacles import asks_to_wait, is_broken
from riskchain_gym.agents.explore.targets import FormGroup, Key, Target, targets_on
from riskchain_gym.agents.explore.words import means
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.action import ActionKind


@dataclass(frozen=True)
class Attempt:
    """An action that was sent and whose effect is still to be seen.

    Attributes:
        kind: The action.
        path: Page it was sent on.
        key: Its target, or ``None`` for an action without one.
        form: The form it belongs to, if any.
    """

    kind: ActionKind
    path: str
    key: Key | None = None
    form: FormGroup | None = None


@dataclass(frozen=True)
class Effect:
    """What an action changed.

    Attributes:
        accepted: The environment carried it out (a strike does not).
        changed: The page differs from the one before.
        new_lines: Lines that had never been shown before.
        fresh_here: Lines that the page before did not have.
        grew: Lines were added and none went away.
    """

    accepted: bool
    changed: bool
    new_lines: tuple[str, ...]
    fresh_here: tuple[str, ...]
    grew: bool


class Way(NamedTuple):
    """How to get to a page: how many clicks away it is, and the first link (``None`` for the current page)."""

    clicks: int
    first: Target | None


class SiteMemory:
    """Everything seen on one site.

    Attributes:
        sightings: Every page seen, in order.
        latest: The last sighting of each path.
        tries: How often a control was acted on, by path and key.
        reached: Where following a control led last.
        grown: Controls whose last use added new lines and took none away.
        knowledge: How many sightings brought a line never seen before.
        revealed: Controls that a button brought onto its page, by path: another button may take them away again.
        changes: How many forms the site took.
        passed: Paths of gates that were passed: a form was taken, a retry worked, a link leads on that did not before.
        cleared: Path and line of errors and requests to wait that are gone.
        frame: Links that stand on every page, before and after its content.
        changes_at: Value of ``changes`` when a path was last seen.
    """

    def __init__(self) -> None:
        self.sightings: list[Sighting] = []
        self.latest: dict[str, Sighting] = {}
        self.tries: Counter[tuple[str, Key]] = Counter()
        self.reached: dict[tuple[str, Key], str] = {}
        self.grown: dict[tuple[str, Key], bool] = {}
        self.revealed: dict[str, frozenset[Key]] = {}
        self.knowledge = 0
        self.changes = 0
        self.changes_at: dict[str, int] = {}
        self.passed: set[str] = set()
        self.cleared: set[tuple[str, str]] = set()
        self._paths_of_line: dict[str, set[str]] = {}
        self._followed: dict[str, str] = {}
        self._arrived_by: dict[str, tuple[str, Key]] = {}
        self.frame = Frame(frozenset(), frozenset())

    @property
    def here(self) -> Sighting:
        """The page now on the screen."""
        return self.sightings[-1]

    def record(self, page: Sighting, attempt: Attempt | None) -> Effect:
        """Take in a page and put down what the last action did.

        Args:
            page: The page shown now.
            attempt: The action that led to it, or ``None`` for the landing view.
        """
        before = self.sightings[-1] if self.sightings else None
        new_lines = tuple(line for line in page.lines if line not in self._paths_of_line)
        effect = Effect(
            accepted=before is None or page.step != before.step,
            changed=before is None or _state(before) != _state(page),
            new_lines=new_lines,
            fresh_here=page.lines if before is None else tuple(x for x in page.lines if x not in before.lines),
            grew=before is not None and all(x in page.lines for x in before.lines),
        )
        self.sightings.append(page)
        for line in page.lines:
            self._paths_of_line.setdefault(line, set()).add(page.path)
        self.knowledge += bool(new_lines)
        if attempt is not None:
            self._note(attempt, page, effect)
            if before is not None and before.path == page.path and attempt.key and attempt.key.role == "button":
                had = {target.key for target in targets_on(before)}
                self.revealed[page.path] = frozenset(t.key for t in targets_on(page) if t.key not in had)
        self._note_cleared(page)
        self.latest[page.path] = page
        self.changes_at[page.path] = self.changes
        self.frame = find_frame(list(self.latest.values()))
        return effect

    def _note(self, attempt: Attempt, page: Sighting, effect: Effect) -> None:
        if attempt.key is None:
            return
        mark = (attempt.path, attempt.key)
        self.tries[mark] += 1
        self.grown[mark] = effect.grew and bool(effect.new_lines)
        if attempt.kind in {ActionKind.CLICK, ActionKind.SUBMIT} and effect.accepted:
            self._note_passed(attempt, mark, page)
            self.reached[mark] = page.path
            self._arrived_by[page.path] = mark
            if attempt.key.role == "link" and self.is_unique(attempt.path, attempt.key):
                self._followed[attempt.key.name] = page.path

    def _note_passed(self, attempt: Attempt, mark: tuple[str, Key], page: Sighting) -> None:
        led = self.leads_to(*mark)
        if led is not None and led not in (page.path, attempt.path):
            self.passed.add(led)
        if means("retry", mark[1].name) and page.path != attempt.path:
            self.passed.add(attempt.path)

    def _note_cleared(self, page: Sighting) -> None:
        before = self.latest.get(page.path)
        if before is None:
            return
        own = self.own_lines(before)
        if is_broken(before, own) or asks_to_wait(own):
            self.cleared.update((page.path, line) for line in before.lines if line not in page.lines)

    def settled(self) -> frozenset[tuple[str, str]]:
        """Return path and line of all that stood in the way and was overcome."""
        gates = {(page.path, line) for page in self.sightings if page.path in self.passed for line in page.lines}
        return frozenset(gates | self.cleared)

    def is_named_like_its_link(self, page: Sighting) -> bool | None:
        """Return whether a page's title is the wording of the link that led there; ``None`` if no link did."""
        mark = self._arrived_by.get(page.path)
        if mark is None or mark[1].role != "link":
            return None
        return page.title.startswith(mark[1].name)

    def arrived_by_section(self, page: Sighting) -> bool:
        """Return whether the link that led to a page last belongs to header or footer."""
        mark = self._arrived_by.get(page.path)
        return mark is not None and self.frame.holds(mark[1].name)

    def own_lines(self, page: Sighting) -> tuple[str, ...]:
        """Return the lines of a page that no other page shows: its content without header and footer."""
        return tuple(line for line in page.lines if len(self._paths_of_line[line]) == 1)

    def is_unique(self, path: str, key: Key) -> bool:
        """Return whether a link's name says where it leads: a section's, or one of its kind and no 'more' or 'next'."""
        if self.frame.holds(key.name):
            return True
        twin = Key(key.role, key.name, 1)
        return not means("generic", key.name) and all(t.key != twin for t in targets_on(self.latest[path]))

    def leads_to(self, path: str, key: Key) -> str | None:
        """Return where a link leads, as far as known.

        It was followed here; or it is named like the page it is on, or like the landing page; or a link of its name
        was followed elsewhere; or two of its namesakes on this page were followed and led to one place.
        """
        if (known := self.reached.get((path, key))) is not None:
            return known
        if len(key.name) > 1 and self.latest[path].title.startswith(key.name):
            return path
        if means("home", key.name):
            return self.sightings[0].path
        if self.is_unique(path, key):
            return self._followed.get(key.name)
        twins = [self.reached.get((path, Key(key.role, key.name, nth))) for nth in range(key.nth)]
        led = [reached for reached in twins if reached is not None]
        return led[0] if len(led) > 1 and len(set(led)) == 1 else None

    def note_taken(self, form_path: str) -> None:
        """Note that the site took a form; where it was a gate, the links that led to it may be tried once more."""
        self.changes += 1
        self.changes_at[self.here.path] = self.changes
        if self.here.path == form_path:
            return
        new = sum(page.path == self.here.path for page in self.sightings) == 1
        if new:
            self.passed.add(form_path)
        passed = self._arrived_by.get(form_path) if new else None
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

    def ways(self) -> dict[str, Way]:
        """Return the known way to every page within reach of the current one: clicks away, and the first link."""
        start = self.here.path
        ways = {start: Way(0, None)}
        queue = deque([start])
        while queue:
            path = queue.popleft()
            clicks, first = ways[path]
            for target in targets_on(self.latest[path]):
                if target.key.role != "link" or target.element.disabled:
                    continue
                reached = self.leads_to(path, target.key)
                if reached is not None and reached not in ways and reached in self.latest:
                    ways[reached] = Way(clicks + 1, first or target)
                    queue.append(reached)
        return ways


def _state(page: Sighting) -> tuple[object, ...]:
    shown = [(e.role, e.name, e.disabled, e.checked, e.has_value) for e in page.elements]
    return page.path, page.lines, tuple(shown)
