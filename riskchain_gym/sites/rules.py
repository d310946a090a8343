"""Regular expressions of form checks: those that a long answer could keep busy for ever are refused."""

from __future__ import annotations

import re

LONGEST_INPUT = 500
"""Characters of a submitted field that a rule is tried on; a longer value matches no rule."""

_MOST_WAYS = LONGEST_INPUT**2
"""Ways in which the repetitions and branches of a rule may share out the longest input, at most."""

_TOKEN = re.compile(
    r"""(?P<escape>\\.)                      # an escaped character
    |(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])     # a character set
    |(?P<open>\((?:\?(?:[a-zA-Z]+\)|[a-zA-Z]*:|P<\w+>|[=!<>#(P]))?)
    |(?P<close>\))
    |(?P<repeat>[*+?]|\{(?P<low>\d*)(?P<comma>,?)(?P<high>\d*)\})
    |(?P<branch>\|)
    |(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
_PLAIN_GROUPS = re.compile(r"\((?:\?(?:[a-zA-Z]*:|P<\w+>))?")
_FLAGS = re.compile(r"\(\?[a-zA-Z]+\)")
_COMMENTS = re.compile(r"\(\?[a-zA-Z]*x[a-zA-Z]*[:)]")


def rule_problem(rule: str) -> str | None:
    """Return what is wrong with a regular expression, or ``None``.

    Besides what does not compile, a repetition of something that repeats or branches itself is refused, so are look-
    arounds, back references, the flag for comments, and repetitions and branches that could share out a long input in
    too many ways.
    """
    try:
        re.compile(rule)
    except (re.error, OverflowError, RecursionError) as error:
        return f"'{rule}' does not parse: {error}"
    return _slow(rule)


def _slow(rule: str) -> str | None:
    groups: list[bool] = [False]  # for each open group, whether it holds a repetition or a branch
    branches = [1]  # for each open group, how many branches it has so far
    varied = False  # whether what stands before the token holds one
    ways, after_repeat = 1, -1
    for token in _TOKEN.finditer(rule):
        text, before, varied = token.group(), varied, False
        if token["escape"] and text[1].isdigit():
            return f"'{rule}' refers back to a group, which can be very slow; write what it must be instead"
        if token["open"] and _COMMENTS.fullmatch(text):
            return f"'{rule}' has the flag x, whose comments hide what it does; write it without"
        if token["open"] and not _FLAGS.fullmatch(text):
            if not _PLAIN_GROUPS.fullmatch(text):
                return (
                    f"'{rule}' looks around or branches on a group, which can be very slow; write it without '{text}'"
                )
            groups.append(False)
            branches.append(1)
        elif token["close"]:
            varied = groups.pop()
            groups[-1] = groups[-1] or varied
            ways *= branches.pop()
        elif token["branch"]:
            groups[-1] = True
            branches[-1] += 1
        elif token["repeat"] and after_repeat != token.start():  # right behind one, '?' and '+' say how to repeat
            if before and text != "?":
                return f"'{rule}' repeats what repeats or branches itself, which can be very slow; write it flat"
            count = _lengths(token)
            groups[-1] = groups[-1] or count > 1
            ways, after_repeat = ways * count, token.end()
    if ways > _MOST_WAYS:
        return (
            f"'{rule}' has too many open-ended repetitions or branches and can be very slow; give repetitions upper "
            "ends, or use fewer"
        )
    return None


def _lengths(token: re.Match[str]) -> int:
    """Return how many numbers of rounds a repetition allows."""
    if token.group() == "?":
        return 2
    if token.group() in ("*", "+") or (token["comma"] and not token["high"]):
        return LONGEST_INPUT
    low = int(token["low"] or 0)
    return min(max(int(token["high"] or low) - low + 1, 1), LONGEST_INPUT)
