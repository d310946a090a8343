"""Typed methods out of the table of tools, for trainers that read a tool off a function's signature and docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from riskchain_gym.training.adapters.tools import Tool

Method = Callable[..., str]
"""A method that takes a tool's arguments and returns an observation."""


def tool_method(tool: Tool, call: Callable[[Any, str, dict[str, Any]], str]) -> Method:
    """Return a tool as a method: its name, types, defaults and docstring are the tool's.

    Its signature is for whoever reads it. Called, the method takes whatever comes: an argument too many or too few is
    the model's mistake, which the session makes a strike, and no ``TypeError`` that a trainer would swallow.

    Args:
        tool: The tool.
        call: Called with the object, the tool's name and the arguments.
    """
    known = [each.name for each in tool.parameters]

    def method(self: Any, /, *args: Any, **kwargs: Any) -> str:
        # One too many gets a name that no tool knows, so that it is refused and not dropped.
        names = known + [f"argument {place}" for place in range(len(known) + 1, len(args) + 1)]
        return call(self, tool.name, dict(zip(names, args, strict=False)) | kwargs)

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            annotation=each.annotation if each.required else each.annotation | None,
            default=inspect.Parameter.empty if each.required else None,
        )
        for each in tool.parameters
    ]
    method.__name__ = tool.name
    method.__doc__ = _docstring(tool)
    method.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": str}
    method.__signature__ = inspect.Signature([own, *parameters], return_annotation=str)  # type: ignore[attr-defined]
    return method


def _docstring(tool: Tool) -> str:
    lines = [tool.description]
    if tool.parameters:
        lines += ["", "Args:", *(f"    {each.name}: {each.description}" for each in tool.parameters)]
    return "\n".join([*lines, "", "Returns:", "    What is seen next."])
