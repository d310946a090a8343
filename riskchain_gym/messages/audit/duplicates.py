"""Duplicates: no two inputs of a split say the same in the same words."""

from __future__ import annotations

from collections import defaultdict

from riskchain_gym.messages.audit.files import session_of
from riskchain_gym.messages.audit.folder import AuditedFolder
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.messages.skeletons import Form


def check_duplicates(folder: AuditedFolder) -> Findings:
    """No two inputs of a split have the same contents.

    By design alike, and left out: variants of one session that nothing was done to, and sessions without an address,
    which have nothing of their own to say. Without gold, inputs of one session are left out.
    """
    found = Findings("inputs")
    by_design = 0
    for split in folder.splits:
        gold = {pair.input.sample_id: pair.gold for pair in split.pairs}
        first: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for line in split.inputs:
            if line.row is None:
                continue
            found.count += 1
            sample_id = line.row.sample_id
            alike = first[tuple(message.content for message in line.row.messages)]
            for other in alike[:1]:
                if _by_design(sample_id, other, gold.get(sample_id), gold.get(other)):
                    by_design += 1
                else:
                    found.add(f"{split.name} {sample_id}", f"has the contents of {other}")
            alike.append(sample_id)
    if by_design:
        found.looked_at = f"inputs ({by_design} alike by design)"
    return found


def _by_design(one: str, other: str, gold: GoldRow | None, other_gold: GoldRow | None) -> bool:
    same_session = session_of(one) == session_of(other)
    if gold is None or other_gold is None:
        return same_session
    if gold.form == other_gold.form == Form.NO_ENTRY:
        return True
    return same_session and not _edited(gold) and not _edited(other_gold)


def _edited(gold: GoldRow) -> bool:
    return any(stages for stages in gold.trace.stages.values())
