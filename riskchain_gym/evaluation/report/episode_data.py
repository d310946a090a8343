"""What the viewer shows of an episode, as plain JSON data."""

from __future__ import annotations

from riskchain_gym.benchmark.chain import PublicChain
from riskchain_gym.envs.config import ENV_IDS
from riskchain_gym.evaluation.records import EpisodeRecord, RunManifest
from riskchain_gym.evaluation.report.again import command_again
from riskchain_gym.evaluation.report.beside import Beside
from riskchain_gym.evaluation.report.marking import Json, atom_seen, cited
from riskchain_gym.evaluation.report.message_data import message_data
from riskchain_gym.evaluation.report.step_data import outside, pages_and_views
from riskchain_gym.protocol.gold import GoldChain
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.protocol.trajectory import Phase
from riskchain_gym.scoring.sight import Sight


def asked_for_entry(run: RunManifest) -> bool:
    """Say whether a run's episodes begin with a message to restore."""
    return run.env_id != ENV_IDS["browse"]


def episode_data(
    run: RunManifest, record: EpisodeRecord, outcome: Outcome, public: PublicChain, gold: GoldChain, beside: Beside
) -> Json:
    """Return everything the viewer shows of one episode.

    Args:
        run: What was run; its viewport places the marks on the screenshots.
        record: The episode.
        outcome: Its scores.
        public: The public bundle of its chain.
        gold: The gold bundle of its chain.
        beside: What its run holds beside it.
    """
    trajectory = record.trajectory
    chain = trajectory.chain_id
    seen = trajectory.browse_steps()
    pages, views = pages_and_views(trajectory, seen, record.media)
    sight = Sight.of(trajectory)
    report = trajectory.report
    return {
        "chain": chain,
        "variant": trajectory.variant,
        "status": trajectory.status,
        "infra": trajectory.infra_cause,
        "hash": record.hash,
        "viewport": list(run.environment.viewport),
        "shown": list(trajectory.modalities),
        "budget": run.environment.max_steps,
        "outcome": outcome.flat(),
        "problems": list(outcome.validator.problems),
        "judge": {
            "name": outcome.judge.judge,
            "status": outcome.judge.status,
            "dimensions": {name: value.model_dump() for name, value in outcome.judge.dimensions.items()},
            "adverse": [_told(point) for point in outcome.judge.adverse],
        },
        "events": [failure.model_dump(mode="json") for failure in outcome.failures],
        "message": message_data(trajectory, public, gold, beside.restored.get(chain, {}), asked=asked_for_entry(run)),
        "restore": outside(trajectory, Phase.RESTORE),
        "pages": pages,
        "views": views,
        "reported": outside(trajectory, Phase.REPORT),
        "report": None
        if report is None
        else {
            **report.model_dump(mode="json", exclude={"schema_version", "evidence", "counterevidence"}),
            "evidence": [cited(c, seen, gold, sight) for c in report.evidence],
            "counterevidence": [cited(c, seen, gold, sight) for c in report.counterevidence],
        },
        "gold": {
            "decision": gold.site.decision,
            "type": gold.site.violation_type,
            "secondary": list(gold.site.secondary_types),
            "archetype": gold.site.archetype,
            "source": gold.site.label_source,
            "site_status": gold.site.environment_status,
            "depth": gold.site.depth,
            "track": gold.site.track,
            "gates": list(gold.site.gates),
            "way": [{"action": step.action.action, "role": step.role, "name": step.name} for step in gold.site.path],
            "atoms": [atom_seen(atom, trajectory, seen, gold, sight) for atom in gold.site.atoms],
        },
        "judges": beside.judges(record),
        "calls": beside.calls(chain),
        "broken_off": beside.broken_off(chain),
        "incidents": beside.incidents.get(chain, []),
        "command": command_again(run, chain),
    }


def _told(point: str) -> str:
    """Return a point that a judge settled against a report in words, e.g. ``shown: evidence.0``."""
    kind, _, place = point.partition(".")
    return f"{kind.replace('_', ' ')}: {place}"
