"""The commands that score predictions for messages and compare two sets of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riskchain_gym.cli_message_tables import difference_table, group_table, whole_table
from riskchain_gym.cli_views import messages_app
from riskchain_gym.console import fill, make_console, say
from riskchain_gym.protocol.errors import ConfigError

if TYPE_CHECKING:
    from riskchain_gym.protocol.model import Frozen
    from riskchain_gym.scoring.message_intervals import MessageResamples
    from riskchain_gym.scoring.message_scores import PolicyDifference
    from riskchain_gym.scoring.messages import ScoredMessage

__all__ = ["messages_app"]

out = make_console()
err = make_console(stderr=True)

_LISTED = 3

Predictions = Annotated[Path, typer.Argument(help="JSONL of predictions, e.g. of `riskchain restore`.")]
Gold = Annotated[Path, typer.Option(help="gold.jsonl beside the inputs that were restored.")]
Drawn = Annotated[
    str, typer.Option("--intervals", help="What the bootstrap draws: skeleton or session; none for no intervals.")
]
Seed = Annotated[
    int | None, typer.Option(help="Seed of the bootstrap (default: the published one, 20260726).", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a machine instead of a table.")]


@messages_app.command("score")
def score(
    predictions: Predictions,
    gold: Gold,
    by: Annotated[
        str,
        typer.Option(help="Also by technique, family, recipe, variant, severity, form, topic, language or platform."),
    ] = "technique",
    unit: Drawn = "skeleton",
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Score predictions for messages: entry, texts and intent, against the ceiling; in percent."""
    from riskchain_gym.scoring.message_groups import GROUPINGS, group_messages
    from riskchain_gym.scoring.message_scores import policy_differences, summarize_messages
    from riskchain_gym.scoring.messages import score_predictions

    if by not in GROUPINGS:
        raise ConfigError(f"Messages cannot be grouped by '{by}': choose one of {', '.join(GROUPINGS)}.")
    _check_unit(unit, "skeleton", "session", "none")
    scored = score_predictions(predictions, gold)
    resamples = _resamples(scored, unit, seed)
    scores = {"all": summarize_messages(scored).model_dump()}
    groups = group_messages(by, scored)
    scores |= {name: summarize_messages(group).model_dump() for name, group in groups.items()}
    intervals = None if resamples is None else resamples.intervals(scored)
    differing = policy_differences(scored)
    if as_json:
        of_groups = {} if resamples is None else {name: resamples.intervals(each) for name, each in groups.items()}
        out.print_json(
            data={
                "all": scores.pop("all"),
                "intervals": _plain(intervals),
                "by": by,
                "groups": scores,
                "group_intervals": {name: _plain(each) for name, each in of_groups.items()},
                "policies_differ": [each.model_dump() for each in differing],
                "missing": _missing(scored),
            }
        )
    else:
        out.print(whole_table(scores["all"], intervals), crop=False)
        _say_intervals(resamples)
        _say_policies(differing)
        out.print()
        out.print(group_table(by, scores), crop=False)
        _say_groups(by, scored)
    _warn_of_missing(predictions, scored)


@messages_app.command("compare")
def compare(
    first: Annotated[Path, typer.Argument(help="JSONL of one model's predictions, A.")],
    second: Annotated[Path, typer.Argument(help="JSONL of another's for the same messages, B.")],
    gold: Gold,
    unit: Annotated[
        str, typer.Option("--intervals", help="What the bootstrap draws: skeleton or session.")
    ] = "skeleton",
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Compare two models on the same messages: every figure of both, and A − B with a paired interval."""
    from riskchain_gym.scoring.messages import score_predictions

    _check_unit(unit, "skeleton", "session")
    one, two = score_predictions(first, gold), score_predictions(second, gold)
    resamples = _resamples(one, unit, seed)
    assert resamples is not None, "the unit is not none"
    found = resamples.differences(one, two)
    if as_json:
        out.print_json(
            data={
                "unit": resamples.unit,
                "clusters": resamples.clusters,
                "seed": resamples.seed,
                "replicates": resamples.replicates,
                "differences": {name: _plain(difference) for name, difference in found.items()},
                "missing": {"first": _missing(one), "second": _missing(two)},
            }
        )
    else:
        say(out, f"A  {first}\nB  {second}\n")
        out.print(difference_table(found), crop=False)
        _say_intervals(resamples)
    for path, scored in ((first, one), (second, two)):
        _warn_of_missing(path, scored)


def _check_unit(unit: str, *known: str) -> None:
    if unit not in known:
        raise ConfigError(f"--intervals: '{unit}' is not offered: choose {', '.join(known[:-1])} or {known[-1]}.")


def _resamples(scored: Sequence[ScoredMessage], unit: str, seed: int | None) -> MessageResamples | None:
    from riskchain_gym.scoring.message_intervals import SEED, MessageResamples, Unit

    if unit == "none":
        return None
    drawn: Unit = "skeleton" if unit == "skeleton" else "session"
    return MessageResamples(scored, drawn, seed=SEED if seed is None else seed)


def _plain(model: Frozen | None) -> dict[str, Any] | None:
    return None if model is None else model.model_dump(mode="json")


def _say_intervals(resamples: MessageResamples | None) -> None:
    if resamples is not None:
        drawn = f"{resamples.clusters:,} {resamples.unit}s" if resamples.clusters != 1 else f"1 {resamples.unit}"
        sentence = f"Intervals: {resamples.replicates:,} bootstrap samples of {drawn}, seed {resamples.seed}."
        out.print(fill(sentence, out.width), style="dim", highlight=False, soft_wrap=True)


def _say_groups(by: str, scored: Sequence[ScoredMessage]) -> None:
    from riskchain_gym.scoring.message_groups import explain_groups

    texts = sum(len(each.row.messages) for each in scored)
    said = (
        f"A sample is a session in one variant, a row of the gold; these have {texts:,} messages in all.",
        *explain_groups(by, scored),
    )
    out.print(fill(" ".join(said), out.width), style="dim", highlight=False, soft_wrap=True)


def _say_policies(differing: Sequence[PolicyDifference]) -> None:
    if differing:
        named = ", ".join(each.sample_id for each in differing[:_LISTED])
        more = " …" if len(differing) > _LISTED else ""
        say(out, f"The entry policies disagree over {len(differing):,} of them: {named}{more} (all with --json)")


def _missing(scored: Sequence[ScoredMessage]) -> list[str]:
    return [each.row.sample_id for each in scored if each.commit is None]


def _warn_of_missing(predictions: Path, scored: Sequence[ScoredMessage]) -> None:
    if missing := _missing(scored):
        named = f"{', '.join(missing[:_LISTED])}{' …' if len(missing) > _LISTED else ''}"
        lacking = f"{len(missing)} of {len(scored)} samples have no prediction and count as wrong: {named}"
        say(err, f"{predictions}: {lacking}")
