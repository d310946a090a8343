"""What the report page shows of an episode, as plain JSON data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation.records import EpisodeRecord, RunManifest
from riskchain_gym.protocol.gold import EvidenceAtom, GoldChain
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation, Region
from riskchain_gym.protocol.trajectory import Phase, Step, Trajectory
from riskchain_gym.scoring.citations import hits
from riskchain_gym.scoring.sight import Sight, picture_of

Json = dict[str, Any]


def episode_data(
    label: str, run: RunManifest, record: EpisodeRecord, outcome: Outcome, public: PublicChain, gold: GoldChain
) -> Json:
    """Return everything the page shows of one episode.

    Args:
        label: What the run is called on the page.
        run: What was run; its viewport places the marks on the screenshots.
        record: The episode.
        outcome: Its scores.
        public: The public bundle of its chain.
        gold: The gold bundle of its chain.
    """
    trajectory = record.trajectory
    pages = trajectory.browse_steps()
    return {
        "agent": label,
        "kind": run.agent_kind,
        "viewport": list(run.environment.viewport),
        "chain": trajectory.chain_id,
        "variant": trajectory.variant,
        "status": trajectory.status,
        "infra": trajectory.infra_cause,
        "seconds": record.seconds,
        "outcome": outcome.flat(),
        "problems": list(outcome.validator.problems),
        "adverse": [_told(point) for point in outcome.judge.adverse],
        "message": _message(trajectory, public, gold, asked=run.env_id != ENV_IDS["browse"]),
        "strikes": [_strike(step) for step in trajectory.steps if step.result.status == "invalid"],
        "views": _views(trajectory, pages, record.media),
        "report": _report(trajectory, pages, gold),
        "gold": {
            "decision": gold.site.decision,
            "type": gold.site.violation_type,
            "archetype": gold.site.archetype,
            "source": gold.site.label_source,
            "site_status": gold.site.environment_status,
            "atoms": [_atom(atom, trajectory, pages, gold) for atom in gold.site.atoms],
        },
    }


def _told(point: str) -> str:
    """Return a point that a judge settled against a report in words, e.g. ``shown: evidence.0``."""
    kind, _, place = point.partition(".")
    return f"{kind.replace('_', ' ')}: {place}"


def _message(trajectory: Trajectory, public: PublicChain, gold: GoldChain, *, asked: bool) -> Json:
    """Return the message and what was made of it; ``asked`` says whether there was a phase to restore it in."""
    shown = public.variants[trajectory.variant]
    commit = trajectory.commit
    restored = {m.message_id: m.text for m in commit.reconstructed_messages} if commit else {}
    canonical = {m.message_id: m.text for m in gold.message.messages}
    return {
        "asked": asked,
        "platform": shown.platform,
        "surface": shown.surface,
        "recipe": public.recipes[trajectory.variant],
        "parts": [
            {"shown": m.content, "restored": restored.get(m.message_id), "canonical": canonical.get(m.message_id, "")}
            for m in shown.messages
        ],
        "intent": commit.intent if commit else None,
        "gold_intent": gold.message.intent,
        "entries": [c.model_dump() for c in sorted(commit.entry_candidates, key=lambda c: c.rank)] if commit else [],
        "gold_entry": gold.entry,
        "abstain": bool(commit and commit.abstain),
    }


def _strike(step: Step) -> Json:
    return {"phase": step.phase, "action": step.action[:2000], "feedback": step.feedback}


def _views(trajectory: Trajectory, pages: Mapping[int, ObservedPage], media: Mapping[str, str]) -> list[Json]:
    """Return one view a browse observation: the page, and the action that was taken on it next."""
    browse = [step for step in trajectory.steps if step.phase is Phase.BROWSE]
    scroll = {step.browse_step: step.scroll_y for step in browse if step.browse_step is not None}
    acted: dict[int, Step] = {}
    current = 0
    for step in browse:
        if step.result.status != "invalid":
            acted.setdefault(current, step)
        if step.browse_step is not None:
            current = step.browse_step
    return [
        {
            "step": number,
            "path": page.path,
            "title": page.title,
            "text": page.text,
            "image": media.get(str(number)),
            "scroll": scroll.get(number, 0),
            "next": _taken(acted[number], page) if number in acted else None,
        }
        for number, page in pages.items()
    ]


def _taken(step: Step, page: ObservedPage) -> Json:
    action = _read_action(step.action)
    target = next((e for e in page.elements if e.element_id == action.get("element_id")), None)
    return {
        "action": str(action.get("action", "unreadable action")),
        "reason": str(action.get("reason", "")),
        "target": {"id": target.element_id, "role": target.role, "name": target.name} if target else None,
        "box": _box(target.box) if target else None,
        "result": step.result.error or step.result.status,
        "feedback": step.feedback,
    }


def _read_action(text: str) -> Json:
    """Return the fields of an action; none of a text that is no JSON object: the page shows what it can."""
    try:
        action = json.loads(text)
    except ValueError:
        return {}
    return action if isinstance(action, dict) else {}


def _report(trajectory: Trajectory, pages: Mapping[int, ObservedPage], gold: GoldChain) -> Json | None:
    report = trajectory.report
    if report is None:
        return None
    sight = Sight.of(trajectory)
    return {
        **report.model_dump(mode="json", exclude={"schema_version", "evidence", "counterevidence"}),
        "evidence": [_citation(c, pages, gold, sight) for c in report.evidence],
        "counterevidence": [_citation(c, pages, gold, sight) for c in report.counterevidence],
    }


def _citation(citation: Citation, pages: Mapping[int, ObservedPage], gold: GoldChain, sight: Sight) -> Json:
    page = pages.get(citation.step)
    deciding = gold.site.deciding_atoms()
    hit = [atom for atom in gold.site.atoms if hits(citation, atom, pages, sight)]
    return {
        **citation.model_dump(mode="json", exclude={"region"}),
        "box": _box(citation.region or (_place(citation, page) if page is not None else None)),
        "hits": [str(atom.component) for atom in hit],
        "deciding": any(atom in deciding for atom in hit),
    }


def _place(citation: Citation, page: ObservedPage) -> Region | None:
    """Return where the element or picture that is named stands on the page; where none is named, where the quote does.

    A quote stands on the line that is all of it, and only where there is none, on the first that holds it.
    """
    if citation.element_id is not None:
        picture = picture_of(page, citation.element_id)
        named = [e.box for e in page.elements if e.element_id == citation.element_id]
        boxes = [*named, *([picture.box] if picture is not None else [])]
    else:
        quote = citation.quote.strip()
        lines = [line for line in page.lines if quote and quote in line.text]
        boxes = [line.box for line in sorted(lines, key=lambda line: line.text.strip() != quote)]
    return next((box for box in boxes if box is not None), None)


def _atom(atom: EvidenceAtom, trajectory: Trajectory, pages: Mapping[int, ObservedPage], gold: GoldChain) -> Json:
    evidence = trajectory.report.evidence if trajectory.report else ()
    sight = Sight.of(trajectory)
    return {
        "component": atom.component,
        "text": atom.text,
        "anchor": atom.anchor,
        "deciding": atom in gold.site.deciding_atoms(),
        "seen": next((step for step, page in pages.items() if sight.shows(page, atom)), None),
        "cited": any(hits(citation, atom, pages, sight) for citation in evidence),
    }


def _box(region: Region | None) -> list[float] | None:
    return [region.x, region.y, region.width, region.height] if region else None
