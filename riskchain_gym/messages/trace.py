"""Reversible traces: apply a stage, take it back, and align the disguised text with the canonical one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.gold import Stage, Trace


class TraceError(RiskChainError, ValueError):
    """A trace and a text that do not belong together."""


def apply(text: str, stage: Stage) -> str:
    """Return the text after a stage.

    Args:
        text: The stage's input.
        stage: Edits left to right, not overlapping; insertions at one place keep their order.

    Raises:
        TraceError: An edit overlaps the one before it or does not find its ``before`` text.
    """
    out: list[str] = []
    done = 0
    for edit in stage.edits:
        if edit.start < done or not text.startswith(edit.before, edit.start):
            raise TraceError(
                f"Stage '{stage.name}' does not fit: no {edit.before!r} free at offset {edit.start}; "
                "give the text that this stage was written for."
            )
        out += (text[done : edit.start], edit.after)
        done = edit.start + len(edit.before)
    out.append(text[done:])
    return "".join(out)


def undo(text: str, stage: Stage) -> str:
    """Return the text before a stage: the inverse of :func:`apply`.

    Raises:
        TraceError: An edit does not find its ``after`` text.
    """
    out: list[str] = []
    done = 0
    shift = 0
    for edit in stage.edits:
        start = edit.start + shift
        if start < done or not text.startswith(edit.after, start):
            raise TraceError(
                f"Stage '{stage.name}' cannot be taken back: no {edit.after!r} at offset {start}; "
                "give the text that this stage produced."
            )
        out += (text[done:start], edit.before)
        done = start + len(edit.after)
        shift += len(edit.after) - len(edit.before)
    out.append(text[done:])
    return "".join(out)


def reverse(text: str, trace: Trace, message_id: str = "m001") -> str:
    """Return the canonical text of a disguised message, exactly.

    Args:
        text: The disguised content.
        trace: The trace of its recipe.
        message_id: Which message of the session it is.

    Raises:
        TraceError: The trace has no such message or was not written for this text.
    """
    if message_id not in trace.stages:
        raise TraceError(f"The trace has no message '{message_id}': choose one of {', '.join(trace.stages)}.")
    for stage in reversed(trace.stages[message_id]):
        text = undo(text, stage)
    return text


class Operation(StrEnum):
    """What restoring does with one character of the disguised text."""

    KEEP = "keep"
    DROP = "drop"
    MAP = "map"


class Aligned(NamedTuple):
    """One character of the disguised text and the canonical text it stands for (``""`` when dropped)."""

    character: str
    operation: Operation
    target: str


def alignment(canonical: str, stages: Sequence[Stage]) -> tuple[Aligned, ...]:
    """Return the restoring operation of every character of the disguised text, for supervised learning.

    The targets joined are the canonical text. A replacement of equal length is aligned character by character;
    otherwise its first character stands for all of it and the others are dropped. Text that was removed is carried
    by the character after it (at the very end, before it).

    Args:
        canonical: The text the stages started from.
        stages: All stages of the message, in order.

    Raises:
        TraceError: The stages were not written for this text.
    """
    text = canonical
    targets = list(canonical)
    for stage in stages:
        after = apply(text, stage)
        targets = _carry(targets, stage)
        text = after
    return tuple(Aligned(c, _operation(c, t), t) for c, t in zip(text, targets, strict=True))


def _operation(character: str, target: str) -> Operation:
    if not target:
        return Operation.DROP
    return Operation.KEEP if target == character else Operation.MAP


def _carry(targets: list[str], stage: Stage) -> list[str]:
    out: list[str] = []
    done = 0
    removed = ""
    for edit in stage.edits:
        end = edit.start + len(edit.before)
        kept, sources = targets[done : edit.start], targets[edit.start : end]
        if len(edit.before) == len(edit.after):
            new = sources
        elif edit.after:
            new = ["".join(sources)] + [""] * (len(edit.after) - 1)
        else:
            new = []
        for target in kept + new:
            out.append(removed + target)
            removed = ""
        if not edit.after:
            removed += "".join(sources)
        done = end
    for target in targets[done:]:
        out.append(removed + target)
        removed = ""
    if removed and out:
        out[-1] += removed
    return out
