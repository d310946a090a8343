"""Building the message splits: every row in memory, then every file, the manifest last."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from riskchain_gym.messages.alignment import AlignmentRow
from riskchain_gym.messages.drafts import Unit, split_key, unique_drafts
from riskchain_gym.messages.folder import remove_stale
from riskchain_gym.messages.plan import Draft
from riskchain_gym.messages.plans import PLANS, TRAIN_SESSIONS, get_plan
from riskchain_gym.messages.recipes import get_recipe
from riskchain_gym.messages.rows import (
    ALIGNMENT,
    GOLD,
    INPUTS,
    MANIFEST,
    GoldRow,
    InputRow,
    MessagesManifest,
    SplitFiles,
)
from riskchain_gym.messages.session import Session
from riskchain_gym.messages.splits import write_unit
from riskchain_gym.messages.trace import alignment
from riskchain_gym.messages.versions import versions
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.keyed import keyed_id
from riskchain_gym.protocol.model import canonical_json, sha256_of


@dataclass(frozen=True)
class BuiltSplit:
    """The rows of one split, sorted by sample id; ids are keyed, so the order says nothing.

    Attributes:
        name: Name of the split.
        pool: Where its skeletons, word pairs and codes come from.
        sessions: Number of sessions.
        inputs: The model-visible rows.
        gold: The evaluator-only rows, one an input row.
        alignment: The alignment rows, one a message of an input row.
    """

    name: str
    pool: str
    sessions: int
    inputs: tuple[InputRow, ...]
    gold: tuple[GoldRow, ...]
    alignment: tuple[AlignmentRow, ...]


Row = tuple[InputRow, GoldRow, tuple[AlignmentRow, ...]]


def session_counts(train_sessions: int = TRAIN_SESSIONS, splits: Collection[str] | None = None) -> dict[str, int]:
    """Return how many sessions a build writes into each split.

    Args:
        train_sessions: Number of training sessions.
        splits: Names of the splits; all by default.

    Raises:
        UnknownNameError: A name is no split.
    """
    wanted = set(PLANS) if splits is None else {get_plan(name).name for name in splits}
    counts = {name: plan.sessions for name, plan in PLANS.items() if name in wanted}
    return counts | ({"train": train_sessions} if "train" in counts else {})


def build_messages(
    key: bytes,
    *,
    train_sessions: int = TRAIN_SESSIONS,
    splits: Collection[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[BuiltSplit, ...]:
    """Build message splits: the same values for the same arguments, and each split the same whichever are named.

    Args:
        key: Key of the whole set: that of a public seed, or a secret.
        train_sessions: Number of training sessions.
        splits: Names of the splits to build; all by default.
        progress: Called with the number of sessions built so far.

    Returns:
        The splits, in the order of :data:`riskchain_gym.messages.plans.PLANS`.

    Raises:
        UnknownNameError: A name is no split.
        ConfigError: The bank or the registry lacks what a split needs.
    """
    done = 0

    def built(name: str, units: Sequence[Unit]) -> BuiltSplit:
        nonlocal done
        plan = get_plan(name)
        rows: list[Row] = []
        for number, unit in enumerate(units):
            for half, (draft, session) in enumerate(zip(unit, write_unit(plan, key, unit), strict=True)):
                session_id = keyed_id(split_key(key, name), "session", str(number * plan.unit + half))
                rows += (_row(session_id, variant, draft, session) for variant in session.variants)
            done += len(unit)
            if progress is not None:
                progress(done)
        rows.sort(key=lambda row: row[0].sample_id)
        return BuiltSplit(
            name=name,
            pool=plan.pool,
            sessions=len(units) * plan.unit,
            inputs=tuple(row for row, _, _ in rows),
            gold=tuple(row for _, row, _ in rows),
            alignment=tuple(aligned for _, _, found in rows for aligned in found),
        )

    drafts = unique_drafts(key, session_counts(train_sessions, splits))
    return tuple(built(name, units) for name, units in drafts.items())


def _row(session_id: str, variant: str, draft: Draft, session: Session) -> Row:
    gold = GoldRow.of(
        session_id,
        variant,
        session.gold,
        severity=get_recipe(session.recipes[variant]).severity,
        pair=draft.pair,
        attribute=draft.attribute,
    )
    stages = session.gold.traces[variant].stages
    aligned = tuple(
        AlignmentRow.of(gold.sample_id, message.message_id, alignment(message.text, stages[message.message_id]))
        for message in session.gold.messages
    )
    return InputRow.of(gold.sample_id, session.variants[variant]), gold, aligned


def write_messages(folder: Path, splits: Sequence[BuiltSplit], *, seed: int | None) -> MessagesManifest:
    """Write splits: a folder each, every file atomically, the manifest last.

    Files of an earlier build that the new one does not have are removed after that. Gold and alignment of a sealed
    build are for its owner's eyes only.

    Args:
        folder: Folder to write into; made if missing.
        splits: What :func:`build_messages` returned.
        seed: The public seed they were built from, or ``None`` for a secret key.

    Raises:
        OSError: A file cannot be written.
    """
    described: dict[str, SplitFiles] = {}
    for split in splits:
        files = {
            INPUTS: _lines(split.inputs),
            GOLD: _lines(split.gold),
            ALIGNMENT: _lines(split.alignment),
        }
        for name, data in files.items():
            write_atomically(folder / split.name / name, data, private=seed is None and name != INPUTS)
        described[split.name] = SplitFiles(
            pool=split.pool,
            sessions=split.sessions,
            messages=len(split.alignment),
            sha256={name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        )
    manifest = MessagesManifest(
        origin="sealed" if seed is None else "open", seed=seed, versions=versions(), splits=described
    )
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")
    remove_stale(folder, manifest)
    return manifest


def content_sha256(manifest: MessagesManifest) -> str:
    """Return the one hash of everything a build wrote; versions are no part of it."""
    return sha256_of(manifest.model_dump(mode="json", include={"splits"}))


def _lines(rows: Sequence[InputRow | GoldRow | AlignmentRow]) -> bytes:
    return "".join(f"{canonical_json(row)}\n" for row in rows).encode()
