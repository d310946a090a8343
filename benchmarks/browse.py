"""How long a reset and a step take: ours, stock BrowserEnv, and the floor beneath both.

Usage: python benchmarks/browse.py [--text] [--repeats 20] [--clicks 2] [--binary PATH] [--check] [--json]

All open the same sites of ``mini``, each from a sandbox server of its own, and click the same links. Whoever is
measured has a process to itself; they take turns (A B C … B C … A), so that a change of the machine's speed meets all
alike, and ratios are taken pair by pair. ``reset`` is opening a site in an environment that has shown others; ``step``
is a click that navigates, with the observation after it.

- ours: ``RiskChainBrowse-v0`` without and with ``observe=["screenshot"]``;
- stock: browsergym-core's ``BrowserEnv`` on the same binary, patched only so that it launches. It always takes a
  screenshot and waits half a second before it looks: neither is switched off for us;
- floor: Playwright and DevTools calls that nobody can leave out (see ``browsing/subjects.py``);
- default: our environment with every default against stock with every default, on a full Chromium.

While its agent thinks, our environment makes the page of the next site; so every subject has a pause after its turn.
The resets called "at once" follow another reset without one, and have nothing made ready.

Then the steps a second of two environments at once with screenshots, and the memory of four in one process. ``--text``
measures the text backend instead. Takes some six minutes on two idle cores; the load is printed, and what else runs
meanwhile is measured too. Bounds that are missed are named; ``--check`` ends with 1 then.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from browsing.measures import Spread, Times, in_turn, memory_per_env, ratios, steps_per_second
from browsing.remote import Remote
from browsing.subjects import Floor, Ours, Stock
from browsing.text import rates
from browsing.tours import tours

from riskchain_gym.envs.browser.find import browser_version, find_chromium
from riskchain_gym.envs.config import EnvConfig

MEASURES = ("reset_text", "reset_screenshot", "step_text", "step_screenshot")
AT_LEAST = {
    "ratio.reset_text": 8.0,
    "ratio.reset_screenshot": 5.0,
    "ratio.step_text": 9.0,
    "ratio.step_screenshot": 6.0,
    "ratio.reset_default": 15.0,
    "steps_per_s_2": 10.0,
    "steps_per_s": 2000.0,
    "resets_per_s": 1000.0,
}
WIDTHS = (17, 20, 17, 21, 19)
AT_MOST = {**{f"over_floor.{name}": 1.3 for name in MEASURES}, "pss_mib_per_env_4": 150.0}


def browsers(arguments: argparse.Namespace) -> dict[str, object]:
    """Measure in browsers; return what ``--json`` prints, and print a table unless it is asked for."""
    binary, full = str(arguments.binary or find_chromium()), str(find_chromium(headless=False))
    taken = tours(arguments.clicks)
    subjects: dict[str, Remote] = {}
    try:
        for mode, observe, format_ in (
            ("text", (), ""),
            ("screenshot", ("screenshot",), EnvConfig().screenshot_format),
        ):
            subjects[f"ours {mode}"] = Remote(Ours, binary=binary, observe=observe)
            subjects[f"floor {mode}"] = Remote(Floor, binary=binary, screenshot=format_)
        subjects["stock"] = Remote(Stock, binary=binary)
        subjects["ours default"] = Remote(Ours)
        subjects["stock default"] = Remote(Stock, binary=full)
        times = in_turn(
            subjects,
            taken,
            arguments.repeats,
            only_reset={"ours default", "stock default"},
            at_once={"ours text", "ours screenshot"},
        )
    finally:
        for remote in subjects.values():
            remote.close()
    rows = compared(times)
    many = tours(3)
    found: dict[str, object] = {
        "ratio": {row.name: row.ratio.median for row in rows if not row.is_at_once},
        "over_floor": {row.name: row.over.median for row in rows if row.over is not None and not row.is_at_once},
        "ratio_at_once": {row.name: row.ratio.median for row in rows if row.is_at_once},
        "over_floor_at_once": {row.name: row.over.median for row in rows if row.over is not None and row.is_at_once},
        "steps_per_s_2": steps_per_second(binary, many, arguments.episodes),
        "pss_mib_per_env_4": memory_per_env(binary, many, 4),
    }
    if not arguments.json:
        print(f"{browser_version(Path(binary))} ({Path(binary).name}); stock's default: {Path(full).name}")
        table(rows)
        print(f"2 environments at once, with screenshots: {found['steps_per_s_2']:.1f} steps/s")
        print(f"4 environments in one process, with screenshots: {found['pss_mib_per_env_4']:.0f} MiB of PSS each")
    return found


@dataclass(frozen=True)
class Row:
    """One measure: our times, stock's and the floor's, and how they compare pair by pair."""

    name: str
    ours: list[float]
    stock: list[float]
    floor: list[float]
    is_at_once: bool = False

    @property
    def ratio(self) -> Spread:
        return ratios(self.stock, self.ours)

    @property
    def over(self) -> Spread | None:
        return ratios(self.ours, self.floor) if self.floor else None


def compared(times: Mapping[str, Times]) -> list[Row]:
    reset, again = times["reset"], times["again"]
    split = [(name, *name.split("_")) for name in MEASURES]
    return [
        *(
            Row(name, times[kind][f"ours {mode}"], times[kind]["stock"], times[kind][f"floor {mode}"])
            for name, kind, mode in split
        ),
        Row("reset_default", reset["ours default"], reset["stock default"], []),
        *(
            Row(name, again[f"ours {mode}"], reset["stock"], reset[f"floor {mode}"], is_at_once=True)
            for name, kind, mode in split
            if kind == "reset"
        ),
    ]


def table(rows: Sequence[Row]) -> None:
    """Print medians and quartiles."""
    print(f"{'':<26}{'ours ms':>17}{'stock ms':>20}{'floor ms':>17}{'stock / ours':>21}{'ours / floor':>19}")
    for row in rows:
        name = f"{row.name} at once" if row.is_at_once else row.name
        floor, over = (milliseconds(row.floor), row.over.shown(2)) if row.over is not None else ("", "")
        cells = [milliseconds(row.ours), milliseconds(row.stock), floor, row.ratio.shown(1), over]
        print(f"{name:<26}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True)))


def milliseconds(seconds: list[float]) -> str:
    return Spread.of([1000 * each for each in seconds]).shown(0)


def text(arguments: argparse.Namespace) -> dict[str, object]:
    """Measure the text backend; return what ``--json`` prints, and print a table unless it is asked for."""
    found = rates(arguments.repeats)
    if not arguments.json:
        print(f"{'':<18}{'steps/s':>22}{'resets/s':>22}{'resets + commits/s':>22}")
        for way, by in found.items():
            print(f"{way:<18}" + "".join(f"{by[what].shown(0):>22}" for what in ("steps", "resets", "commits")))
    figures = {f"{what}_per_s": spread.median for what, spread in found["trainer"].items()}
    return {**figures, "ways": {way: {what: s.median for what, s in by.items()} for way, by in found.items()}}


def missed(found: Mapping[str, object]) -> list[str]:
    """Return a sentence for every bound that the figures miss."""
    flat: dict[str, float] = {}
    for name, value in found.items():
        flat |= {f"{name}.{key}": inner for key, inner in value.items()} if isinstance(value, dict) else {name: value}
    low = [(name, "least", bound) for name, bound in AT_LEAST.items() if flat.get(name, bound) < bound]
    high = [(name, "most", bound) for name, bound in AT_MOST.items() if flat.get(name, bound) > bound]
    return [f"{name} is {flat[name]:.2f} and should be at {side} {bound:g}" for name, side, bound in low + high]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", action="store_true", help="the text backend instead of browsers")
    parser.add_argument("--repeats", type=int, default=20, help="repetitions; each opens one site everywhere")
    parser.add_argument("--clicks", type=int, default=2, help="steps of a repetition")
    parser.add_argument("--episodes", type=int, default=6, help="episodes of either environment for steps a second")
    parser.add_argument("--binary", type=Path, help="the browser that all but the defaults use (default: ours)")
    parser.add_argument("--check", action="store_true", help="end with 1 if a bound is missed")
    parser.add_argument("--json", action="store_true", help="print the medians as JSON and nothing else")
    arguments = parser.parse_args()
    if not arguments.json:
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    found = text(arguments) if arguments.text else browsers(arguments)
    if arguments.json:
        print(json.dumps(found, indent=1))
    problems = missed(found)
    for problem in problems:
        print(f"missed: {problem}", file=sys.stderr)
    if arguments.check and problems:
        sys.exit(1)


if __name__ == "__main__":
    main()
