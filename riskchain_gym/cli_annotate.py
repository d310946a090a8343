"""The command ``riskchain annotate``."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated, Literal

import typer

from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_folder
from riskchain_gym.protocol.errors import MissingExtraError
from riskchain_gym.signals import stopped_by_signals

out = make_console()
err = make_console(stderr=True)

_NEEDS = ("starlette", "uvicorn", "PIL")


def annotate(
    annotator: Annotated[str, typer.Option(help="Who works: a name that the project's plan has.")],
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]",
            help="Folder of `riskchain labels plan`, or a new one to label alone (default: runs/labels-NAME, or "
            "runs/claims-NAME for a judge's questions).",
            show_default=False,
        ),
    ] = None,
    sites: Annotated[
        list[str] | None,
        typer.Option(help="To label alone: a split by name or path, or folders of `riskchain sites import`."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Port on 127.0.0.1; 0 takes a free one (default: the one that was used last, if it is free).",
            show_default=False,
        ),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Only print the address, open no browser.")] = False,
    task: Annotated[
        Literal["sites", "judge"] | None,
        typer.Option(help="Label sites, or answer a judge's questions (default: what the project is for)."),
    ] = None,
    pairs: Annotated[
        Path | None, typer.Option(help="To answer alone: JSONL of `riskchain judge pairs`.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="To label alone: draws the order.")] = 0,
    limit: Annotated[
        int | None, typer.Option(min=1, help="To label alone: take the first so many items, in order of id.")
    ] = None,
) -> None:
    """Label sites in a local web page: look at each as agents do, pin what you saw, answer.

    The address is printed; whoever has it can work under this name, from this machine only. Ctrl+C ends it. Everything
    is kept, and the same command goes on with it.
    """
    if any(importlib.util.find_spec(module) is None for module in _NEEDS):
        raise MissingExtraError("annotate", "The workbench")
    from riskchain_gym.annotation.opening import open_desk, open_project
    from riskchain_gym.annotation.ports import PortMemory
    from riskchain_gym.annotation.serving import WorkbenchServer

    kind = "claims" if task == "judge" or pairs is not None else "labels"
    where = folder or Path("runs") / f"{kind}-{annotator}"
    check_folder(where)
    subject: Literal["sites", "pairs"] | None = None if task is None else "sites" if task == "sites" else "pairs"
    with err.status("Reading the project …"):
        project = open_project(
            where, annotator, subject=subject, sites=sites or (), pairs=pairs, seed=seed, limit=limit
        )
        desk, visits = open_desk(project, annotator, sites=sites or (), pairs=pairs)
    try:
        with desk:
            ports = PortMemory(where, annotator)
            last = ports.last
            server = ports.serve(lambda number: WorkbenchServer(desk, number), port)
            ports.keep(server.port)
            with stopped_by_signals(server.stop):
                say(out, server.address)
                out.file.flush()
                items = f"{len(project.plan.items)} {'sites' if project.plan.subject == 'sites' else 'claims'}"
                say(err, f"{annotator} works in {where}, a project of {items}. Ctrl+C ends the workbench.")
                say(err, "A page that is open from before keeps what it has not saved: open the address in its tab.")
                if last not in (None, server.port) and port is None:
                    say(err, f"Port {last}, used last, is taken: what a tab has not saved yet comes along only there.")
                if not no_open:
                    _open(server.address)
                server.run()
    finally:
        if visits is not None:
            visits.close()


def _open(address: str) -> None:
    """Show a page in the person's browser; on a thread, for some browsers keep their caller until they end."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), name="open-page", daemon=True).start()
