"""Reports from rows: the type is the agent's choice, the citations are drawn from what was shown by a neutral rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice

from riskchain_gym.envs.wrappers.entry_points import EntryPoint
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation, Region, Report

Reporter = Callable[[ViolationType, Mapping[int, ObservedPage]], Report]
"""Writes the report of a type from the pages that were shown, by browse step."""

CITED = 3
"""Lines that :func:`cite_rare_lines` cites at most."""

_QUOTE_LIMIT = 1000
_DECISIONS = {violation_type: decision for decision, violation_type in PSEUDO_TYPES.items()}


_WRITES = "a reporter takes a violation type and the pages shown by browse step, and returns Report (protocol.report)."


class CheckedReporter:
    """A reporter of somebody else's, held to what one is to return.

    Args:
        name: ``module:function``.

    Raises:
        ConfigError: There is no such function.
    """

    def __init__(self, name: str) -> None:
        self._entry_point = EntryPoint("reporter", name, _WRITES)

    def __call__(self, violation_type: ViolationType, pages: Mapping[int, ObservedPage]) -> Report:
        """Return the report of a type.

        Raises:
            ConfigError: The reporter raises or returns something else; the sentence names it.
        """
        report = self._entry_point.call(violation_type, pages)
        if not isinstance(report, Report):
            raise self._entry_point.fault(f"returned {type(report).__name__[:60]}")
        return report


def cite_rare_lines(violation_type: ViolationType, pages: Mapping[int, ObservedPage]) -> Report:
    """Return a valid report that cites what was shown of fewest pages, latest first.

    The rule knows nothing of types: a line counts by the number of page states that had it, then by how late it was
    shown first, then by where it stands. What stands on every page, such as navigation, comes last.

    Args:
        violation_type: What is reported; NONE and UNKNOWN stand for their decisions.
        pages: The pages that were shown, by browse step; at least the landing view.
    """
    decision = _DECISIONS.get(violation_type, Decision.VIOLATION)
    insufficient = decision is Decision.INSUFFICIENT_EVIDENCE
    return Report(
        environment_status=EnvironmentStatus.PARTIAL if insufficient else EnvironmentStatus.COMPLETE,
        decision=decision,
        primary_violation_type=violation_type,
        evidence=tuple(_rarest(pages)) or (_pointer(pages),),
        risk_reason="Chosen from all that was shown; the lines cited are those that stood on fewest pages.",
        confidence=3,
        evidence_sufficiency="INSUFFICIENT" if insufficient else "SUFFICIENT",
        note="It falls under the policy on other activities that are prohibited."
        if violation_type is ViolationType.OTHER_PROHIBITED_ACTIVITY
        else "",
    )


def _rarest(pages: Mapping[int, ObservedPage]) -> list[Citation]:
    states = {pages[step].state_hash(): step for step in sorted(pages, reverse=True)}
    stood: Counter[str] = Counter()
    first: dict[str, int] = {}
    for step in sorted(states.values(), reverse=True):
        lines = dict.fromkeys([line.text for line in pages[step].lines], step)
        stood.update(lines.keys())
        first.update(lines)
    # Pages were gone through from the latest to the first, so what stood on one page state only is in order already.
    rarest = list(islice((line for line in first if stood[line] == 1 and line.strip()), CITED))
    if len(rarest) < CITED:
        shown = [line for line in first if line.strip()]
        rarest = sorted(shown, key=lambda line: (stood[line], -first[line]))[:CITED]
    return [_quoting(first[line], line) for line in rarest]


def _quoting(step: int, line: str) -> Citation:
    return Citation(step=step, quote=line[:_QUOTE_LIMIT], anchor_type=AnchorType.VISIBLE_TEXT_OR_CLAIM)


def _pointer(pages: Mapping[int, ObservedPage]) -> Citation:
    """Return a citation of a site without a line: one of its elements, or else the corner of a page."""
    for step, page in pages.items():
        if page.elements:
            element_id = page.elements[0].element_id
            return Citation(step=step, element_id=element_id, anchor_type=AnchorType.OTHER_OBSERVED_EVIDENCE)
    corner = Region(x=0, y=0, width=1, height=1)
    return Citation(step=next(iter(pages)), region=corner, anchor_type=AnchorType.ENVIRONMENT_LIMITATION)
