"""The commands that show messages: in the terminal, as pictures, and as the catalogue page."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from riskchain_gym.cli_audit import messages_app
from riskchain_gym.console import make_console
from riskchain_gym.places import check_file
from riskchain_gym.protocol.files import write_atomically

if TYPE_CHECKING:
    from riskchain_gym.messages.session import Session

__all__ = ["messages_app"]

out = make_console()
err = make_console(stderr=True)

Split = Annotated[str, typer.Option(help="Message split: train, dev, test, hard, ood, clean, no_entry or contrast.")]
Seed = Annotated[int, typer.Option(help="Public seed.")]
Recipe = Annotated[
    str | None, typer.Option(help="Recipe, e.g. 'full_pinyin@2+zero_width@1' (default: the split's own).")
]


@messages_app.command("show")
def show(
    split: Split = "train",
    recipe: Recipe = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many messages.")] = 3,
    seed: Seed = 2026,
) -> None:
    """Print messages of a split, disguised and plain."""
    for session in _sessions(split, seed, recipe, count):
        gold = session.gold
        out.rule(f"{gold.platform} · {gold.topic} · {gold.intent} · {gold.form}", align="left", style="dim")
        for variant, message in session.variants.items():
            ceiling = f"{100 * gold.ceilings[variant]:.0f} %"
            _say(f"{variant} {session.recipes[variant]}, ceiling {ceiling}", style="bold")
            for chat in message.messages:
                _say(f"{chat.role}: {chat.content}")
        _say("plain", style="bold")
        for plain in gold.messages:
            _say(plain.text)
        _say(f"→ {gold.entry or 'no entry'}")


@messages_app.command("sheet")
def sheet(
    to: Annotated[Path, typer.Option("--out", help="PNG file to write.")],
    split: Split = "hard",
    recipe: Recipe = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=96, help="How many messages.")] = 24,
    seed: Seed = 2026,
    dark: Annotated[bool, typer.Option("--dark", help="Dark colours.")] = False,
) -> None:
    """Draw messages as they look on their platforms, side by side."""
    from riskchain_gym.envs.browser.message_sheet import write_sheet

    check_file(to)
    shown = [session.variants["v000"] for session in _sessions(split, seed, recipe, count)]
    with err.status("Drawing …"):
        write_sheet(shown, to, theme="dark" if dark else "light")
    err.print(f"{count} messages: {to}", markup=False, highlight=False, soft_wrap=True)


@messages_app.command("catalogue")
def catalogue_page(
    to: Annotated[Path | None, typer.Option("--out", help="Markdown file to write (default: print it).")] = None,
) -> None:
    """Write the page that describes every recipe, with examples and the map of the published registry."""
    from riskchain_gym.messages.catalogue import catalogue

    with err.status("Writing examples …"):
        page = catalogue()
    if to is None:
        out.print(page, markup=False, highlight=False, emoji=False, soft_wrap=True, end="")
    else:
        check_file(to)
        write_atomically(to, page.encode())


def _sessions(split: str, seed: int, recipe: str | None, count: int) -> list[Session]:
    from riskchain_gym.messages.splits import iter_sessions, sessions_with
    from riskchain_gym.protocol.keyed import key_from_seed

    key = key_from_seed(seed)
    return list(islice(iter_sessions(split, key) if recipe is None else sessions_with(split, key, recipe), count))


def _say(text: str, style: str = "") -> None:
    out.print(Text(text, style=style), soft_wrap=True)
