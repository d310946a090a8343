"""Stand-ins for the packages of other stacks: as much of each as its adapter builds on, in its own words.

They let the adapters be played by fake trainers where nothing of those stacks is installed; ``test_real_*`` holds the
adapters against the packages themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field


class Indexed:
    """A class that takes type arguments and does nothing with them."""

    def __class_getitem__(cls, item: object) -> type:
        return cls


def verifiers() -> dict[str, ModuleType]:
    class Task(Indexed):
        def __init__(self, data: Any, config: Any) -> None:
            self.data, self.config = data, config

    class Taskset(Indexed):
        def __init__(self, config: Any) -> None:
            self.config = config

    class TasksetConfig(BaseModel):
        task: dict[str, Any] = {}

    class TaskData(BaseModel):
        name: str | None = None
        prompt: str | None = None
        system_prompt: str | None = None

    class AgentConfig(BaseModel):
        harness: dict[str, Any] = {}
        runtime: dict[str, Any] = {}

    names = {
        "Task": Task,
        "Taskset": Taskset,
        "TasksetConfig": TasksetConfig,
        "TaskData": TaskData,
        "AgentConfig": AgentConfig,
        "EnvConfig": type("EnvConfig", (BaseModel,), {}),
        "Env": type("Env", (Indexed,), {}),
    }
    return {"verifiers": _module("verifiers"), "verifiers.v1": _module("verifiers.v1", **names)}


def openenv() -> dict[str, ModuleType]:
    class Action(BaseModel):
        model_config = ConfigDict(extra="forbid")

    class Observation(BaseModel):
        model_config = ConfigDict(extra="forbid")
        done: bool = False
        reward: float | None = None

    class State(BaseModel):
        episode_id: str | None = None
        step_count: int = Field(default=0, ge=0)

    base = type("Environment", (Indexed,), {})
    server = "openenv.core.env_server"
    return {
        "fastapi": _module("fastapi", FastAPI=object),
        "uvicorn": _module("uvicorn"),
        "starlette": _module("starlette"),
        "starlette.middleware": _module("starlette.middleware"),
        "starlette.middleware.trustedhost": _module("starlette.middleware.trustedhost", TrustedHostMiddleware=object),
        "openenv": _module("openenv"),
        "openenv.core": _module("openenv.core"),
        server: _module(server),
        f"{server}.http_server": _module(f"{server}.http_server", create_fastapi_app=None),
        f"{server}.interfaces": _module(f"{server}.interfaces", Environment=base),
        f"{server}.types": _module(
            f"{server}.types", Action=Action, ConcurrencyConfig=object, Observation=Observation, State=State
        ),
    }


def inspect_ai() -> dict[str, ModuleType]:
    class Score(SimpleNamespace):
        @classmethod
        def unscored(cls, **more: Any) -> Any:
            return cls(value=float("nan"), **more)

    def plain(function: Any) -> Any:
        return function

    async def run_sync(job: Any) -> Any:
        return job()

    value = type("Value", (SimpleNamespace,), {})
    names: dict[str, dict[str, Any]] = {
        "anyio": {},
        "anyio.to_thread": {"run_sync": run_sync},
        "inspect_ai": {"Task": value, "task": plain},
        "inspect_ai.dataset": {"Sample": value},
        "inspect_ai.model": {
            "ChatMessageSystem": value,
            "ChatMessageTool": value,
            "ChatMessageUser": value,
            "get_model": None,
        },
        "inspect_ai.scorer": {
            "Score": Score,
            "Scorer": object,
            "Target": object,
            "mean": lambda: "mean",
            "scorer": lambda metrics: plain,
            "stderr": lambda: "stderr",
        },
        "inspect_ai.solver": {"Generate": object, "Solver": object, "TaskState": object, "solver": plain},
        "inspect_ai.tool": {"ToolCall": object, "ToolInfo": value, "ToolParams": value},
    }
    return {name: _module(name, **inside) for name, inside in names.items()}


@contextmanager
def standing_in(modules: dict[str, ModuleType], adapter: str) -> Iterator[ModuleType]:
    """Import an adapter upon stand-ins, and forget it afterwards."""
    name = f"riskchain_gym.training.adapters.{adapter}"
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, name, raising=False)
        for each, module in modules.items():
            patch.setitem(sys.modules, each, module)
        __import__(name)
        yield sys.modules.pop(name)


def _module(name: str, **inside: Any) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = []
    vars(module).update(inside)
    return module
