"""The words for what went wrong in the environment, each in half a sentence, for whoever reads a table."""

from __future__ import annotations

from collections.abc import Iterable

from riskchain_gym.protocol.failures import FailureKind

EVENT_WORDS: dict[FailureKind, str] = {
    FailureKind.EMPTY_OBSERVATION: "a page with no text and no elements",
    FailureKind.MALFORMED_ACTION: "an action that could not be read or done, a strike",
    FailureKind.MISSING_TARGET: "there is no such element, a strike",
    FailureKind.STALE_TARGET: "the element is of another page, a strike",
    FailureKind.NO_EFFECT: "an action that changed nothing, no strike",
    FailureKind.LOOP: "the same action on the same page for the third time or more, no strike",
    FailureKind.GATE_NOT_PASSED: "a gate of the site kept evidence back",
    FailureKind.BLOCKED_NAVIGATION: "an action led out of the site",
    FailureKind.LOST_DIALOG: "a page asked something that nobody sees",
    FailureKind.LOST_TAB: "a page opened a window that nobody sees",
    FailureKind.LOST_DOWNLOAD: "a page gave a file that nobody sees",
    FailureKind.STEP_BUDGET: "the steps were spent",
    FailureKind.TIME_BUDGET: "the time was spent",
    FailureKind.EARLY_STOP: "stopped at the landing view",
    FailureKind.REFUSAL: "words that decline in place of an action, a strike",
    FailureKind.TRANSPORT: "the model could not be reached",
    FailureKind.INVALID_REPORT: "a report that could not be read, a strike",
    FailureKind.UNRESOLVABLE_CITATION: "a report cites what was not shown",
}
"""What each kind means; docs/observations.md says it at length."""


def explained(shown: Iterable[str]) -> str:
    """Return a footnote on the kinds that are shown, in the order of the protocol; ``""`` if there are none.

    Args:
        shown: Names of kinds; others are left out.
    """
    names = set(shown)
    told = [f"{kind}: {words}" for kind, words in EVENT_WORDS.items() if kind in names]
    return f"In the environment, recovered ones included: {'; '.join(told)}." if told else ""
