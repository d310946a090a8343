"""The scripts that are run inside a page, read from ``js/`` once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

ScriptName = Literal["inventory", "target", "submit", "select", "steady", "prepare", "glyphs", "fit"]


@cache
def script(name: ScriptName) -> str:
    """Return a function expression that takes one argument; the shared helpers are in its scope."""
    folder = files("riskchain_gym.envs.browser") / "js"
    shared = (folder / "shared.js").read_text("utf-8")
    body = (folder / f"{name}.js").read_text("utf-8")
    return f"(argument) => {{\n{shared}\nreturn (\n{body})(argument);\n}}"
