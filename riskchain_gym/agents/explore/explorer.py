"""The explorer: walks a site systematically within its budget, then lets the reader report."""

from __future__ import annotations

from collections import Counter

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.explore.desk import FormDesk
from riskchain_gym.agents.explore.effects import Attempt
from riskchain_gym.agents.explore.memory import SiteMemory, Way
from riskchain_gym.agents.explore.plan import Planner
from riskchain_gym.agents.explore.targets import FormGroup, Target
from riskchain_gym.agents.explore.tasks import CLICK_COST, WHY, Task
from riskchain_gym.agents.halves import holds_half
from riskchain_gym.agents.read.reader import Reader
from riskchain_gym.agents.view import phase_of, sighting_of
from riskchain_gym.protocol.action import ActionKind, BrowserAction
from riskchain_gym.protocol.trajectory import Phase

MAX_WALKS = 3
"""How often the explorer sets out for the same piece of work."""


class Explorer:
    """Visits every link, button, tab and form once, returns where a gate was closed, stops when nothing is left.

    It knows no site: it goes by what controls and notices say, by what stands on every page, and by whether a page is
    called what the link to it said. Links that are named like a section are left to the section's own.

    Args:
        reader: Writes the report from what was seen.
        reload_once: Whether to reload one page at the end, to see whether its state persists.
    """

    def __init__(self, reader: Reader | None = None, *, reload_once: bool = False) -> None:
        self._reader = reader or Reader()
        self._reload_once = reload_once
        self._start()

    def reset(self, instructions: Instructions) -> None:  # noqa: ARG002
        """Forget the last site; the budget is read from each observation, not from the instructions."""
        self._start()

    def _start(self) -> None:
        self.memory = SiteMemory()
        self._desk = FormDesk(self.memory)
        self._planner = Planner(self.memory, self._desk)
        self._walks: Counter[tuple[object, ...]] = Counter()
        self._last: Attempt | None = None
        self._reloaded = not self._reload_once

    def investigate(self, observation: Observation) -> str:
        """Return the next browser action, or the report, as JSON text."""
        if phase_of(observation) is Phase.REPORT:
            return self._reader.report(self.memory.sightings).model_dump_json()
        page = sighting_of(observation)
        effect = self.memory.record(page, self._last)
        if self._last is not None:
            taken = self._desk.settle(self._last, effect)
            if taken:
                self.memory.note_taken(self._last.path)
        action = self._work() if page.steps_left > 1 else None
        if action is None:
            self._last = None
            action = BrowserAction(action=ActionKind.STOP, stop_status="COMPLETE", reason="nothing new is left to see")
        return action.model_dump_json(exclude_defaults=True)

    def _work(self) -> BrowserAction | None:
        for task, way in self._ranked():
            if self._walks[task.identity] < MAX_WALKS and (action := self._advance(task, way)) is not None:
                return action
        if self._reloaded:
            return None
        self._reloaded = True
        return self._send(ActionKind.RELOAD)

    def _ranked(self) -> list[tuple[Task, Way | None]]:
        """Return the work left with the way there, the most promising first; from a dead end one goes back."""
        ways = self.memory.ways()
        dead_end = self._dead_end(ways)
        room = self.memory.here.page.steps_left - 1
        ranked: list[tuple[float, int, Task, Way | None]] = []
        for task in self._planner.tasks():
            way = ways.get(task.path)
            if way is None and task.path != dead_end:
                continue
            clicks = way.clicks if way else 1
            moves = self._desk.moves_left(task.form) if task.form else 1
            if clicks + moves > room:
                continue
            unfinished = clicks == 0 and task.form is not None and self._desk.in_progress(task.form)
            ranked.append((-1 if unfinished else task.tier + CLICK_COST * clicks, clicks, task, way))
        ranked.sort(key=lambda entry: entry[:2])
        return [(task, way) for _, _, task, way in ranked]

    def _dead_end(self, ways: dict[str, Way]) -> str | None:
        """Return the page to go back to if no link leads on, and going back has not just failed."""
        stuck = len(ways) == 1 and (self._last is None or self._last.kind is not ActionKind.BACK)
        paths = (page.path for page in reversed(self.memory.sightings))
        return next((path for path in paths if path != self.memory.here.path), None) if stuck else None

    def _advance(self, task: Task, way: Way | None) -> BrowserAction | None:
        revisit = task.kind is ActionKind.RELOAD
        if way is None or way.clicks > 0:
            self._walks[task.identity] += 1
            if revisit and (way is None or way.clicks == 1):
                self._planner.note_visit(task.path)
            walk = ActionKind.BACK if way is None else ActionKind.CLICK
            return self._send(walk, task, way.first if way else None)
        if revisit:
            self._planner.note_visit(task.path)
            return self._send(ActionKind.RELOAD, task)
        if task.form is None:
            return self._send(task.kind, task, task.target)
        move = self._desk.next_move(task.form)
        return None if move is None else self._send(move[0], task, move[1], form=task.form)

    def _send(
        self, kind: ActionKind, task: Task | None = None, target: Target | None = None, form: FormGroup | None = None
    ) -> BrowserAction:
        key = target.key if target else None
        self._last = Attempt(kind, self.memory.here.path, key, form)
        reason = WHY[task.tier] if task else "see whether the state persists"
        if target is None:
            return BrowserAction(action=kind, reason=reason)
        other = kind is ActionKind.SELECT and target.element.has_value
        options = (each for each in reversed(target.element.options) if not holds_half(each))
        option = next(options, None) if other else None
        return BrowserAction(action=kind, element_id=target.element.element_id, option=option, reason=reason)
