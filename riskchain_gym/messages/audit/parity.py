"""Parity: the split ``test`` has the shape of the published set (protocol A.2)."""

from __future__ import annotations

from collections import Counter, defaultdict

from riskchain_gym.messages.audit.files import session_of
from riskchain_gym.messages.audit.folder import AuditedFolder
from riskchain_gym.messages.audit.result import Findings
from riskchain_gym.messages.plans import PAPER_PLATFORMS
from riskchain_gym.messages.recipes import PAPER_RECIPES
from riskchain_gym.messages.rows import InputRow
from riskchain_gym.messages.session import SURFACES

PARITY_SPLIT = "test"
"""The split that has to have the published shape."""

_SESSIONS = 600


def check_parity(folder: AuditedFolder) -> Findings:
    """600 sessions under each of the six published recipes, six platforms alike, four surfaces, one message each."""
    found = Findings("rows of test")
    split = next(split for split in folder.splits if split.name == PARITY_SPLIT)
    rows = [line.row for line in split.inputs if line.row is not None]
    found.count = len(rows)
    sessions: dict[str, list[InputRow]] = defaultdict(list)
    for row in rows:
        sessions[session_of(row.sample_id)].append(row)
        if len(row.messages) != 1 or row.messages[0].role != "sender":
            found.add(f"test {row.sample_id}", "has not exactly one message of the sender")
        if row.surface not in SURFACES:
            found.add(f"test {row.sample_id}", f"has the surface {row.surface}, the published set has not")
    if len(sessions) != _SESSIONS:
        found.add("test", f"has {len(sessions)} sessions, the published set has {_SESSIONS}")
    variants = [f"v{place:03d}" for place in range(len(PAPER_RECIPES))]
    for session, own in sessions.items():
        if sorted(row.sample_id.removeprefix(f"{session}--") for row in own) != variants:
            found.add(f"test {session}", f"has not the variants {variants[0]} to {variants[-1]} once each")
        if len({(row.platform, row.surface) for row in own}) > 1:
            found.add(f"test {session}", "has variants of several platforms or surfaces")
    platforms = Counter(own[0].platform for own in sessions.values())
    share = _SESSIONS // len(PAPER_PLATFORMS)
    if platforms != dict.fromkeys(PAPER_PLATFORMS, share):
        found.add("test", f"has the platforms {dict(platforms)}, the published set has six of {share} sessions each")
    if missing := set(SURFACES) - {row.surface for row in rows}:
        found.add("test", f"lacks the surfaces {', '.join(sorted(missing))}")
    for pair in split.pairs:
        place = variants.index(pair.gold.variant) if pair.gold.variant in variants else None
        if place is None or pair.gold.recipe != PAPER_RECIPES[place]:
            found.add(pair.where, f"has recipe '{pair.gold.recipe}', its variant stands for another")
    return found
