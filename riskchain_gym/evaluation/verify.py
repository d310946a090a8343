"""The integrity of a run folder: every file of it checked against the hashes that it, or another, carries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from riskchain_gym.evaluation.calls import CALLS, CallLog
from riskchain_gym.evaluation.incidents import INCIDENTS, IncidentLog
from riskchain_gym.evaluation.records import EpisodeRecord
from riskchain_gym.evaluation.score import check_split, load_scores, score
from riskchain_gym.evaluation.store import MANIFEST, MEDIA, RESTORATIONS, SCORES, SEAL, SHARD, RunFolder
from riskchain_gym.evaluation.verify_replies import CheckedReplies, check_replies
from riskchain_gym.llm.failures import OF_THE_MODEL, CallFailure
from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.protocol.line_file import LineFile
from riskchain_gym.protocol.model import Frozen, canonical_json
from riskchain_gym.scoring.validator import validate

CheckStatus = Literal["ok", "problem", "not_checked"]

_RESTORE = "Put the folder back from a copy, or run the same command in a new folder."
_RESCORE = "Score the run again with `riskchain score`."
_NO_SPLIT = "the split is not on this machine"
_KEPT = OF_THE_MODEL - {CallFailure.REFUSED}
"""Failures whose answer is kept for sure; a filter may refuse in the place of the model, which is not kept."""


class Problem(Frozen):
    """One thing that is not as it was written.

    Attributes:
        file: The file, relative to the run folder.
        place: Where in it, e.g. ``line 3``; ``""`` for the file as a whole.
        what: What is wrong.
        remedy: What to do.
    """

    file: str
    place: str = ""
    what: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.file}: {self.place}" if self.place else self.file
        return f"{where}: {self.what}. {self.remedy}"


class Check(Frozen):
    """What came of one check.

    Attributes:
        name: What was checked.
        status: ``ok``; ``problem``; or ``not_checked``, where there is nothing to check or no means to.
        said: What was found, or why nothing was checked, in a few words.
        problems: Everything that is wrong; empty but for ``problem``.
    """

    name: str
    status: CheckStatus
    said: str = ""
    problems: tuple[Problem, ...] = ()


class Verification(Frozen):
    """What came of all checks of one run folder.

    Attributes:
        path: The folder, as it was given.
        run: Identity of the run, ``""`` where ``run.json`` cannot be read.
        checks: The checks, in the order they are made in.
    """

    schema_version: Literal["riskchain-verification/v1"] = "riskchain-verification/v1"
    path: str
    run: str = ""
    checks: tuple[Check, ...]

    @property
    def intact(self) -> bool:
        """Whether no check has found a problem."""
        return all(check.status != "problem" for check in self.checks)


@dataclass
class _Read:
    """What reading the episodes and restorations of a run has shown."""

    problems: list[Problem] = field(default_factory=list)
    steps: list[Problem] = field(default_factory=list)
    media: dict[str, str] = field(default_factory=dict)
    count: int = 0


def verify_run(path: Path, *, rescore: bool = False) -> Verification:
    """Check a run folder; nothing in it is changed.

    Args:
        path: The folder.
        rescore: Whether to score the episodes again, too, and compare ``scores.json`` byte for byte.
    """
    try:
        run = RunFolder.open(path)
    except InputFileError as error:
        return Verification(path=str(path), checks=(_found("manifest", [_problem(path, error)]),))
    episodes = _read(run, SHARD, run.records)
    restorations = _read(run, RESTORATIONS, run.restorations)
    readable = not (episodes.problems or restorations.problems)
    named = {**restorations.media, **episodes.media}
    replies = check_replies(path, _kept_calls(path))
    return Verification(
        path=str(path),
        run=run.identity,
        checks=(
            Check(name="manifest", status="ok", said=f"{run.manifest.agent} on {run.manifest.split}"),
            _split(run),
            _found("episodes", episodes.problems, _count(run, episodes.count, len(run.manifest.chains))),
            _restorations(run, restorations),
            _found("steps", [*episodes.steps, *restorations.steps], "every action, page and citation is as hashed")
            if readable
            else _unread("steps"),
            _media(run, named) if readable else _unread("media"),
            _seal(run) if readable else _unread("seal"),
            _incidents(run),
            _calls(run),
            _replies(replies),
            _scores(run, rescore=rescore) if readable else _unread("scores"),
        ),
    )


def _read(run: RunFolder, name: str, records: Callable[[], Iterator[EpisodeRecord]]) -> _Read:
    """Read one file of episodes: the chain of hashes, the very bytes, and what each episode says of itself."""
    read = _Read()
    rules = run.manifest.environment
    lines = LineFile(run.path / name).lines()
    try:
        for number, record in enumerate(records(), 1):
            read.count = number
            trajectory = record.trajectory
            # What is read from a line may be right where its bytes are not: a number has several spellings.
            if next(lines) != canonical_json(record).encode() + b"\n":
                what = "is not spelled as it was written, though it reads the same"
                read.problems.append(Problem(file=name, place=f"line {number}", what=what, remedy=_RESTORE))
            found = validate(trajectory, max_steps=rules.max_steps, strikes=rules.strikes)
            place = f"line {number} ({trajectory.chain_id})"
            read.steps += [Problem(file=name, place=place, what=said, remedy=_RESTORE) for said in found.problems]
            seen = trajectory.browse_steps()
            for step, file in record.media.items():
                read.media.setdefault(file, f"{name}: {place}")
                if int(step) not in seen:
                    what = f"has a screenshot of browse step {step}, which no page was seen at"
                    read.steps.append(Problem(file=name, place=place, what=what, remedy=_RESTORE))
    except InputFileError as error:
        read.problems.append(_problem(run.path, error))
    return read


def _count(run: RunFolder, there: int, planned: int) -> str:
    torn = "; a line was never finished, its episode is run again" if run.torn else ""
    return f"{there} of {planned}, the chain of hashes is whole{torn}"


def _restorations(run: RunFolder, read: _Read) -> Check:
    planned = len(run.manifest.chains) * len(run.manifest.restored)
    if not planned and not read.count and not read.problems:
        return Check(name="restorations", status="not_checked", said="none were planned")
    return _found("restorations", read.problems, _count(run, read.count, planned))


def _split(run: RunFolder) -> Check:
    try:
        check_split(run)
    except UnknownNameError:
        return Check(name="split", status="not_checked", said=f"{_NO_SPLIT}: {run.manifest.split}")
    except InputFileError as error:
        remedy = "The episodes may be whole: only scoring needs the split that they were made on."
        return _found("split", [_problem(run.path, error, remedy)])
    return Check(name="split", status="ok", said=f"{run.manifest.split} here is the one that was run")


def _media(run: RunFolder, named: dict[str, str]) -> Check:
    problems: list[Problem] = []
    for file, place in named.items():
        try:
            there = run.media(file) is not None
        except InputFileError as error:
            problems.append(_problem(run.path, error))
            continue
        if not there:
            what = f"is not there, and {place} shows it"
            problems.append(Problem(file=f"{MEDIA}/{file}", what=what, remedy=_RESTORE))
    further = 0
    folder = run.path / MEDIA
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name in named:
            continue
        # An attempt that was broken off leaves screenshots behind, whole or, with a dot before the name, half written.
        if path.name.startswith(".") or _is_screenshot(run, path):
            further += 1
            continue
        remedy = "Remove it."
        problems.append(Problem(file=f"{MEDIA}/{path.name}", what="belongs to no episode", remedy=remedy))
    if not named and not further and not problems:
        return Check(name="media", status="not_checked", said="the run took no screenshots")
    more = f"; {further} more of attempts that were broken off" if further else ""
    return _found("media", problems, f"{len(named)} screenshots are there, named by their bytes{more}")


def _is_screenshot(run: RunFolder, path: Path) -> bool:
    try:
        return path.is_file() and run.media(path.name) is not None
    except (InputFileError, OSError):
        return False


def _seal(run: RunFolder) -> Check:
    try:
        seal = run.seal
    except InputFileError as error:
        return _found("seal", [_problem(run.path, error)])
    if seal is None:
        said = "there is none: the same command freezes the run" if run.complete else "there is none: the run goes on"
        return Check(name="seal", status="not_checked", said=said)
    found = run.found()
    if (run.path / SEAL).read_bytes() == found.encoded():
        return Check(name="seal", status="ok", said=f"{seal.last[:12]}…, {seal.episodes} episodes")
    differing = [name for name in type(seal).model_fields if getattr(seal, name) != getattr(found, name)]
    said = ", ".join(f"{name} is {getattr(found, name)}, frozen was {getattr(seal, name)}" for name in differing)
    what = f"does not fit what is in the folder: {said or 'its bytes were changed'}"
    return _found("seal", [Problem(file=SEAL, place=", ".join(differing), what=what, remedy=_RESTORE)])


def _incidents(run: RunFolder) -> Check:
    if not (run.path / INCIDENTS).exists():
        return Check(name="incidents", status="not_checked", said="none were written down")
    count, problems = 0, list[Problem]()
    try:
        for count, entry in enumerate(IncidentLog(run.path).entries(), 1):
            problems += _unplanned(run, INCIDENTS, count, entry.chain_id, entry.variant)
    except InputFileError as error:
        problems.append(_problem(run.path, error))
    return _found("incidents", problems, f"{count} are written down")


def _calls(run: RunFolder) -> Check:
    if not (run.path / CALLS).exists():
        return Check(name="calls", status="not_checked", said="no model was asked")
    count, problems = 0, list[Problem]()
    try:
        for number, entry in enumerate(CallLog(run.path).entries(), 1):
            count += len(entry.calls)
            problems += _unplanned(run, CALLS, number, entry.chain_id, entry.variant)
    except InputFileError as error:
        problems.append(_problem(run.path, error))
    return _found("calls", problems, f"{count} are written down")


def _unplanned(run: RunFolder, file: str, number: int, chain: str, variant: str) -> list[Problem]:
    """Return what is wrong with a line that tells of no episode or restoration of the run."""
    manifest = run.manifest
    if chain in manifest.chains and variant in ("", *manifest.restored):
        return []
    named = f"chain '{chain}'" if not variant else f"variant '{variant}' of chain '{chain}'"
    what = f"{named} is not planned in {MANIFEST}"
    return [Problem(file=file, place=f"line {number}", what=what, remedy="Remove the line, no result rests on it.")]


def _kept_calls(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and the answer's hash of every call whose answer is kept, as far as the calls can be read."""
    try:
        for number, entry in enumerate(CallLog(path).entries(), 1):
            for call in entry.calls:
                if call.reply_sha256 and (call.failure is None or call.failure in _KEPT):
                    yield f"line {number} ({entry.chain_id})", call.reply_sha256
    except InputFileError:
        return  # the check of the calls tells


def _replies(found: CheckedReplies) -> Check:
    if found.absent:
        return Check(name="replies", status="not_checked", said=found.absent)
    problems = [Problem(file=file, place=place, what=what, remedy=remedy) for file, place, what, remedy in found.faults]
    return _found("replies", problems, f"{found.count} answers match their hashes, and every call has its answer")


def _scores(run: RunFolder, *, rescore: bool) -> Check:
    if not (run.path / SCORES).exists():
        return Check(name="scores", status="not_checked", said="the run was not scored")
    try:
        load_scores(run)
        if rescore and (run.path / SCORES).read_bytes() != score(run).encoded():
            what = "is not what scoring gives now"
            return _found("scores", [Problem(file=SCORES, what=what, remedy=_RESCORE)])
    except UnknownNameError:
        return Check(name="scores", status="not_checked", said=f"{_NO_SPLIT}: {run.manifest.split}")
    except InputFileError as error:
        return _found("scores", [_problem(run.path, error, _RESCORE)])
    said = "byte for byte what scoring gives" if rescore else "of this run; --rescore compares every figure"
    return Check(name="scores", status="ok", said=said)


def _found(name: str, problems: list[Problem], said: str = "") -> Check:
    if problems:
        return Check(name=name, status="problem", said=f"{len(problems)} found", problems=tuple(problems))
    return Check(name=name, status="ok", said=said)


def _unread(name: str) -> Check:
    return Check(name=name, status="not_checked", said="the episodes cannot be trusted, see above")


def _problem(run: Path, error: InputFileError, remedy: str = _RESTORE) -> Problem:
    file = error.path.relative_to(run) if error.path.is_relative_to(run) else error.path
    return Problem(file=str(file), place=error.field, what=error.problem.rstrip("."), remedy=remedy)
