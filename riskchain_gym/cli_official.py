"""The commands ``riskchain official score-task1`` and ``riskchain official score-task2``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

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

_TASK1_HEADINGS = {
    "entry_top1_exact_rate": "Entry Top-1",
    "entry_topk_recall": "Entry Recall@k",
    "full_reconstruction_success_rate_top1": "Full (top 1)",
    "full_reconstruction_success_rate": "Full (top k)",
    "message_exact_rate": "Messages exact, by case",
    "message_exact_rate_per_message": "Messages exact, by message",
    "character_error_rate": "Character error rate",
    "mixed_token_error_rate": "Mixed token error rate",
    "intent_accuracy": "Intent",
    "platform_accuracy": "Platform",
    "abstain_rate": "Abstained",
}
_TASK2_HEADINGS = {
    "decision_accuracy": "Accuracy",
    "decision_macro_f1": "Macro F1",
    "violation_type_macro_f1": "Type F1",
    "hierarchical_exact_match": "H-EM",
}
_GATE_HEADINGS = {"entry_gate_pass": "Gate pass", "gate_loss": "Gate loss"}


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
        _show_task1(scored)


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
        _show_task2(scored)


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


def _show_task1(scored: Mapping[str, Any]) -> None:
    table = _table(f"Task 1: {scored['model_id']}, {scored['aggregate']['case_count']:,} samples", "Figure")
    for heading in ("%", "95 % interval"):
        table.add_column(heading, justify="right")
    ends = scored["aggregate_bootstrap"]["ci95"]
    for name, heading in _TASK1_HEADINGS.items():
        table.add_row(heading, _percent(scored["aggregate"][name]), _interval(ends[name]))
    policies = scored["entry_policies"]
    table.add_section()
    for name in ("handoff_hash", "strict_helper"):
        table.add_row(f"Entry Top-1, policy {name}", _percent(policies[name]), "")
    out.print(table)
    say(
        out,
        f"Samples on which the entry policies differ: {len(policies['differing_sample_ids']):,} (listed in the file)",
    )
    for what, count in (
        ("Candidates that name a live host", scored["aggregate"]["predicted_live_entry_count"]),
        ("Samples without a prediction", scored["missing_prediction_count"]),
        ("Rows without a transform flag, scored on all their messages", scored["notes"]["rows_without_transform_flag"]),
    ):
        if count:
            say(out, f"{what}: {count:,}")


def _show_task2(scored: Mapping[str, Any]) -> None:
    websites = next(iter(scored["models"].values()))["website_count"]
    rows = {name: _lines(name, model, ("web", "gated")) for name, model in scored["models"].items()}
    controls = {name: _lines(name, row, ("web",)) for name, row in scored["controls"]["rows"].items()}
    table = _table(f"Task 2: {websites:,} websites, in %", "Model")
    table.add_column("Report", min_width=6)
    cells = list(zip(*chain(*rows.values(), *controls.values()), strict=True))[2:]
    for heading, column in zip((*_TASK2_HEADINGS.values(), *_GATE_HEADINGS.values()), cells, strict=True):
        widest = max(len(line) for cell in (heading, *column) for line in cell.split("\n"))
        table.add_column(heading, justify="right", no_wrap=True, min_width=widest)
    for line in chain(*rows.values()):
        table.add_row(*line)
    table.add_section()
    for line in chain(*controls.values()):
        table.add_row(*line, style="dim")
    out.print(table, crop=False)
    say(out, f"Below each figure its 95 % interval. The rows at the end are controls. {scored['controls']['note']}")
    if count := scored["notes"]["normalised_rows"]:
        say(out, f"Rows with INSUFFICIENT_EVIDENCE and NONE, read as UNKNOWN: {count:,}")


def _lines(name: str, model: Mapping[str, Any], reports: Sequence[str]) -> list[list[str]]:
    """Return the table's lines of a model: one a report, the gate's figures beside the gated one."""
    lines = []
    for report in reports:
        figures = [*(f"{report}_{figure}" for figure in _TASK2_HEADINGS), *_GATE_HEADINGS]
        shown = [_cell(model, figure) if report == "gated" or figure.startswith("web_") else "" for figure in figures]
        lines.append([escape(name) if report == "web" else "", report, *shown])
    return lines


def _cell(model: Mapping[str, Any], name: str) -> str:
    figure = _percent(model["point"][name])
    return figure if figure == "–" else f"{figure}\n{_interval(model['ci95'][name])}"


def _table(title: str, first: str) -> Table:
    table = Table(title=escape(title), box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, title_justify="left")
    table.add_column(first, overflow="fold", min_width=16)
    return table


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


def _interval(ends: list[float] | None) -> str:
    return "–" if ends is None else f"{100 * ends[0]:.1f}–{100 * ends[1]:.1f}"
