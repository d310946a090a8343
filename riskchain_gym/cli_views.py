"""The commands that show messages: in the terminal, as pictures, and as the catalogue page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.rule import Rule
from rich.text import Text

from riskchain_gym.cli_audit import messages_app
from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_file
from riskchain_gym.protocol.files import write_atomically

if TYPE_CHECKING:
    from riskchain_gym.messages.showing import ShownSession
    from riskchain_gym.protocol.gold import MessageGold

__all__ = ["messages_app"]

out = make_console()
err = make_console(stderr=True)

Split = Annotated[
    str,
    typer.Option(
        help="Message split: train, dev, test, hard, ood, clean, no_entry or contrast; or the folder of a built split "
        "or of a transfer set."
    ),
]
Seed = Annotated[int | None, typer.Option(help="Public seed (default: 2026).", show_default=False)]
Recipe = Annotated[
    str | None, typer.Option(help="Recipe, e.g. 'full_pinyin@2+zero_width@1' (default: the split's own).")
]
Start = Annotated[int, typer.Option(min=0, help="How many sessions to pass over.")]

_WIDEST_RULE = 80
_LINE_ENDS = str.maketrans({"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""What JSON holds as it is and some readers of lines stop at."""


@messages_app.command("show")
def show(
    split: Split = "train",
    recipe: Recipe = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many sessions.")] = 3,
    start: Start = 0,
    seed: Seed = None,
    raw: Annotated[bool, typer.Option("--raw", help="Print invisible characters as they are, not as ⟨200B⟩.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a session, a line each.")] = False,
) -> None:
    """Print messages of a split, disguised and plain."""
    from riskchain_gym.messages.visible import show_invisible

    for session in _sessions(split, seed, recipe, start, count):
        if as_json:
            say(out, _line(session), raw=True)
        else:
            _show(session, str if raw else show_invisible)


@messages_app.command("sheet")
def sheet(
    to: Annotated[Path, typer.Option("--out", help="PNG file to write.")],
    split: Split = "hard",
    recipe: Recipe = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=96, help="How many sessions.")] = 24,
    start: Start = 0,
    seed: Seed = None,
    dark: Annotated[bool, typer.Option("--dark", help="Dark colours.")] = False,
) -> None:
    """Draw messages as they look on their platforms, side by side: of every session the first variant."""
    from riskchain_gym.envs.browser.message_sheet import write_sheet

    check_file(to)
    shown = [next(iter(session.variants.values())) for session in _sessions(split, seed, recipe, start, count)]
    with err.status("Drawing …"):
        write_sheet(shown, to, theme="dark" if dark else "light")
    say(err, f"{len(shown)} messages: {to}")


@messages_app.command("catalogue")
def catalogue_page(
    to: Annotated[Path | None, typer.Option("--out", help="File to write, Markdown (default: print it).")] = None,
    technique: Annotated[
        str | None, typer.Option(help="Only this technique, as plain text, with an example at each severity.")
    ] = None,
) -> None:
    """Write the page that describes every recipe, with examples and the map of the published registry."""
    from riskchain_gym.messages.catalogue import catalogue, describe_technique

    with err.status("Writing examples …"):
        page = catalogue() if technique is None else describe_technique(technique)
    if to is None:
        say(out, page, end="")
    else:
        check_file(to)
        write_atomically(to, page.encode())


def _sessions(split: str, seed: int | None, recipe: str | None, start: int, count: int) -> Iterator[ShownSession]:
    from riskchain_gym.messages.showing import shown_sessions

    return islice(shown_sessions(split, seed=seed, recipe=recipe, start=start), count)


def _show(session: ShownSession, visible: Callable[[str], str]) -> None:
    gold = session.gold
    first = next(iter(session.variants.values()))
    kind = f"{gold.topic} · {gold.intent} · {gold.form}" if gold else "no gold"
    heading = " · ".join(
        part for part in (session.name, first.platform, first.surface, kind.removeprefix(" · ")) if part
    )
    out.print(Rule(Text(heading), align="left", style="dim"), width=min(out.width, _WIDEST_RULE))
    for variant, message in session.variants.items():
        say(out, f"{variant}{_how(gold, variant)}", style="bold")
        for chat in message.messages:
            say(out, f"{chat.role}: {visible(chat.content)}", raw=True)
    if gold is not None:
        say(out, "plain", style="bold")
        for plain in gold.messages:
            say(out, visible(plain.text), raw=True)
        say(out, f"→ {gold.entry or 'no entry'}")


def _how(gold: MessageGold | None, variant: str) -> str:
    if gold is None:
        return ""
    recipe, ceiling = gold.traces[variant].recipe, gold.ceilings[variant]
    return f" {recipe}" if ceiling is None else f" {recipe}, ceiling {100 * ceiling:.0f} %"


def _line(session: ShownSession) -> str:
    fields: dict[str, object] = {
        "session": session.name,
        "variants": {variant: message.model_dump(mode="json") for variant, message in session.variants.items()},
    }
    if (gold := session.gold) is not None:
        fields["recipes"] = {variant: trace.recipe for variant, trace in gold.traces.items()}
        fields["gold"] = gold.model_dump(mode="json", exclude={"traces"})
    return json.dumps(fields, ensure_ascii=False).translate(_LINE_ENDS)
