"""The scripts that are run inside a page, read from ``js/`` once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, get_args

ScriptName = Literal["steady", "glyphs", "fit", "clock"]
"""A script that is run by itself."""

Function = Literal["inventory", "dom", "target", "fill", "submit", "select", "scroll", "rest", "focus"]
"""A function that is found in a world: the file of that name in ``js/``."""


@cache
def script(name: ScriptName) -> str:
    """Return a function expression that takes one argument."""
    return _read(name)


@cache
def library_source() -> str:
    """Return the script that gives a world the object ``observer``: a function a file, shared helpers in scope."""
    functions = ",\n".join(f"{name}: {_read(name)}" for name in get_args(Function))
    return f"globalThis.observer = (() => {{\n{_read('still')}\n{_read('shared')}\nreturn {{\n{functions}\n}};\n}})();"


def _read(name: str) -> str:
    return (files("riskchain_gym.envs.browser") / "js" / f"{name}.js").read_text("utf-8")
