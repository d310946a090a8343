"""From lines to findings: what each line seen on a site says, once per page and line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from riskchain_gym.agents.read.lexicon import Lexicon
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.codebook import Component, ViolationType


@dataclass(frozen=True)
class Finding:
    """One thing that one line says.

    Attributes:
        component: Claim, action, counter, benign or limitation.
        violation_type: The type of a claim, an action or a counter to one; ``NONE`` for the others.
        weight: Sum of the weights of the cues that say so.
        step: First step at which the line was shown on its page.
        path: Its page.
        line: The line, exactly as shown.
        position: Where it stands on the page, from 0.
        lasting: The line was still there when its page was last seen.
        about: The whole page speaks about such things (news, education, help).
    """

    component: Component
    violation_type: ViolationType
    weight: int
    step: int
    path: str
    line: str
    position: int
    lasting: bool
    about: bool


def find(sightings: Sequence[Sighting], lexicon: Lexicon) -> list[Finding]:
    """Return the findings of everything seen, in order of first appearance.

    Args:
        sightings: Pages in the order they were seen.
        lexicon: The cues.
    """
    last = {page.path: page for page in sightings}
    seen: set[tuple[str, str]] = set()
    findings: list[Finding] = []
    for page in sightings:
        about = _speaks_about(page, lexicon)
        for position, line in enumerate(page.lines):
            if not line.strip() or (page.path, line) in seen:
                continue
            seen.add((page.path, line))
            lasting = line in last[page.path].lines
            findings += [
                Finding(component, kind, weight, page.step, page.path, line, position, lasting, about)
                for component, kind, weight in _say(line, about, lexicon)
            ]
    return findings


def _speaks_about(page: Sighting, lexicon: Lexicon) -> bool:
    return any(word in page.title.lower() for word in lexicon.about_pages)


def _say(line: str, about: bool, lexicon: Lexicon) -> list[tuple[Component, ViolationType, int]]:
    folded = line.lower()
    warned = about or any(word in folded for word in lexicon.warnings)
    asserted: dict[tuple[ViolationType, Component], int] = {}
    denied: dict[ViolationType, int] = {}
    for typed in lexicon.typed:
        match = typed.cue.match(folded, lexicon.negators)
        if match == "asserted" and not warned:
            side = (typed.violation_type, typed.component)
            asserted[side] = asserted.get(side, 0) + typed.cue.weight
        elif match is not None:
            denied[typed.violation_type] = denied.get(typed.violation_type, 0) + typed.cue.weight
    said = [(component, kind, weight) for (kind, component), weight in asserted.items()]
    said += [(Component.COUNTER, kind, weight) for kind, weight in denied.items() if weight > 1]
    for component, cues in ((Component.BENIGN, lexicon.benign), (Component.LIMITATION, lexicon.limitation)):
        weight = sum(cue.weight for cue in cues if cue.match(folded, ()) is not None)
        if weight:
            said.append((component, ViolationType.NONE, weight))
    return said
