"""Freezing: the settled labels of a project, bound by hashes to the plan and to every answer given so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from riskchain_gym.benchmark.labels.answers import SiteAnswer
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.frozen import CitedBy, FrozenLabel, FrozenLabels, RawAnswer
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.labels.state import ItemState, states
from riskchain_gym.protocol.codebook import CODEBOOK_VERSION, AnchorType, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.gold import Depth

_STATUSES = tuple(EnvironmentStatus)
_MISSING = {
    "open": "without any pass",
    "passed": "without some of the passes, or with one that can still be taken back",
    "to_review": "waiting for a review",
    "to_adjudicate": "waiting for an adjudication",
}
"""What is missing of an item, by its status."""


def freeze_labels(
    plan: Plan,
    events: Sequence[Event],
    *,
    partial: bool = False,
    codebook: str = CODEBOOK_VERSION,
    depths: Mapping[str, Depth] | None = None,
    agreement: Mapping[str, Any] | None = None,
) -> FrozenLabels:
    """Freeze the settled labels of sites; nothing of when or where it is done is in them.

    Args:
        plan: The plan.
        events: All events of all logs, those of one worker in the order of the log.
        partial: Whether items without a settled label are left out; otherwise all must be settled.
        codebook: The codebook that the labels are to follow.
        depths: How far from the landing page the evidence of an answer lies, by the hash of its event.
        agreement: Figures of the agreement report, as JSON.

    Raises:
        ConfigError: Answers are simulated, the plan is of another codebook or of no sites, or nothing, or without
            ``partial`` not everything, is settled.
    """
    check_freezable(plan, codebook)
    found = states(plan, events)
    check_settled(found, partial=partial)
    settled = [state for state in found.values() if state.settled is not None]
    last = {worker.name: plan.sha256 for worker in plan.workers} | {event.worker: event.hash for event in events}
    labels = [_label(state, plan.digests.get(state.item_id, ""), depths or {}) for state in settled]
    return FrozenLabels(
        codebook_version=plan.codebook_version,
        source=plan.source,
        source_sha256=plan.source_sha256,
        plan_sha256=plan.sha256,
        logs=dict(sorted(last.items())),
        left_out=len(found) - len(settled),
        labels=tuple(sorted(labels, key=lambda label: label.item_id)),
        agreement=None if agreement is None else dict(agreement),
    ).sealed()


def check_freezable(plan: Plan, codebook: str = CODEBOOK_VERSION) -> None:
    """Refuse a project whose labels can never become gold, or not by this codebook.

    Raises:
        ConfigError: Answers are simulated, or the plan is of another codebook.
    """
    if simulated := [worker.name for worker in plan.workers if worker.simulated]:
        raise ConfigError(
            f"A program answers in place of {', '.join(simulated)}: simulated answers never become gold, "
            "let people label the items."
        )
    if plan.codebook_version != codebook:
        raise ConfigError(
            f"The labels follow the codebook {plan.codebook_version}, not {codebook}: to freeze them as labels of "
            f"that codebook, give --codebook {plan.codebook_version}."
        )


def check_settled(found: Mapping[str, ItemState], *, partial: bool) -> None:
    """Refuse to freeze a project in which nothing, or not everything that must be, is settled.

    Args:
        found: The state of every item.
        partial: Whether items without a settled label may be left out.

    Raises:
        ConfigError: Nothing is settled, or without ``partial`` something is not; the message counts by what is missing.
    """
    counts = Counter[str](state.status for state in found.values() if state.settled is None)
    left = counts.total()
    if not left or (partial and left < len(found)):
        return
    told = ", ".join(f"{counts[status]} {words}" for status, words in _MISSING.items() if counts[status])
    way = ", or freeze the others with --partial" if left < len(found) else ""
    raise ConfigError(f"{left} of {len(found)} items have no settled label ({told}): have them labelled{way}.")


def write_frozen(path: Path, frozen: FrozenLabels, *, replace: bool = False) -> None:
    """Write frozen labels; the same ones may be written again.

    Args:
        path: The file.
        frozen: The labels.
        replace: Whether other frozen labels there may be lost.

    Raises:
        InputFileError: The file holds something that is no frozen labels, or other ones that may not be lost.
        OSError: It cannot be written.
    """
    data = frozen.encoded()
    if path.exists() and (held := path.read_bytes()) != data:
        try:
            earlier = FrozenLabels.model_validate_json(held)
        except ValidationError as error:
            raise InputFileError(path, "", "holds something that is no frozen labels: give another file") from error
        if not replace:
            what = f"holds a freeze of {len(earlier.labels)} labels that differs ({earlier.content_sha256[:12]}…)"
            raise InputFileError(path, "", f"{what}: give another file, or --replace")
    write_atomically(path, data)


def _label(state: ItemState, site_sha256: str, depths: Mapping[str, Depth]) -> FrozenLabel:
    """Return the label of a settled item."""
    assert state.provenance is not None, "only settled items are frozen"
    passes = [state.passes[name] for name in sorted(state.passes)]
    deciding = [state.adjudication] if state.adjudication and state.provenance == "human+adjudicated" else passes
    answers = [_site(event) for event in deciding]
    first = answers[0]
    others = [event for event in (*passes, state.review) if event and _site(event).joint == first.joint]
    cited = _first(deciding, others, lambda answer: bool(answer.evidence))
    anchored = _first(deciding, others, lambda answer: bool(answer.evidence_anchor_types))
    anchors = {anchor for event in anchored for anchor in _site(event).evidence_anchor_types}
    return FrozenLabel(
        item_id=state.item_id,
        site_sha256=site_sha256,
        decision=first.decision,
        primary_violation_type=first.primary_violation_type,
        secondary_violation_types=tuple(
            kind for kind in ViolationType if all(kind in answer.secondary_violation_types for answer in answers)
        ),
        environment_status=_status([answer.environment_status for answer in answers]),
        evidence_anchor_types=tuple(anchor for anchor in AnchorType if anchor in anchors),
        provenance=state.provenance,
        depth=min((depths[event.hash] for event in cited if event.hash in depths), default=None),
        note=next((answer.note for answer in answers if answer.note.strip()), ""),
        cited=tuple(
            CitedBy(
                layer=event.layer,
                worker=event.worker,
                visit=event.visit,
                visit_sha256=event.visit_sha256,
                evidence=_site(event).evidence,
                counterevidence=_site(event).counterevidence,
            )
            for event in cited
        ),
        raw=_raw(state, passes),
    )


def _first(deciding: Sequence[Event], others: Sequence[Event], has: Callable[[SiteAnswer], bool]) -> list[Event]:
    """Return the deciding answers that have something; the others that have it where none of those does."""
    return next((found for group in (deciding, others) if (found := [e for e in group if has(_site(e))])), [])


def _status(given: Sequence[EnvironmentStatus]) -> EnvironmentStatus:
    """Return the status that is given most often, of several the least complete."""
    counts = Counter(given)
    return max(counts, key=lambda status: (counts[status], _STATUSES.index(status)))


def _raw(state: ItemState, passes: Sequence[Event]) -> tuple[RawAnswer, ...]:
    repeats = [state.repeats[name] for name in sorted(state.repeats)]
    return tuple(
        RawAnswer(
            layer=event.layer,
            worker=event.worker,
            decision=(answer := _site(event)).decision,
            primary_violation_type=answer.primary_violation_type,
            environment_status=answer.environment_status,
            confidence=answer.confidence,
        )
        for event in (*passes, *repeats, state.review, state.adjudication)
        if event is not None
    )


def _site(event: Event) -> SiteAnswer:
    answer = event.answer
    if not isinstance(answer, SiteAnswer):
        raise ConfigError(f"'{event.item_id}' was answered as a pair, not as a site: freeze its project as pairs.")
    return answer
