"""The command ``riskchain serve-fake-llm``."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from riskchain_gym.console import make_console, say
from riskchain_gym.places import check_file
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.signals import stopped_by_signals

if TYPE_CHECKING:
    from riskchain_gym.llm.fake import FakeRequest
    from riskchain_gym.llm.fake_replies import FakeReply

out = make_console()
err = make_console(stderr=True)

LIST = "list"
"""What stands in the place of a failure's name to see them all."""


def serve_fake_llm(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 0,
    model: Annotated[
        list[str] | None, typer.Option(help="Model that there is; repeat for more (default: any name will do).")
    ] = None,
    api_key_env: Annotated[
        str | None,
        typer.Option(metavar="VAR", help="Environment variable with the key that is asked for (default: any key)."),
    ] = None,
    no_images: Annotated[bool, typer.Option("--no-images", help="Take no pictures, like a text-only model.")] = False,
    fail: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Failure to play; repeat to play several in turn. 'list' shows them all."),
    ] = None,
    every: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Fail the last of every N requests (default: all).")
    ] = None,
    after: Annotated[int | None, typer.Option(min=0, metavar="N", help="Fail all requests after the first N.")] = None,
    log: Annotated[
        Path | None, typer.Option(help="JSONL file to add a line to for each request.", show_default=False)
    ] = None,
) -> None:
    """Serve a scripted model for trying things out: it plays an agent and the judges, and fails on demand.

    It speaks the chat completions of OpenAI on this machine alone, until Ctrl+C. The same requests get the same
    answers; nothing that it says means anything.
    """
    from riskchain_gym.llm.fake import FakeEndpoint
    from riskchain_gym.llm.fake_log import LoggedScript
    from riskchain_gym.llm.fake_zoo import Troubled

    if fail is not None and LIST in fail:
        _show_failures()
        return
    if not fail and (every is not None or after is not None):
        raise ConfigError("--every and --after say when a failure comes: give --fail NAME, too.")
    key = _key(api_key_env)
    troubled = Troubled(fail or (), every=every, after=after)
    with ExitStack() as open_things:
        script: Callable[[FakeRequest], FakeReply] = troubled
        if log is not None:
            check_file(log)
            logged = LoggedScript(troubled, log)
            open_things.callback(logged.close)
            script = logged
        ended = threading.Event()
        open_things.enter_context(stopped_by_signals(ended.set))
        endpoint = FakeEndpoint(script, models=model or (), api_key=key, images=not no_images, port=port, record=False)
        open_things.enter_context(endpoint)
        lines = [f"export RISKCHAIN_LLM_BASE_URL={endpoint.base_url} RISKCHAIN_LLM_MODEL={(model or ['scripted'])[0]}"]
        if api_key_env is not None:
            lines.append(f'RISKCHAIN_LLM_API_KEY="${api_key_env}"')
        say(out, " ".join(lines))
        out.file.flush()
        say(
            err,
            f"A scripted model answers at {endpoint.base_url}. Paste the line into another terminal; Ctrl+C ends it.",
        )
        ended.wait()


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(f"The environment has no key in '{variable}': set it, or leave --api-key-env out.")
    return key


def _show_failures() -> None:
    from riskchain_gym.llm.fake_zoo import ZOO

    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("Failure", "Call is named", "What the endpoint does"):
        table.add_column(heading, overflow="fold")
    for mishap in ZOO.values():
        table.add_row(mishap.name, mishap.failure or "–", escape(mishap.summary))
    out.print(table)
