"""The commands that show sites: ``riskchain sites show`` and ``riskchain sites sheet``."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riskchain_gym.cli_sites import Content, filled_library, sites_app
from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_file, check_folder
from riskchain_gym.protocol.errors import ConfigError, UnknownNameError

if TYPE_CHECKING:
    from riskchain_gym.protocol.gold import SiteGold
    from riskchain_gym.sites.compiled import CompiledSite
    from riskchain_gym.sites.spec import Lang

__all__ = ["sites_app"]

out = make_console()
err = make_console(stderr=True)

Seed = Annotated[int, typer.Option(help="Seed of what is drawn.")]
Language = Annotated[
    str | None, typer.Option("--lang", help="zh-CN, zh-TW, en or mixed (default: any).", show_default=False)
]
Pool = Annotated[Path | None, typer.Option(help="Folder of a built pool to take from, instead of drawing anew.")]
Mobile = Annotated[bool, typer.Option("--mobile", help="A window of 390x844 instead of 1280x900.")]


@sites_app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="Archetype; or, with --split or --pool, the id of a site.")],
    seed: Seed = 2026,
    lang: Language = None,
    pool: Pool = None,
    split: Annotated[
        str | None,
        typer.Option(help="Split by name or path: show its site of this id, or that of a chain; no gold is read."),
    ] = None,
    content: Content = None,
    to: Annotated[Path | None, typer.Option("--out", help="Folder to write screenshots to.")] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve it on this machine until Ctrl-C and print the address.")
    ] = False,
    mobile: Mobile = False,
) -> None:
    """Show one site: its pages on the way to what decides it, as pictures; or the site itself, in your browser."""
    _check_pool_alone(pool, lang, content)
    if split is not None:
        _check_split_alone(pool, lang, content, to)
        planned = _site_of_split(split, name)
        say(err, f"{planned.operator} · {planned.lang}")
        _serve(planned, in_browser=not serve)
        return
    if to is not None:
        from riskchain_gym.envs.browser.site_sheet import check_pages_folder

        check_folder(to)
        check_pages_folder(to)
    site, gold = _site(name, seed, lang, pool, content)
    look = site.look
    gates = f" · gates {' '.join(gold.gates)}" if gold.gates else ""
    say(err, f"{site.operator} · {gold.archetype} · {site.lang} · {look.presentation} · {look.theme}{gates}")
    if to is not None:
        _write(site, gold, to, mobile)
    if serve or to is None:
        _serve(site, in_browser=not serve)


@sites_app.command("sheet")
def sheet(
    to: Annotated[Path, typer.Option("--out", help="PNG or WebP file to write; an HTML page is written beside it.")],
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=96, help="How many sites.")] = 48,
    seed: Seed = 2026,
    lang: Language = None,
    pool: Pool = None,
    content: Content = None,
    mobile: Mobile = False,
) -> None:
    """Draw the landing pages of random sites, or of the first of a pool, side by side."""
    from riskchain_gym.envs.browser.site_sheet import contact_sheet
    from riskchain_gym.protocol.keyed import key_from_seed
    from riskchain_gym.sites.find import first_sites
    from riskchain_gym.sites.show import random_sites

    _check_pool_alone(pool, lang, content)
    check_file(to)
    with err.status("Drawing …"):
        if pool is not None:
            sites, captions = first_sites(pool, count), []
        else:
            chosen = filled_library(content)
            drawn = list(random_sites(count, key_from_seed(seed), lang=_language(lang), content=chosen))
            sites, captions = [each.site for each in drawn], [each.caption for each in drawn]
        index = contact_sheet(sites, to, "mobile" if mobile else "desktop", captions)
    say(err, f"{len(sites)} sites: {to}, {index}")


def _check_pool_alone(pool: Path | None, lang: str | None, content: Path | None) -> None:
    for name, given in (("--lang", lang), ("--content", content)):
        if pool is not None and given is not None:
            raise ConfigError(f"--pool shows what the pool holds: leave out {name}.")


def _check_split_alone(pool: Path | None, lang: str | None, content: Path | None, to: Path | None) -> None:
    for name, given in (("--pool", pool), ("--lang", lang), ("--content", content)):
        if given is not None:
            raise ConfigError(f"--split shows what the split holds: leave out {name}.")
    if to is not None:
        raise ConfigError("--out draws the way to what decides a site, which is gold: leave it out, or give --pool.")


def _site_of_split(split: str, name: str) -> CompiledSite:
    from riskchain_gym.benchmark.splits import load_public
    from riskchain_gym.sites.compiled import CompiledSite

    found = [chain.site for chain in load_public(split) if name in (chain.site.site_id, chain.chain_id)]
    if not found:
        raise UnknownNameError(
            f"The split {split} has no site and no chain '{name}': `riskchain labels items --sites {split}` lists them."
        )
    if not isinstance(found[0], CompiledSite):
        raise ConfigError(
            f"'{name}' was captured, and captured pages are opened in the agents' browser only: look at it with "
            f"`riskchain annotate DIR --sites {split} --annotator NAME`, in a DIR of your own."
        )
    return found[0]


def _site(
    name: str, seed: int, lang: str | None, pool: Path | None, content: Path | None
) -> tuple[CompiledSite, SiteGold]:
    from riskchain_gym.protocol.keyed import key_from_seed
    from riskchain_gym.sites.build import build_site
    from riskchain_gym.sites.find import find_site

    if pool is not None:
        return find_site(pool, name)
    chosen = filled_library(content)
    wanted, languages = _language(lang), chosen.languages(name)
    if wanted is None:
        wanted = "zh-CN" if "zh-CN" in languages else languages[0]
    elif wanted not in languages:
        raise UnknownNameError(f"There is no '{name}' in the language '{wanted}': give one of {', '.join(languages)}.")
    return build_site(name, key_from_seed(seed), "shown", lang=wanted, content=chosen)


def _language(lang: str | None) -> Lang | None:
    from typing import get_args

    from riskchain_gym.sites.spec import Lang

    found: dict[str, Lang] = {known: known for known in get_args(Lang)}
    if lang is not None and lang not in found:
        raise UnknownNameError(f"There is no language '{lang}': give one of {', '.join(found)}.")
    return None if lang is None else found[lang]


def _write(site: CompiledSite, gold: SiteGold, folder: Path, mobile: bool) -> None:
    from riskchain_gym.envs.browser.site_sheet import write_pages
    from riskchain_gym.sites.show import pages_on_path

    with err.status("Drawing …"):
        files = write_pages(list(pages_on_path(site, gold.path)), folder, "mobile" if mobile else "desktop")
    say(err, f"{len(files)} pages: {folder / 'index.html'}")


def _serve(site: CompiledSite, *, in_browser: bool) -> None:
    import webbrowser

    from riskchain_gym.sites.show import served

    with served(site) as address:
        say(out, address)
        say(err, "Ctrl-C ends it.")
        if in_browser:
            webbrowser.open(address)
        _until_interrupted()


def _until_interrupted() -> None:
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        err.print("Ended.")
