"""A training run in a folder of its own: begun, gone on with, evaluated."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskchain_gym.evaluation.holding import folder_held
from riskchain_gym.protocol.errors import ConfigError, InfrastructureError, MissingExtraError
from riskchain_gym.protocol.files import make_folder, write_atomically
from riskchain_gym.training.rllib.checkpoints import Checkpoints, Progress
from riskchain_gym.training.rllib.curves import Curves, draw_curves
from riskchain_gym.training.rllib.evaluate import open_splits
from riskchain_gym.training.rllib.ray_session import ray_session
from riskchain_gym.training.rllib.settings import TrainSettings, make_settings, read_settings

SETTINGS = "settings.json"
WEIGHTS = "weights.npz"

OnIteration = Callable[[Mapping[str, Any]], None]

_MAY_CHANGE = frozenset({"steps", "evaluate", "evaluate_chains", "keep_checkpoints", "torch_threads", "ray_address"})
"""Settings that a run may go on with otherwise than it began: they change none of its iterations.

``steps`` does where a curriculum goes over them.
"""


@dataclass(frozen=True)
class TrainResult:
    """What a run has come to.

    Attributes:
        folder: The run folder.
        progress: How far it came.
        rows: The rows of ``curves.jsonl``.
        curves: The pictures that were drawn; empty without matplotlib.
    """

    folder: Path
    progress: Progress
    rows: list[dict[str, Any]]
    curves: list[Path]

    @property
    def weights(self) -> Path:
        """The weights at the end."""
        return self.folder / WEIGHTS


def train(
    settings: TrainSettings, folder: Path, *, resume: bool = False, on_iteration: OnIteration | None = None
) -> TrainResult:
    """Train, and write settings, curves, checkpoints and weights into a folder.

    The folder is described in ``docs/training.md``. A run that was killed goes on from its last checkpoint with
    ``resume``, and ends as it would have ended undisturbed.

    Args:
        settings: What to do.
        folder: The run folder.
        resume: Whether to go on with the run in the folder; without a run in it, one is begun.
        on_iteration: Called with the row of each iteration, when it is on disk.

    Raises:
        MissingExtraError: RLlib or torch is not installed.
        ConfigError: The folder holds a run and ``resume`` is off, or one of other settings, or one that is at work; or
            nothing can be built of the settings.
        UnknownNameError: There is no such split, to train on or to evaluate on.
        InputFileError: What the run left in the folder is damaged.
        InfrastructureError: Every episode is lost, or nobody plays any more.
    """
    check_installed()
    with folder_held(folder):
        return _trained(settings, folder, resume=resume, on_iteration=on_iteration)


def _trained(settings: TrainSettings, folder: Path, *, resume: bool, on_iteration: OnIteration | None) -> TrainResult:
    check_run_folder(settings, folder, resume=resume)
    open_splits(settings)
    checkpoints = Checkpoints(folder / "checkpoints", settings.keep_checkpoints)
    with ray_session(settings), _algorithm(settings) as algorithm:
        # Settings that nothing can be built of are no run: whoever mends them begins in the same folder.
        make_folder(folder)
        said = json.dumps(settings.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
        write_atomically(folder / SETTINGS, said.encode())
        progress = _played(settings, folder, checkpoints, algorithm, on_iteration)
        _save_weights(algorithm, folder / WEIGHTS)
    rows = Curves(folder / "curves.jsonl").rows()
    try:
        curves = draw_curves(rows, f"{settings.task} · {settings.env_id} · seed {settings.seed}", folder)
    except MissingExtraError:
        curves = []
    return TrainResult(folder, progress, rows, curves)


def _played(
    settings: TrainSettings,
    folder: Path,
    checkpoints: Checkpoints,
    algorithm: Any,
    on_iteration: OnIteration | None,
) -> Progress:
    from riskchain_gym.training.rllib.algorithm import let_actor_learn, set_on_envs, start_afresh
    from riskchain_gym.training.rllib.iteration import iteration_row, timing_row

    curves, timing = Curves(folder / "curves.jsonl"), Curves(folder / "timing.jsonl")
    progress = Progress()
    if (found := checkpoints.latest()) is not None:
        place, progress = found
        checkpoints.restore(algorithm, place)
    for each in (curves, timing):
        each.cut(progress.iteration)
    start_afresh(algorithm, settings.seed, progress.iteration)
    while progress.env_steps < settings.steps:
        if settings.p_reference is not None:
            set_on_envs(algorithm, "p_reference", annealed(settings.p_reference, progress.env_steps / settings.steps))
        if settings.critic_first:
            let_actor_learn(algorithm, progress.iteration >= settings.critic_first)
        began = time.perf_counter()
        result = algorithm.train()
        seconds = time.perf_counter() - began
        row = iteration_row(result, progress)
        if row["env_steps"] == progress.env_steps:
            raise InfrastructureError(
                "no_steps", "no process of RLlib played a step, its log says why: mend it, then go on (--resume)."
            )
        progress = Progress(iteration=row["iteration"], env_steps=row["env_steps"])
        curves.append(row)
        timing.append({"iteration": progress.iteration, "seconds": round(seconds, 4), **timing_row(result)})
        if on_iteration is not None:
            on_iteration(row)
        done = progress.env_steps >= settings.steps
        if done or progress.iteration % settings.checkpoint_every == 0:
            checkpoints.save(algorithm, progress)
            if not done:
                start_afresh(algorithm, settings.seed, progress.iteration)
    return progress


def annealed(ends: tuple[float, float], share: float) -> float:
    """Return the value a share of the way from the first to the last, linearly.

    Args:
        ends: First and last value.
        share: 0 at the first, 1 and above at the last.
    """
    first, last = ends
    return first + (last - first) * min(max(share, 0.0), 1.0)


def started(settings: TrainSettings, folder: Path, start: Path, *, resume: bool) -> TrainSettings | None:
    """Return the settings of a run that goes on from the start that it has; ``None`` where one is to be made first.

    To be asked before a start, e.g. a clone, is written into a run folder: what a run there began with stays.

    Args:
        settings: Those of the run, without its start.
        folder: The run folder.
        start: File of weights in it that the run begins with.
        resume: Whether to go on with the run in the folder.

    Raises:
        ConfigError: The folder holds a run and ``resume`` is off, or one of other settings.
    """
    begun = settings.with_values({"initial": str(start)})
    holds_run = check_run_folder(begun, folder, resume=resume)
    return begun if holds_run and start.exists() else None


def begun_steps(folder: Path) -> int:
    """Return how many steps the run in a folder would go on after; 0 where there is none.

    Args:
        folder: The run folder.

    Raises:
        InputFileError: Its newest checkpoint is damaged.
    """
    found = Checkpoints(folder / "checkpoints", 1).latest()
    return found[1].env_steps if found is not None else 0


def check_run_folder(settings: TrainSettings, folder: Path, *, resume: bool) -> bool:
    """Refuse a folder that a run cannot be in, and say whether it holds the run.

    Args:
        settings: Those of the run.
        folder: The run folder.
        resume: Whether to go on with the run in the folder.

    Raises:
        ConfigError: The folder holds a run and ``resume`` is off, or one of other settings.
    """
    path = folder / SETTINGS
    if not path.exists():
        return False
    if not resume:
        raise ConfigError(f"{folder} holds a training run: go on with it (--resume), or name another folder.")
    begun = make_settings(read_settings(path))
    may_change = _MAY_CHANGE - {"steps"} if begun.p_reference is not None else _MAY_CHANGE
    was, now = begun.model_dump(), settings.model_dump()
    differing = [
        each
        for name in TrainSettings.model_fields
        if name not in may_change and was[name] != now[name]
        for each in _keys(name, was[name], now[name])
    ]
    if differing:
        raise ConfigError(
            f"The run in {folder} was begun with other settings ({', '.join(differing)}): give those of {path}, or "
            "name another folder."
        )
    return True


def _keys(name: str, was: Any, now: Any) -> list[str]:
    """Return the name of a setting that differs; of a table, those of its keys that do."""
    if not (isinstance(was, dict) and isinstance(now, dict)):
        return [name]
    return [f"{name}.{key}" for key in (was | now) if was.get(key) != now.get(key) or (key in was) != (key in now)]


@contextmanager
def _algorithm(settings: TrainSettings) -> Iterator[Any]:
    from riskchain_gym.training.rllib.algorithm import build_algorithm

    algorithm = build_algorithm(settings)
    try:
        yield algorithm
    finally:
        algorithm.stop()


def _save_weights(algorithm: Any, path: Path) -> None:
    from riskchain_gym.training.rllib.algorithm import learner_state
    from riskchain_gym.training.rllib.weights import save_weights

    save_weights(learner_state(algorithm), path)


def check_installed() -> None:
    """Refuse to begin without RLlib and torch.

    Raises:
        MissingExtraError: One of them is not installed.
    """
    try:
        import ray.rllib  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("rllib", "Training with RLlib") from error
