"""From lines to findings: what each line seen on a site says, once per page and line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riskchain_gym.agents.read.cues import Denial
from riskchain_gym.agents.read.lexicon import Lexicon
from riskchain_gym.agents.view import Sighting
from riskchain_gym.protocol.codebook import Component, ViolationType

Settled = frozenset[tuple[str, str]]
"""Paths and lines."""

QUOTING = Denial(negators=(), adjacent=())
"""What denies a limitation: quotation marks only, for most limitations are negations themselves."""

FRAME_PAGES = 3
"""Pages that a line must stand on before it counts as header or footer."""


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
    """

    component: Component
    violation_type: ViolationType
    weight: int
    step: int
    path: str
    line: str
    position: int


def find(sightings: Sequence[Sighting], lexicon: Lexicon, settled: Settled = frozenset()) -> list[Finding]:
    """Return the findings of everything seen, in order of first appearance.

    Args:
        sightings: Pages in the order they were seen.
        lexicon: The cues.
        settled: Path and line of what stood in the way and was overcome; it limits nothing.
    """
    last = {page.path: page for page in sightings}
    frame = _frame(last)
    seen: set[tuple[str, str]] = set()
    findings: list[Finding] = []
    for page in sightings:
        about = _speaks_about(page, lexicon)
        for position, line in enumerate(page.lines):
            if not line.strip() or line in frame or (page.path, line) in seen:
                continue
            seen.add((page.path, line))
            findings += [
                Finding(component, kind, weight, page.step, page.path, line, position)
                for component, kind, weight in _say(line, _is_label(line, page), about, lexicon)
                if component is not Component.LIMITATION or (page.path, line) not in settled
            ]
    return findings


def _frame(pages: Mapping[str, Sighting]) -> frozenset[str]:
    """Return the lines that stand on most pages: header and footer, which say nothing of any one of them."""
    count = Counter(line for page in pages.values() for line in dict.fromkeys(page.lines))
    return frozenset(line for line, n in count.items() if n >= FRAME_PAGES and 2 * n > len(pages))


def _speaks_about(page: Sighting, lexicon: Lexicon) -> bool:
    return any(word in lexicon.fold(page.title) for word in lexicon.about_pages)


def _is_label(line: str, page: Sighting) -> bool:
    """Return whether a line is the wording of a link, a button or the page's title: it names, it states nothing."""
    return page.title.startswith(line) or any(e.name == line and e.capabilities.click for e in page.elements)


def _say(line: str, label: bool, about: bool, lexicon: Lexicon) -> list[tuple[Component, ViolationType, int]]:
    folded = lexicon.fold(line)
    warned = about or any(cue.match(folded) for cue in lexicon.warnings)
    asserted: Counter[tuple[ViolationType, Component]] = Counter()
    denied: Counter[ViolationType] = Counter()
    for typed in lexicon.typed:
        match = typed.cue.match(folded, lexicon.denial)
        if match == "asserted" and not warned:
            asserted[typed.violation_type, typed.component] += typed.cue.weight
        elif match is not None:
            denied[typed.violation_type] += typed.cue.weight
    if label:
        return [(component, kind, 1) for kind, component in asserted]
    benign = sum(cue.weight for cue in lexicon.benign if cue.match(folded))
    limits = 0 if warned else sum(c.weight for c in lexicon.limitation if c.match(folded, QUOTING) == "asserted")
    if limits > max(asserted.values(), default=limits):
        asserted.clear()
    said = [(component, kind, weight) for (kind, component), weight in asserted.items()]
    meant = {kind for kind, _ in asserted}
    said += [(Component.COUNTER, kind, w) for kind, w in denied.items() if w > 1 and kind not in meant]
    said += [(Component.BENIGN, ViolationType.NONE, benign)] if benign else []
    return said + ([(Component.LIMITATION, ViolationType.NONE, limits)] if limits else [])
