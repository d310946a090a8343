"""Who plays the episodes of a run: sides in this process, or in processes that are replaced when they are lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from riskchain_gym.agents.registry import LoadedAgent
from riskchain_gym.evaluation.closing import AgentUnclosedError
from riskchain_gym.evaluation.engine.agent_process import AgentPlan
from riskchain_gym.evaluation.engine.links import (
    CLOSING_S,
    EnvironmentLink,
    Link,
    RemoteAgent,
    RemoteEnvironment,
    read_json,
    read_pickle,
)
from riskchain_gym.evaluation.engine.local import LocalAgent, LocalEnvironments
from riskchain_gym.evaluation.engine.process import TIDY_S, Child
from riskchain_gym.evaluation.engine.sides import AgentSide, EnvironmentSide, SideLostError
from riskchain_gym.evaluation.run_models import Asking
from riskchain_gym.evaluation.settings import RunSettings


class Staff(Protocol):
    """Gives each seat its sides; a seat is a thread, numbered from 0."""

    def environment(self, seat: int) -> EnvironmentSide:
        """Return the environment of a seat, a new one where the last was lost."""

    def agent(self, name: str, seat: int) -> AgentSide:
        """Return a seat's instance of an agent, by the name it was asked for; a new one where the last was lost.

        Raises:
            AgentUnclosedError: The agent that the seat had before raised when it was closed.
        """

    def leave(self, seat: int) -> None:
        """Close what a seat has.

        Raises:
            AgentUnclosedError: An agent raised.
        """

    def stop(self) -> None:
        """End what is in flight, as far as that can be done without losing account of it."""

    def kill(self) -> None:
        """End everything that is left at once."""


class LocalStaff:
    """Everything in this process: quick to start, and a debugger reaches it.

    Args:
        settings: How to run.
        load: Makes an agent of its name, for each seat anew.
        ending: Called when what is in flight is to be ended.
    """

    def __init__(
        self,
        settings: RunSettings,
        load: Callable[[str], LocalAgent],
        ending: Callable[[], None] | None = None,
    ) -> None:
        self._settings = settings
        self._load = load
        self._ending = ending
        self._environments: dict[int, LocalEnvironments] = {}
        self._agents: dict[tuple[str, int], LocalAgent] = {}

    def environment(self, seat: int) -> EnvironmentSide:
        """Return the environments of a seat."""
        return self._environments.setdefault(seat, LocalEnvironments(self._settings))

    def agent(self, name: str, seat: int) -> AgentSide:
        """Return a seat's instance of an agent."""
        if (name, seat) not in self._agents:
            self._agents[name, seat] = self._load(name)
        return self._agents[name, seat]

    def leave(self, seat: int) -> None:
        """Close what a seat has.

        Raises:
            AgentUnclosedError: An agent raised.
        """
        unclosed: AgentUnclosedError | None = None
        for place in [place for place in self._agents if place[1] == seat]:
            try:
                self._agents.pop(place).close()
            except AgentUnclosedError as error:
                unclosed = error
        if seat in self._environments:
            self._environments.pop(seat).close()
        if unclosed is not None:
            raise unclosed

    def stop(self) -> None:
        """End what is in flight; episodes end with their next action."""
        if self._ending is not None:
            self._ending()

    def kill(self) -> None:
        """Nothing can be done to threads; they end with their next action."""


def loading(load: Callable[[str], LoadedAgent]) -> Callable[[str], LocalAgent]:
    """Return how agents are made for this process whose calls nobody counts."""
    return lambda name: LocalAgent(load(name))


class Workers(Protocol):
    """Starts environments on other machines."""

    def start(self) -> EnvironmentLink:
        """Start one, and return what leads to it.

        Raises:
            SideLostError: It cannot be started, or was cut while it started.
        """

    def cut(self) -> None:
        """End at once what was started, and what is just starting; start nothing any more."""

    def close(self) -> None:
        """Let go of the machines; idempotent."""


class ProcessStaff:
    """A process for each seat's environment, and processes apart from them for agents.

    An agent that asks no model has a process for each seat. One that does has one process for all seats, so that its
    models are asked from one place.

    Args:
        settings: How to run.
        plans: The agents, by the name they were asked for.
        seats: Number of seats.
        workers: Where environments are started, if that is on other machines.
    """

    def __init__(
        self, settings: RunSettings, plans: Mapping[str, AgentPlan], seats: int, workers: Workers | None = None
    ) -> None:
        # Where models are is no business of an environment.
        self._settings = replace(settings, asking=Asking())
        self._plans = plans
        self._seats = seats
        self._workers = workers
        self._environments: dict[int, RemoteEnvironment] = {}
        self._agents: dict[int, tuple[str, RemoteAgent]] = {}
        self._shared: dict[str, Child] = {}
        self._children: set[Child] = set()
        self._stopped = False
        self._lock, self._sharing = threading.Lock(), threading.Lock()

    def environment(self, seat: int) -> EnvironmentSide:
        """Return the environments of a seat, in a process that starts while others are at work.

        Raises:
            SideLostError: It cannot be started.
        """
        found = self._environments.get(seat)
        if found is None or found.link.dead:
            found = self._environments[seat] = RemoteEnvironment(self._environment_link())
        return found

    def agent(self, name: str, seat: int) -> AgentSide:
        """Return a seat's instance of an agent.

        Raises:
            SideLostError: Its process cannot be started.
            AgentUnclosedError: The agent that the seat had before raised when it was closed.
        """
        at = self._agents.get(seat)
        if at is not None and at[0] == name and not at[1].link.child.dead:
            return at[1]
        self._leave_agent(seat)
        plan = self._plans[name]
        child = self._shared_child(plan) if plan.asks_model else self._started("agent", plan)
        agent = RemoteAgent(Link(child, seat if plan.asks_model else 0, read_json, self._settings.agent_seconds), plan)
        self._agents[seat] = name, agent
        return agent

    def leave(self, seat: int) -> None:
        """Close what a seat has, and end its processes.

        Raises:
            AgentUnclosedError: An agent raised.
        """
        try:
            self._leave_agent(seat)
        finally:
            environment = self._environments.pop(seat, None)
            if environment is not None and self._stopped:
                environment.link.cut()
                environment.link.end(0)
            elif environment is not None:
                environment.close()

    def stop(self) -> None:
        """End environments, and calls to models that are in flight; nothing is started any more."""
        with self._lock:
            self._stopped = True
            children = set(self._children)
        for environment in list(self._environments.values()):
            environment.link.cut()
        if self._workers is not None:
            self._workers.cut()
        for child in children:
            child.end_calls()

    def kill(self) -> None:
        """End every process that is left; nothing is started any more."""
        with self._lock:
            self._stopped = True
            children, self._children = self._children, set()
        for child in children:
            child.cut()
        until = time.monotonic() + TIDY_S
        for child in children:
            child.kill(until)
        if self._workers is not None:
            self._workers.cut()
            self._workers.close()

    def _environment_link(self) -> EnvironmentLink:
        if self._workers is not None:
            return self._workers.start()
        return Link(self._started("environment", self._settings), 0, read_pickle, self._settings.worker_seconds)

    def _leave_agent(self, seat: int) -> None:
        if seat not in self._agents:
            return
        name, agent = self._agents.pop(seat)
        try:
            agent.close()
        finally:
            if not self._plans[name].asks_model:
                agent.link.child.wait(CLOSING_S)

    def _started(self, side: str, given: object, seats: int = 1, *, keyed: bool = False) -> Child:
        ending = SideLostError(f"{side}_unneeded", "the run is ending", counted=False)
        if self._stopped:
            raise ending
        child = Child(side, given, seats, keyed=keyed)
        with self._lock:
            stopped = self._stopped
            if not stopped:
                self._children = {each for each in self._children if not each.dead} | {child}
        if stopped:  # while it started
            child.kill()
            raise ending
        return child

    def _shared_child(self, plan: AgentPlan) -> Child:
        with self._sharing:
            child = self._shared.get(plan.name)
            if child is None or child.dead:
                child = self._shared[plan.name] = self._started("agent", plan, self._seats, keyed=True)
            return child
