"""The commands ``riskchain judge run``, ``calibrate``, ``anchors`` and ``pairwise``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from riskchain_gym.cli_judge_tables import show_calibration, show_comparison, show_judged
from riskchain_gym.console import make_console, progress_on, say
from riskchain_gym.llm.request import Structure
from riskchain_gym.places import check_file

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from riskchain_gym.llm.fuse import FusedModel
    from riskchain_gym.scoring.judge.questions import Judge

judge_app = typer.Typer(
    help="Ask a judge how reports relate to what was seen, and how far it is to be trusted.", no_args_is_help=True
)

out = make_console()
err = make_console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]
Which = Annotated[Literal["rules", "llm"], typer.Option("--judge", help="Who is asked.")]
BaseUrl = Annotated[
    str | None, typer.Option(help="llm: address of the model (default: RISKCHAIN_LLM_BASE_URL).", show_default=False)
]
Model = Annotated[
    str | None, typer.Option(help="llm: name of the model (default: RISKCHAIN_LLM_MODEL).", show_default=False)
]
Cache = Annotated[
    Path | None, typer.Option(help="llm: folder for answers, which are not asked for twice (default: none is kept).")
]
Form = Annotated[Structure, typer.Option("--structure", help="llm: how the server is told the answer's shape.")]
Prices = Annotated[Path | None, typer.Option(help="llm: TOML with prices, over those that ship.", show_default=False)]
Spend = Annotated[
    float | None, typer.Option("--budget", help="llm: stop once so many US dollars are spent.", show_default=False)
]
Images = Annotated[bool, typer.Option("--images", help="llm: show it the run's screenshots too, redacted.")]
Threads = Annotated[int, typer.Option(min=1, help="llm: questions in flight at once.")]


@judge_app.callback()
def _judge_commands() -> None:
    """Ask a judge how reports relate to what was seen, and how far it is to be trusted."""


@judge_app.command("run")
def judge_run(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    judge: Which = "rules",
    to: Annotated[
        Path | None, typer.Option("--out", help="JSONL to append to (default: judged-JUDGE.jsonl in the run folder).")
    ] = None,
    base_url: BaseUrl = None,
    model: Model = None,
    cache: Cache = None,
    structure: Form = "json_schema",
    prices: Prices = None,
    budget: Spend = None,
    images: Images = False,
    threads: Threads = 4,
    as_json: Json = False,
) -> None:
    """Put the reports of a run to a judge; what is in the file already is not asked again."""
    from riskchain_gym.evaluation.judging import judge_run as put_to_judge
    from riskchain_gym.evaluation.store import RunFolder
    from riskchain_gym.scoring.judged import judged_results

    folder = RunFolder.open(run)
    file = to or run / f"judged-{judge}.jsonl"
    check_file(file)
    options = _ModelOptions(base_url, model, cache, structure, prices, budget, threads)
    with _judge(judge, options, images) as asked, progress_on(err) as progress:
        task = progress.add_task("Judging", total=len(folder.manifest.chains))
        said = put_to_judge(
            folder,
            asked,
            file,
            images=images,
            threads=threads if judge == "llm" else 1,
            progress=lambda done: progress.update(task, completed=done),
        )
        progress.update(task, total=len(said))
    summary = judged_results([episode.result for episode in said])
    if as_json:
        out.print_json(data=summary and summary.model_dump(mode="json"))
    elif summary is None:
        say(out, f"{run} holds no report, so no judge was asked.")
    else:
        show_judged(summary)
    for episode in said:
        if episode.error:
            say(err, f"{episode.chain_id}: {episode.error}")
    if said:
        say(err, f"{len(said)} reports: {file}")


@judge_app.command("pairwise")
def judge_pairwise(
    first: Annotated[Path, typer.Argument(help="Run folder of one agent.")],
    second: Annotated[Path, typer.Argument(help="Run folder of another, on the same split.")],
    to: Annotated[Path, typer.Option("--out", help="JSONL to append to.")] = Path("pairwise.jsonl"),
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    base_url: BaseUrl = None,
    model: Model = None,
    cache: Cache = None,
    structure: Form = "json_schema",
    prices: Prices = None,
    budget: Spend = None,
    images: Images = False,
    as_json: Json = False,
) -> None:
    """Ask a language model which of two reports rests better on its evidence, in both orders; a difference is a tie."""
    from riskchain_gym.evaluation.naming import run_names
    from riskchain_gym.evaluation.pairing import pair_runs
    from riskchain_gym.evaluation.store import RunFolder
    from riskchain_gym.scoring.judge.pairwise import PairwiseJudge

    runs = RunFolder.open(first), RunFolder.open(second)
    check_file(to)
    options = _ModelOptions(base_url, model, cache, structure, prices, budget)
    with _model(options) as client, progress_on(err) as progress:
        asked, tell = PairwiseJudge(client, images=images), _told(progress)
        found = pair_runs(
            *runs, asked, to, images=images, seed=seed, progress=lambda done, of: tell("Comparing", done, of)
        )
    tally = found.tally
    if as_json:
        out.print_json(data={**tally.model_dump(mode="json"), "left_out": found.left_out})
    else:
        show_comparison(asked.name, run_names(runs)[0], found)
    say(err, f"{tally.chains} chains: {to}")


@judge_app.command("calibrate")
def judge_calibrate(
    judge: Which = "rules",
    split: Annotated[
        str, typer.Option(help="Split by name, or the path of a folder that `riskchain build` wrote; with gold.")
    ] = "mini",
    anchors: Annotated[
        list[Path] | None, typer.Option(help="Further anchors, e.g. answered by people; repeat for more files.")
    ] = None,
    reports: Annotated[int, typer.Option(min=1, help="How many of the split's chains at most.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of plants and draws.")] = 0,
    to: Annotated[Path | None, typer.Option("--out", help="JSON file to write.")] = None,
    base_url: BaseUrl = None,
    model: Model = None,
    cache: Cache = None,
    structure: Form = "json_schema",
    prices: Prices = None,
    budget: Spend = None,
    threads: Threads = 4,
    as_json: Json = False,
) -> None:
    """Plant faults in the oracle's reports, put anchors, and say what the judge detects and what it gets wrong."""
    from riskchain_gym.evaluation.calibration import calibrate_judge
    from riskchain_gym.protocol.files import write_atomically
    from riskchain_gym.scoring.calibration.anchors import SHIPPED, read_all_anchors

    known = read_all_anchors([SHIPPED, *(anchors or ())])
    if to is not None:
        check_file(to)
    options = _ModelOptions(base_url, model, cache, structure, prices, budget, threads)
    with _judge(judge, options) as asked, progress_on(err) as progress:
        found = calibrate_judge(
            asked,
            split,
            known,
            reports=reports,
            seed=seed,
            threads=threads if judge == "llm" else 1,
            progress=_told(progress),
        )
    if to is not None:
        write_atomically(to, found.model_dump_json(indent=1).encode() + b"\n")
        say(err, f"Calibration: {to}")
    if as_json:
        out.print_json(found.model_dump_json())
    else:
        show_calibration(found)


@judge_app.command("anchors")
def judge_anchors(
    to: Annotated[Path, typer.Option("--out", help="JSONL file to write.")],
) -> None:
    """Write the constructed anchors, as the package ships them; always the same bytes."""
    from riskchain_gym.protocol.files import write_atomically
    from riskchain_gym.scoring.calibration.anchor_build import build_anchors
    from riskchain_gym.scoring.calibration.anchors import encoded

    check_file(to)
    built = build_anchors()
    write_atomically(to, encoded(built))
    say(err, f"{len(built)} anchors: {to}")


@dataclass(frozen=True)
class _ModelOptions:
    """How a language model is asked, as given on the command line."""

    base_url: str | None
    model: str | None
    cache: Path | None
    structure: Structure
    prices: Path | None
    budget: float | None
    threads: int = 1

    @property
    def given(self) -> bool:
        """Whether any of it was said that only a language model needs."""
        return any((self.base_url, self.model, self.cache, self.prices, self.budget)) or self.structure != "json_schema"


@contextmanager
def _judge(which: Literal["rules", "llm"], options: _ModelOptions, images: bool = False) -> Iterator[Judge]:
    """Give the judge that is asked; a model's connections are closed afterwards."""
    if which == "rules":
        from riskchain_gym.protocol.errors import ConfigError
        from riskchain_gym.scoring.judge.rules import RuleJudge

        if options.given or images:
            raise ConfigError(
                "--base-url, --model, --cache, --structure, --prices, --budget and --images belong to --judge llm: "
                "leave them out."
            )
        yield RuleJudge()
        return
    from riskchain_gym.scoring.judge.llm import LLMJudge

    with _model(options) as model:
        yield LLMJudge(model, images=images)


@contextmanager
def _model(options: _ModelOptions) -> Iterator[FusedModel]:
    from riskchain_gym.llm.budget import Budget
    from riskchain_gym.llm.cache import ReplyCache
    from riskchain_gym.llm.client import ModelClient
    from riskchain_gym.llm.fuse import FusedModel
    from riskchain_gym.llm.prices import shipped_prices
    from riskchain_gym.llm.settings import ModelSettings

    settings = ModelSettings.of(
        base_url=options.base_url, model=options.model, concurrency=options.threads, structure=options.structure
    )
    with ModelClient(
        settings,
        cache=ReplyCache(options.cache) if options.cache else None,
        prices=shipped_prices(options.prices),
        budget=Budget(options.budget) if options.budget is not None else None,
    ) as client:
        yield FusedModel(client)


def _told(progress: Progress) -> Callable[[str, int, int], None]:
    """Return what shows how much of each thing is done."""
    tasks: dict[str, TaskID] = {}

    def tell(what: str, done: int, of: int) -> None:
        if what not in tasks:
            tasks[what] = progress.add_task(what, total=of)
        progress.update(tasks[what], completed=done)

    return tell
