"""Gold rows and commits that the tests of message scores are made of."""

from __future__ import annotations

from typing import Any

from riskchain_gym.messages.rows import GoldRow
from riskchain_gym.protocol.codebook import Intent
from riskchain_gym.protocol.commit import Commit, EntryCandidate, RestoredMessage
from riskchain_gym.protocol.gold import MessageGold, Stage, Trace
from riskchain_gym.protocol.message import Platform

ENTRY, OTHER = "kab.cd.test", "kab.ce.test"


def gold_row(name: str, variant: str = "v000", **changes: Any) -> GoldRow:
    """Return the gold of a message of ten characters, as if it had been disguised."""
    edits = changes.pop("edits", {"m001": (Stage(name="zero_width", edits=()),)})
    recipe, severity, ceiling = (changes.pop(key, default) for key, default in (
        ("recipe", "zero_width@2"), ("severity", 2), ("ceiling", 1.0),
    ))  # fmt: skip
    fields = {
        "entry": ENTRY, "messages": (RestoredMessage(message_id="m001", text="0123456789"),), "topic": "betting",
        "intent": Intent.OPEN_SITE, "platform": Platform.QQ, "skeleton": "s", **changes,
    }  # fmt: skip
    gold = MessageGold(**fields, traces={variant: Trace(recipe=recipe, stages=edits)}, ceilings={variant: ceiling})
    return GoldRow.of(name, variant, gold, severity=severity, pair="", attribute="")


def commit(*entries: str, text: str = "0123456789", intent: Intent = Intent.OPEN_SITE) -> Commit:
    """Return what restores that message, with these candidates in order of rank."""
    return Commit(
        reconstructed_messages=(RestoredMessage(message_id="m001", text=text),),
        intent=intent,
        platform=Platform.QQ,
        entry_candidates=tuple(EntryCandidate(rank=rank, value=value) for rank, value in enumerate(entries, 1)),
    )
