"""What is measured in browsers: resets and steps in turn, two environments at once, the memory of four."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from itertools import cycle, islice

from browsing.remote import Remote
from browsing.subjects import Fleet, Ours
from browsing.tours import Tour

_TRIES = 3
_THINKS_S = 0.6
"""Pause after each turn, so that what a subject does while its agent thinks is through before the next one's turn."""
_LONG = 25
"""Clicks of an episode when steps a second are counted; with its reset, as in training."""


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        """Return those of some values."""
        low, median, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
        return cls(median, low, high)

    def shown(self, digits: int) -> str:
        """Return them as text."""
        return f"{self.median:.{digits}f} [{self.low:.{digits}f}-{self.high:.{digits}f}]"


Times = dict[str, list[float]]
"""Seconds by subject; entries of the same index belong to the same repetition, site and click."""


def in_turn(
    subjects: dict[str, Remote], tours: list[Tour], repeats: int, only_reset: set[str], at_once: set[str]
) -> dict[str, Times]:
    """Return the times of resets and of steps: in each repetition every subject takes one tour, another one first.

    Args:
        subjects: Who is measured, by name.
        tours: The tours; a repetition takes the next one.
        repeats: Repetitions, after one that is thrown away.
        only_reset: Subjects that open the site and do not click.
        at_once: Subjects whose reset right after another one is measured too (``again``).
    """
    times: dict[str, Times] = {kind: {name: [] for name in subjects} for kind in ("reset", "step", "again")}
    names = list(subjects)
    for repetition in range(-1, repeats):
        tour = tours[repetition % len(tours)]
        first = repetition % len(names)
        for name in names[first:] + names[:first]:
            found = _take(subjects[name], name, tour, clicks=name not in only_reset)
            again = [_reset_at_once(subjects[name], tour)] if name in at_once else []
            time.sleep(_THINKS_S)
            if repetition >= 0:
                times["reset"][name].append(found[0])
                times["step"][name] += found[1:]
                times["again"][name] += again
    return times


def _take(subject: Remote, name: str, tour: Tour, *, clicks: bool) -> list[float]:
    found = [subject.call("reset", tour.chain)[0]]
    for link, path in tour.clicks if clicks else ():
        for _ in range(_TRIES):  # stock gives a click half a second, which on a busy machine may not be enough
            subject.call("aim", link)
            seconds, _ = subject.call("click")
            if (now := subject.call("path")[1]) == path:
                break
        else:
            raise RuntimeError(f"{name}: '{link}' should lead to {path}, and the page is {now}.")
        found.append(seconds)
    return found


def _reset_at_once(subject: Remote, tour: Tour) -> float:
    """Return the time of a reset for which nothing can have been made ready."""
    subject.call("reset", tour.chain)
    return subject.call("reset", tour.chain)[0]


def ratios(times: list[float], to: list[float]) -> Spread:
    """Return how many times as long as those of another subject some times are, pair by pair."""
    return Spread.of([a / b for a, b in zip(times, to, strict=True)])


def steps_per_second(binary: str, tours: list[Tour], episodes: int) -> float:
    """Return the steps a second of two environments at once, each with screenshots and in a process of its own."""
    pair = [Remote(Ours, binary=binary, observe=("screenshot",)) for _ in range(2)]
    long = [Tour(tour.chain, tuple(islice(cycle(tour.clicks), _LONG))) for tour in tours]
    try:
        for remote in pair:
            remote.call("run", long[0])
        spent = 0.0
        for i in range(episodes):
            for number, remote in enumerate(pair):
                remote.send("run", long[(2 * i + number) % len(long)])
            spent += max(remote.receive()[0] for remote in pair)
        return 2 * _LONG * episodes / spent
    finally:
        for remote in pair:
            remote.close()


def memory_per_env(binary: str, tours: list[Tour], count: int) -> float:
    """Return what each of several environments with screenshots in one process takes, in MiB of PSS."""
    fleet = Remote(Fleet, binary=binary, count=count)
    try:
        return float(fleet.call("weigh", tours)[1]) / count
    finally:
        fleet.close()
