"""The commands ``riskchain official score-task1`` and ``riskchain official score-task2``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from riskchain_gym.cli_official_tables import show_task1, show_task2
from riskchain_gym.console import make_console, say

official_app = typer.Typer(
    help="Score files in the published formats, as the published scorers do.", no_args_is_help=True
)

out = make_console()
err = make_console(stderr=True)

Seed = Annotated[int, typer.Option(help="Seed of the bootstrap; there is no default, so that it is never forgotten.")]
Replicates = Annotated[int, typer.Option(min=1, max=100_000, help="Bootstrap replicates.")]
Output = Annotated[Path, typer.Option(help="New JSON file for the result; an existing one is refused.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON instead of a table.")]

SCHEMA = "riskchain-official-score/v1"
NOTICE = "Made by riskchain-gym from the files given: an independent implementation of the published definitions."


@official_app.callback()
def _official() -> None:
    """Score files in the published formats, as the published scorers do."""


@official_app.command("score-task1")
def score_task1_file(
    evaluator: Annotated[Path, typer.Option(help="Published evaluator rows (JSON Lines).")],
    predictions: Annotated[Path, typer.Option(help="Published prediction rows of one model (JSON Lines).")],
    seed: Seed,
    output: Output,
    replicates: Replicates = 2000,
    top_k: Annotated[int, typer.Option(min=1, max=10, help="How many entry candidates are looked at.")] = 5,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Score a sample without a prediction as restored to nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Score prediction rows against evaluator rows: restoration, entry, intent, with intervals by session."""
    from riskchain_gym.scoring.official import score_task1

    _check_new(output)
    files = {"evaluator": evaluator, "predictions": predictions}
    with err.status("Scoring …"), _naming(files):
        rows = {name: _rows(path) for name, path in files.items()}
        scored = score_task1(
            rows["evaluator"],
            rows["predictions"],
            replicates=replicates,
            seed=seed,
            top_k=top_k,
            allow_missing=allow_missing,
        )
    del scored["cases"]
    hashes = {"input_sha256": _sha256(evaluator), "predictions_sha256": _sha256(predictions)}
    _write(output, _envelope("task1", seed, replicates) | hashes | scored, as_json=as_json)
    if not as_json:
        show_task1(out, scored)


@official_app.command("score-task2")
def score_task2_file(
    paired: Annotated[Path, typer.Option(help="Published paired rows of any number of models (JSON Lines).")],
    seed: Seed,
    output: Output,
    replicates: Replicates = 2000,
    as_json: Json = False,
) -> None:
    """Score paired rows: web and gated decisions and types of each model, with paired intervals by website."""
    from riskchain_gym.scoring.official import score_task2

    _check_new(output)
    with err.status("Scoring …"), _naming({"paired": paired}):
        scored = score_task2(_rows(paired), replicates=replicates, seed=seed)
    envelope = _envelope("task2", seed, replicates) | {"input_sha256": _sha256(paired)}
    _write(output, envelope | scored, as_json=as_json)
    if not as_json:
        show_task2(out, scored)


def _check_new(output: Path) -> None:
    from riskchain_gym.places import check_file
    from riskchain_gym.protocol.errors import InputFileError

    if output.exists():
        raise InputFileError(output, "", "is there already and stays as it is, give the path of a new file")
    check_file(output)


def _rows(path: Path) -> list[Mapping[str, Any]]:
    from riskchain_gym.messages.json_lines import read_objects
    from riskchain_gym.protocol.errors import InputFileError

    if path.is_fifo():
        # It is read for its rows and again for its hash.
        raise InputFileError(path, "", "is a pipe, which can be read only once: give a file")
    return [raw for _, raw in read_objects(path)]


@contextmanager
def _naming(files: Mapping[str, Path]) -> Iterator[None]:
    """Raise a row's error as one of the file it stands in."""
    from riskchain_gym.protocol.errors import InputFileError
    from riskchain_gym.scoring.official import OfficialRowError

    try:
        yield
    except OfficialRowError as error:
        raise InputFileError(files[error.source], error.where, error.problem) from error


def _sha256(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _envelope(task: str, seed: int, replicates: int) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA,
        "task": task,
        "mode": "own_files",
        "historical_reproduction_claim": False,
        "base_seed": seed,
        "bootstrap_replicates": replicates,
        "model_calls": 0,
        "notice": NOTICE,
    }


def _write(output: Path, result: Mapping[str, Any], *, as_json: bool) -> None:
    from riskchain_gym.protocol.files import write_atomically

    text = json.dumps(result, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    # Another process may have written there since the work began.
    _check_new(output)
    # Half a surrogate pair becomes an escape, as JSON writes it.
    write_atomically(output, f"{text}\n".encode(errors="backslashreplace"))
    if as_json:
        out.print_json(text)
    say(err, f"Written to {output}.")
