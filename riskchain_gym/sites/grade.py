"""How deep and how hard a site is, told from its certificate's path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from riskchain_gym.protocol.action import ActionKind
from riskchain_gym.protocol.gold import EvidenceAtom, PathStep, SiteGold
from riskchain_gym.sites.certify import shows
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.engine import destination
from riskchain_gym.sites.focus import places
from riskchain_gym.sites.moves import arrive
from riskchain_gym.sites.pageview import PageView
from riskchain_gym.sites.state import initial_state

Depth = Literal["D0", "D1", "D2", "D3"]
Difficulty = Literal["easy", "medium", "hard"]

GATE_EFFORT = 2
"""Actions that a gate on the way counts for, beside those it takes to pass it."""

_TYPING = frozenset({ActionKind.FILL, ActionKind.CHECK, ActionKind.SELECT})

EASY, MEDIUM = 7, 11
"""Most effort of an easy and of a medium site: about a third of the sites each."""


@dataclass(frozen=True)
class Grades:
    """What a site's gold says of its path, under the names it has there."""

    depth: Depth
    difficulty: Difficulty
    click_replay: bool


def grades_of(site: CompiledSite, gold: SiteGold, pages: Sequence[PageView]) -> Grades:
    """Return the grades of a site.

    Args:
        site: The site.
        gold: Its gold; its own grades are not read.
        pages: What taking its path shows: the landing page and the page after each action that shows one.
    """
    gated = len({page.path for page in pages} & set(gold.gate_pages))
    stateful = gold.track == "L3_STATEFUL"
    return Grades(
        depth=depth_of(site, gold.deciding_atoms(), gold.path, pages, gated=gated, stateful=stateful),
        difficulty=difficulty_of(gold.path, gated),
        click_replay=click_replay_of(site, pages[0]),
    )


def depth_of(
    site: CompiledSite,
    atoms: Sequence[EvidenceAtom],
    path: Sequence[PathStep],
    pages: Sequence[PageView],
    *,
    gated: int,
    stateful: bool,
) -> Depth:
    """Return how deep what decides lies: D0 landing view, D1 one action, D2 more, D3 stateful or gated.

    The navigation stands on every page, so actions are counted from the last entry of it that was followed: this is how
    far the deepest atom lies from the landing page, not how long it takes to see them all.

    Args:
        site: The site.
        atoms: What decides its label.
        path: A way that shows all of it.
        pages: The landing page and the page after each action that shows one.
        gated: Number of gates on that way.
        stateful: Whether the site keeps state; then a line that is only shown in some states is D3.
    """
    if not path:
        return "D0"
    conditional = any(spot.conditions for spot in places(site, atoms))
    if gated or (stateful and conditional):
        return "D3"
    return "D1" if _deepest(site, atoms, path, pages) <= 1 else "D2"


def _deepest(
    site: CompiledSite, atoms: Sequence[EvidenceAtom], path: Sequence[PathStep], pages: Sequence[PageView]
) -> int:
    entries = {entry.text for entry in site.nav}
    shown = iter(pages)
    landing = next(shown)
    left = [atom for atom in atoms if not shows(landing, atom)]
    deepest = actions = 0
    for step in path:
        actions = 1 if step.role == "link" and step.name in entries else actions + 1
        if step.action.action in _TYPING:
            continue
        page = next(shown)
        missing = [atom for atom in left if not shows(page, atom)]
        if len(missing) < len(left):
            deepest = max(deepest, actions)
        left = missing
    return deepest


def difficulty_of(path: Sequence[PathStep], gated: int) -> Difficulty:
    """Return how hard a site is, by its effort: one for each action, :data:`GATE_EFFORT` for each gate on the way."""
    effort = len(path) + GATE_EFFORT * gated
    return "easy" if effort <= EASY else "medium" if effort <= MEDIUM else "hard"


def click_replay_of(site: CompiledSite, landing: PageView) -> bool:
    """Return whether following some link of the landing page leads to another page."""
    state = arrive(site, initial_state(site), site.home)
    links = {n.control.href.partition("?")[0] for n in landing.controls() if n.control and n.control.role == "link"}
    return any(destination(site, state, path) != site.home for path in sorted(links & site.pages.keys()))
