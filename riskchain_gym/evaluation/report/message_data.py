"""What the viewer shows of a message: every variant as it was sent, how it was disguised, and what was made of it."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.evaluation.report.marking import Json
from riskchain_gym.protocol.commit import Commit
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.trajectory import Trajectory
from riskchain_gym.scoring.gate import gate


def message_data(
    trajectory: Trajectory,
    public: PublicChain,
    gold: GoldChain,
    further: Mapping[str, Commit | None],
    *,
    asked: bool,
) -> Json:
    """Return the message of a chain in all its variants.

    Args:
        trajectory: The episode; its variant is the one that the agent went on with.
        public: The public bundle of its chain.
        gold: The gold bundle of its chain.
        further: What was made of variants that were restored on their own.
        asked: Whether there was a phase to restore the message in.
    """
    commits = {trajectory.variant: trajectory.commit, **further}
    shown = public.variants[trajectory.variant]
    order = sorted(public.variants, key=lambda name: (name != trajectory.variant, name not in further, name))
    return {
        "asked": asked,
        "platform": shown.platform,
        "surface": shown.surface,
        "intent": gold.message.intent,
        "entry": gold.entry,
        "topic": gold.message.topic,
        "form": gold.message.form,
        "decoys": list(gold.message.decoys),
        "variants": [_variant(name, public, gold, commits.get(name), tried=name in commits) for name in order],
    }


def _variant(name: str, public: PublicChain, gold: GoldChain, commit: Commit | None, *, tried: bool) -> Json:
    restored = {message.message_id: message.text for message in commit.reconstructed_messages} if commit else {}
    canonical = {message.message_id: message.text for message in gold.message.messages}
    trace = gold.message.traces.get(name)
    return {
        "name": name,
        "recipe": public.recipes[name],
        "tried": tried,
        "parts": [
            {
                "shown": message.content,
                "role": message.role,
                "restored": restored.get(message.message_id),
                "canonical": canonical.get(message.message_id, ""),
                "stages": [stage.model_dump() for stage in trace.stages.get(message.message_id, ())] if trace else [],
            }
            for message in public.variants[name].messages
        ],
        "gate": gate(commit, gold.entry).passed if commit else None,
        "intent": commit.intent if commit else None,
        "entries": [c.model_dump() for c in sorted(commit.entry_candidates, key=lambda c: c.rank)] if commit else [],
        "abstain": bool(commit and commit.abstain),
        "unsure": list(commit.uncertainties) if commit else [],
    }
