"""The scripts that are run inside a page, read from ``js/`` once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

ScriptName = Literal["steady", "glyphs", "fit", "clock"]
"""A script that is run by itself."""

_LIBRARY = ("inventory", "dom", "target", "fill", "submit", "select", "scroll", "rest", "focus")


@cache
def script(name: ScriptName) -> str:
    """Return a function expression that takes one argument."""
    return _read(name)


@cache
def library_source() -> str:
    """Return the script that gives a world the object ``observer``: a function a file, shared helpers in scope."""
    functions = ",\n".join(f"{name}: {_read(name)}" for name in _LIBRARY)
    return f"globalThis.observer = (() => {{\n{_read('still')}\n{_read('shared')}\nreturn {{\n{functions}\n}};\n}})();"


def _read(name: str) -> str:
    return (files("riskchain_gym.envs.browser") / "js" / f"{name}.js").read_text("utf-8")
