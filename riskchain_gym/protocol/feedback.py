"""How the environment words what a browse action came to, and how an agent reads the words again."""

from __future__ import annotations

from riskchain_gym.protocol.action import ActionErrorKind, ActionResult, ActionStatus

CHANGED = "done, the page changed"
UNCHANGED = "done, nothing on the page changed"

ERRORS: dict[ActionErrorKind, str] = {
    ActionErrorKind.ELEMENT_INTERCEPTED: "something else on the page covers the element",
    ActionErrorKind.ELEMENT_NOT_VISIBLE: "the element is not visible",
    ActionErrorKind.ACTION_TIMEOUT: "the page did not answer in time",
    ActionErrorKind.ELEMENT_DETACHED: "the element left the page meanwhile",
    ActionErrorKind.EXECUTION_ERROR: "the page could not carry it out",
    ActionErrorKind.ELEMENT_DISABLED: "the element is disabled; something may have to be done first",
    ActionErrorKind.BLOCKED_NAVIGATION: "it leads out of the site and was blocked",
    ActionErrorKind.NO_HISTORY: "there is no earlier page to go back to",
}
"""Why an action could not be carried out, in words."""

_RESULTS: dict[str, ActionResult] = {
    CHANGED: ActionResult(status=ActionStatus.EXECUTED),
    UNCHANGED: ActionResult(status=ActionStatus.NO_STATE_CHANGE),
    **{words: ActionResult(status=ActionStatus.ERROR, error=kind) for kind, words in ERRORS.items()},
}


def sentence(result: ActionResult) -> str:
    """Return the words for what an action came to that was carried out or failed on the page."""
    return next(words for words, each in _RESULTS.items() if each == result)


def result_of(feedback: str) -> ActionResult | None:
    """Return what a feedback says that the last action came to; ``None`` if it speaks of no such thing.

    The feedback may quote the name of an element, and pages choose names: the words that come last count.

    Args:
        feedback: The observation's ``feedback``.
    """
    found = max(_RESULTS, key=lambda words: feedback.rfind(f": {words}."))
    return _RESULTS[found] if f": {found}." in feedback else None
