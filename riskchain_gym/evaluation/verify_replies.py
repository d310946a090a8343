"""The answers that a run keeps, checked against their own hashes and against the calls that tell of them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from riskchain_gym.evaluation.calls import CALLS, REPLIES
from riskchain_gym.llm.cache import ReplyCache

_ASK_AGAIN = "Remove it: what is asked again is answered by the model again."
_RESTORE = "Put the folder back from a copy; no result rests on it, but it can no longer be shown what was answered."


@dataclass
class CheckedReplies:
    """What came of it.

    Attributes:
        count: Answers that match their hash.
        absent: Why nothing was checked, ``""`` where something was.
        faults: File, place, what is wrong and what to do, of each fault.
    """

    count: int = 0
    absent: str = ""
    faults: list[tuple[str, str, str, str]] = field(default_factory=list)


def check_replies(run: Path, calls: Iterable[tuple[str, str]]) -> CheckedReplies:
    """Check the answers in a run folder.

    Args:
        run: The run folder.
        calls: Place in the file of calls, and SHA-256 of the answer, of each call whose answer is kept.
    """
    found = CheckedReplies()
    folder = run / REPLIES
    if not folder.is_dir():
        told = next(iter(calls), None)
        found.absent = "no model was asked" if told is None else "the answers are in the folder that --cache named"
        return found
    cache = ReplyCache(folder)
    bodies: set[str] = set()
    # With a dot before its name, a file was half written when its process was killed.
    for path in sorted(each for each in folder.rglob("[!.]*") if each.is_file()):
        file = str(path.relative_to(run))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fault is told below
            body = cache.get(path.stem) if path == cache.path(path.stem) else None
        if body is None:
            found.faults.append((file, "", _fault(path), _ASK_AGAIN))
            continue
        bodies.add(sha256(body.encode("utf-8", "surrogatepass")).hexdigest())
        found.count += 1
    for place, reply in calls:
        if reply not in bodies:
            found.faults.append((CALLS, place, f"no file in {REPLIES}/ holds its answer {reply[:12]}…", _RESTORE))
    return found


def _fault(path: Path) -> str:
    try:
        json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return "is no answer that was kept here"
    return "does not match its own hash or name"
