"""Checks of a content file as it was read, before it is taken for anything: its depth and what its texts hold."""

from __future__ import annotations

from typing import Any

from riskchain_gym.sites.unseen import unseen_in

DEEPEST = 40
"""Levels of mappings and lists inside one another, at most; eight panels inside one another fit."""

_NAMED = 4
"""Parts of the path that are told of a place that lies too deep."""


def raw_problem(data: Any) -> tuple[str, str] | None:
    """Return dotted field and fault of the first place that is wrong, or ``None``.

    Args:
        data: What a content file holds.
    """
    pending: list[tuple[tuple[str, ...], Any]] = [((), data)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, str):
            if unseen := unseen_in(value):
                return ".".join(path), f"the text has the character {unseen}, which nobody sees; remove it"
        elif isinstance(value, (dict, list)):
            if len(path) >= DEEPEST:
                return (
                    ".".join(path[:_NAMED]),
                    f"is nested more than {DEEPEST} levels deep; put fewer tabs and folds inside one another",
                )
            entries = list(value.items() if isinstance(value, dict) else enumerate(value))
            for key, _ in entries:
                if isinstance(key, str) and (unseen := unseen_in(key)):
                    return ".".join(path), f"a key has the character {unseen}, which nobody sees; remove it"
            pending += [((*path, str(key)), item) for key, item in reversed(entries)]
    return None
