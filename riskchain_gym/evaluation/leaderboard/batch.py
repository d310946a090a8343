"""A batch: agents × splits, run where a run is missing, scored, and put on a board."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from riskchain_gym.benchmark.splits import load_public
from riskchain_gym.evaluation.engine.told import text_of
from riskchain_gym.evaluation.leaderboard.batch_plan import BatchAgent, BatchPlan
from riskchain_gym.evaluation.leaderboard.board import Board
from riskchain_gym.evaluation.leaderboard.building import build_board
from riskchain_gym.evaluation.leaderboard.cards import read_cards
from riskchain_gym.evaluation.leaderboard.figures import check_drawing
from riskchain_gym.evaluation.leaderboard.published import published_aggregates
from riskchain_gym.evaluation.leaderboard.table_value import slug_of
from riskchain_gym.evaluation.leaderboard.writing import check_place, write_board
from riskchain_gym.evaluation.planning import usual_settings
from riskchain_gym.evaluation.run import run_agent
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.evaluation.score import score_run
from riskchain_gym.evaluation.series import Member, further_variants, members
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.store import MANIFEST, RunFolder
from riskchain_gym.protocol.errors import ConfigError, RiskChainError

RUNS, BOARD = "runs", "board"


@dataclass(frozen=True)
class PlannedRun:
    """One run of a batch.

    Attributes:
        agent: The agent.
        split: The split.
        member: Its folder, the budget that the agent is told, and which repeat it is.
    """

    agent: BatchAgent
    split: str
    member: Member


@dataclass(frozen=True)
class BatchResult:
    """What came of a batch.

    Attributes:
        board: The board; ``None`` where no run holds an episode.
        page: Its page, likewise.
        failed: What kept a run from its end, in a sentence, by the name of its folder.
    """

    board: Board | None
    page: Path | None
    failed: dict[str, str]


def planned_runs(plan: BatchPlan, out: Path) -> Iterator[PlannedRun]:
    """Yield the runs of a batch, one split after the other.

    Args:
        plan: The batch.
        out: Folder of the batch.

    Raises:
        ConfigError: As :func:`~riskchain_gym.evaluation.series.members` does.
    """
    for split, agent in product(plan.splits, plan.agents):
        folder = out / RUNS / f"{slug_of(Path(split).name)}-{agent.called}"
        for member in members(folder, plan.budgets, plan.repeats):
            yield PlannedRun(agent, split, member)


def run_batch(
    plan: BatchPlan,
    out: Path,
    began: Callable[[str], None] | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> BatchResult:
    """Run what is missing, score it, and write the board; a run that fails does not stop the others.

    Runs that were ended before are gone on with. What a failed run holds is on the board, marked as incomplete.

    Args:
        plan: The batch.
        out: Folder for runs and board.
        began: Called with the name of each run's folder before it is run.
        progress: Called after every episode with the agent and how many of the run are done.

    Raises:
        ConfigError: The plan cannot be carried out as a whole.
        InputFileError: The cards cannot be read, or a run on the board is damaged.
        MissingExtraError: Matplotlib, which draws the board, is not installed.
    """
    check_drawing()
    check_place(out / BOARD)
    cards = read_cards(Path(plan.cards)) if plan.cards else None
    planned = list(planned_runs(plan, out))
    paths = [each.member.path for each in planned]
    if len(set(paths)) < len(paths):
        raise ConfigError("Two runs of the batch would go into one folder: give agents and splits names of their own.")
    failed: dict[str, str] = {}
    for each in planned:
        name = str(each.member.path.relative_to(out / RUNS))
        if began is not None:
            began(name)
        if problem := _run(plan, each, progress):
            failed[name] = problem
    held = [RunFolder.open(path) for path in paths if (path / MANIFEST).is_file()]
    if all(run.empty for run in held):
        return BatchResult(None, None, failed)
    board = build_board(
        held,
        cards=cards,
        baseline=plan.baseline,
        published=published_aggregates() if plan.published else None,
        left_out=[f"{name} was not finished: {problem}" for name, problem in failed.items()],
    )
    return BatchResult(board, write_board(board, out / BOARD), failed)


def _run(plan: BatchPlan, each: PlannedRun, progress: Callable[[str, int], None] | None) -> str:
    """Run one run of a batch to its end and score it; return why that failed, ``""`` if it did not."""
    try:
        run = run_agent(each.agent.agent, each.member.path, _settings(plan, each), progress)
        if run.empty:
            return "no chain has a result: run the batch again"
        score_run(run)
        return "" if run.complete else "some chains have no result: run the batch again"
    except RiskChainError as error:
        return str(error)
    except OSError as error:
        return f"{error.filename or each.member.path}: {error.strerror or error}"
    except Exception as error:  # noqa: BLE001 - code of others: one agent that breaks must not end the batch
        return f"{type(error).__name__}: {text_of(error)}"


def _settings(plan: BatchPlan, each: PlannedRun) -> RunSettings:
    agent, overrides = each.agent.agent, each.agent.overrides
    chains = tuple(chain.chain_id for chain in load_public(each.split))[: plan.chains]
    settings = RunSettings(
        split=each.split,
        backend=plan.backend,
        workers=plan.workers,
        chains=chains,
        asking=Asking({agent: overrides} if overrides is not None else {}, max_cost=plan.max_cost),
        max_steps=each.member.max_steps,
        restored=further_variants(each.split, chains, plan.variants),
        repeat=each.member.repeat,
    )
    return usual_settings(agent, settings)[0]
