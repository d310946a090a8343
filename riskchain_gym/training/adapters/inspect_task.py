"""Inspect AI: the chain as a task with tools, a loop that plays it, and a scorer of gate, web and end to end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from riskchain_gym.envs.config import Kind
from riskchain_gym.protocol.errors import ConfigError, MissingExtraError
from riskchain_gym.training.adapters.session import TextSession
from riskchain_gym.training.adapters.tools import Tool

try:
    from anyio.to_thread import run_sync
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageTool, ChatMessageUser, get_model
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.tool import ToolCall, ToolInfo, ToolParams
except ImportError as error:
    raise MissingExtraError("inspect", "The Inspect AI task") from error

R = TypeVar("R")

MAX_SAMPLES = 10_000
"""The largest split that is taken whole."""

LOST_AT_MOST = 0.01
"""Share of samples that the infrastructure may lose before a run counts as failed, as in the benchmark."""

SCORES: dict[Kind, dict[str, str]] = {
    "chain": {"gate": "gate.passed", "web": "web_correct", "end_to_end": "end_to_end_correct"},
    "restore": {"gate": "gate.passed"},
    "browse": {"web": "web_correct"},
}
"""What is scored in each environment, with the key of the outcome that says it."""


@task
def riskchain(
    env_id: str = "RiskChain-v0",
    split: str = "mini",
    backend: str = "text",
    count: int | None = None,
    config: str | None = None,
) -> Task:
    """Return the task: a sample for each chain.

    An episode that the infrastructure lost is an error of its sample, which has no score; it is never counted as wrong.
    A run goes on after it, and ends with the status ``error`` if more than one in a hundred is lost. A model that stops
    early, or meets a limit, is scored by the environment's rules: its report is missing.

    Args:
        env_id: ``RiskChain-v0``, ``RiskChainRestore-v0`` or ``RiskChainBrowse-v0``.
        split: The split.
        backend: ``text`` or ``chromium``.
        count: How many chains, from the start of the split; all of them unless given.
        config: A name in ``envs/`` or the path of a TOML file.

    Raises:
        ConfigError: An argument is bad, or the split is too large to be taken whole.
    """
    settings: dict[str, Any] = {"split": split, "backend": backend, "config": config}
    listing = TextSession(env_id, **settings)
    ids, kind = listing.env.chain_ids, listing.kind
    listing.close()
    if count is None and len(ids) > MAX_SAMPLES:
        raise ConfigError(f"split='{split}' has {len(ids):,} chains: say how many with count=.")
    sessions: dict[str, TextSession] = {}

    @solver
    def play() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
            session = sessions[state.uuid] = await _aside(partial(TextSession, env_id, **settings))
            shown = await _aside(partial(session.reset, chain=str(state.sample_id)))
            state.messages = [ChatMessageSystem(content=session.system_prompt), ChatMessageUser(content=shown)]
            session.check()
            infos = [_info(each) for each in session.tools]
            while not session.done and not state.completed:
                state.output = await get_model().generate(state.messages, tools=infos)
                state.messages.append(state.output.message)
                state.messages += await _answers(session, state.output.message)
                session.check()
                if state.output.stop_reason == "model_length":
                    break
            return state

        return solve

    @scorer(metrics={name: [mean(), stderr()] for name in SCORES[kind]})
    def outcome() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
            session = sessions.get(state.uuid)
            if session is None or session.lost:
                return Score.unscored(explanation=session.lost if session else "The episode never began.")
            await _aside(session.settle)
            session.check()
            found = session.outcome
            values = {name: int(found[key]) for name, key in SCORES[kind].items()}
            return Score(value=values, answer=str(found["status"]), explanation=str(found.get("first_failure", "")))

        return score

    async def clean_up(state: TaskState) -> None:
        session = sessions.pop(state.uuid, None)
        if session is not None:
            await _aside(session.close)

    return Task(
        dataset=[Sample(id=each, input="A case of RiskChain.") for each in ids[:count]],
        solver=play(),
        scorer=outcome(),
        cleanup=clean_up,
        fail_on_error=LOST_AT_MOST,
        continue_on_fail=True,
    )


async def _aside(job: Callable[[], R]) -> R:
    """Do something of the environment in a thread, so that other samples go on meanwhile."""
    done: R = await run_sync(job)
    return done


async def _answers(session: TextSession, message: Any) -> list[Any]:
    """Return what the environment says to one message of the model: to each of its calls, or to its words."""
    if not message.tool_calls:
        return [ChatMessageUser(content=await _aside(partial(session.act, message.text)))]
    return [
        ChatMessageTool(
            content=await _aside(partial(session.call, call.function, _arguments(call))),
            tool_call_id=call.id,
            function=call.function,
        )
        for call in message.tool_calls
    ]


def _arguments(call: ToolCall) -> Any:
    # Arguments that could not be read are no object, and so a strike.
    return call.parse_error if call.parse_error else call.arguments


def _info(tool: Tool) -> ToolInfo:
    return ToolInfo(name=tool.name, description=tool.description, parameters=ToolParams(**tool.schema))
