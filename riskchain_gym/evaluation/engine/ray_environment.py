"""Environments on the machines of a Ray cluster; agents stay beside the parent."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from riskchain_gym.benchmark.splits import PUBLIC, load_manifest
from riskchain_gym.evaluation.engine.local import LocalEnvironments
from riskchain_gym.evaluation.engine.sides import SideLostError
from riskchain_gym.evaluation.engine.told import rebuilt, told
from riskchain_gym.evaluation.settings import RunSettings
from riskchain_gym.evaluation.versions import versions_of
from riskchain_gym.llm.settings import API_KEY_VARIABLE
from riskchain_gym.protocol.errors import ConfigError, InputFileError, MissingExtraError, UnknownNameError

_REACH_S, _LOOK_EVERY_S = 5.0, 0.5


class RayWorkers:
    """Starts environments as actors of a Ray cluster, spread over its nodes, each with a CPU of its own.

    Args:
        settings: How to run; ``ray`` names the cluster.
        versions: The versions that the run has, which a node must have too.

    Raises:
        MissingExtraError: Ray is not installed.
        ConfigError: There is no such cluster.
    """

    def __init__(self, settings: RunSettings, versions: Mapping[str, str]) -> None:
        self._ray, self._is_ours = _connected(settings.ray or "auto")
        self._settings = settings
        self._given = _given(settings, versions)
        self._links: list[RayLink] = []
        self._stopped = False
        self._lock = threading.Lock()
        self._actor_class = self._ray.remote(NodeEnvironment)

    def start(self) -> RayLink:
        """Start an environment on a node that has a CPU left.

        Raises:
            ConfigError: None has, or the node that has lacks the split or has other versions.
            SideLostError: The actor died at once, or :meth:`cut` was called meanwhile.
        """
        ray, settings = self._ray, self._settings
        with self._lock:
            if self._stopped:
                raise SideLostError("environment_unneeded", "the run is ending", counted=False)
            actor = self._actor_class.options(num_cpus=1, scheduling_strategy="SPREAD").remote(*self._given)
            link = RayLink(ray, actor, settings.worker_seconds)
            self._links = [each for each in self._links if not each.dead] + [link]
        try:
            link.call("check")
        except SideLostError as lost:
            if lost.cause == "worker_late":
                raise ConfigError(
                    f"No node of the Ray cluster at '{settings.ray}' has begun a worker within "
                    f"{settings.worker_seconds:g} s: give as many --workers as it has CPUs free, or add nodes."
                ) from lost
            raise
        return link

    def cut(self) -> None:
        """End every actor, those too that wait for a node; start none any more."""
        with self._lock:
            self._stopped = True
            links = list(self._links)
        for link in links:
            link.cut()

    def close(self) -> None:
        """Leave the cluster, unless this process was part of it before; idempotent."""
        if self._is_ours:
            self._ray.shutdown()


class RayLink:
    """Calls of one seat to an actor, as :class:`~riskchain_gym.evaluation.engine.links.Link` to a process.

    Args:
        ray: The module.
        actor: The actor.
        seconds: Longest wait for an answer.
    """

    def __init__(self, ray: Any, actor: Any, seconds: float) -> None:
        self._ray = ray
        self._actor = actor
        self._seconds = seconds
        self._dead = False

    @property
    def dead(self) -> bool:
        """Whether the actor is known to be gone."""
        return self._dead

    def call(self, name: str, *arguments: Any, seconds: float | None = None) -> Any:
        """Return what a call gives.

        Raises:
            SideLostError: The actor or its node is gone, or was killed because it took too long.
            Exception: What was raised there.
        """
        limit = self._seconds if seconds is None else seconds
        if self._dead:
            raise SideLostError("worker_died", "the actor is gone")
        try:
            reply = self._answer(self._actor.answer.remote(name, arguments), limit)
        except self._ray.exceptions.RayError as gone:
            self.cut()
            said = str(gone).strip().partition("\n")[0]
            raise SideLostError("worker_died", f"the actor died ({type(gone).__name__}: {said})") from gone
        if "error" in reply:
            raise rebuilt(reply["error"])
        return reply["value"]

    def _answer(self, asked: Any, limit: float) -> dict[str, Any]:
        """Wait for an answer a moment at a time: who waits for a node that never comes must see that it was cut."""
        end = time.monotonic() + limit
        while True:
            try:
                left = min(end - time.monotonic(), _LOOK_EVERY_S)
                answer: dict[str, Any] = self._ray.get(asked, timeout=max(left, 0))
                return answer
            except self._ray.exceptions.GetTimeoutError as late:
                if self._dead:
                    raise SideLostError("worker_died", "the actor was ended") from late
                if time.monotonic() >= end:
                    self.cut()
                    detail = f"the actor gave no answer within {limit:g} s and was killed"
                    raise SideLostError("worker_late", detail) from late

    def cut(self) -> None:
        """End the actor, and with it its browser."""
        self._dead = True
        with suppress(Exception):  # whatever is raised here, the actor is gone or its cluster is
            self._ray.kill(self._actor, no_restart=True)

    def end(self, seconds: float) -> None:  # noqa: ARG002 - nothing is waited for
        """End the actor, after the last call."""
        self.cut()


class NodeEnvironment:
    """The environments of a seat on a node, as an actor; it holds no key.

    Args:
        settings: How to run.
        public_sha256: Hash of the split's public file.
        versions: The versions that the run has.
    """

    def __init__(self, settings: RunSettings, public_sha256: str, versions: dict[str, str]) -> None:
        os.environ.pop(API_KEY_VARIABLE, None)
        self._settings = settings
        self._public_sha256 = public_sha256
        self._versions = versions
        self._environments = LocalEnvironments(settings)

    def answer(self, name: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
        """Return what a call gives, or what it raised; ``check`` refuses a node on which the run would be another."""
        try:
            if name == "check":
                self._check()
                return {"value": None}
            return {"value": getattr(self._environments, name)(*arguments)}
        except BaseException as error:  # noqa: BLE001 - the boundary between machines: whoever asked gets it
            return {"error": told(error)}

    def _check(self) -> None:
        node, split = socket.gethostname(), self._settings.split
        try:
            found = load_manifest(split).sha256[PUBLIC]
        except (UnknownNameError, InputFileError) as error:
            raise ConfigError(f"Node '{node}' of the Ray cluster lacks split '{split}': copy it there.") from error
        if found != self._public_sha256:
            raise ConfigError(f"Node '{node}' of the Ray cluster has another split '{split}': copy this one there.")
        here = versions_of(self._settings)
        for name, wanted in self._versions.items():
            if name in here and here[name] != wanted:
                raise ConfigError(
                    f"Node '{node}' of the Ray cluster has {name} {here[name]} and the run {wanted}: install that one."
                )


def _given(settings: RunSettings, versions: Mapping[str, str]) -> tuple[RunSettings, str, dict[str, str]]:
    split = settings.split
    place = str(Path(split).resolve()) if os.sep in split or "/" in split else split
    return replace(settings, split=place, ray=None), load_manifest(split).sha256[PUBLIC], dict(versions)


def _connected(address: str) -> tuple[Any, bool]:
    """Return Ray, connected to a cluster, and whether it was not so before."""
    try:
        import ray
    except ImportError:
        raise MissingExtraError("rllib", "Running on a Ray cluster (--ray)") from None
    if ray.is_initialized():
        return ray, False
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        _reach(address)
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        said = str(error).strip().partition("\n")[0]
        raise ConfigError(
            f"There is no Ray cluster at '{address}' ({said}): start one with `ray start --head`, and give its address."
        ) from error
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)  # Ray's own would end the program without a word
    return ray, True


def _reach(address: str) -> None:
    """Refuse an address at which nothing answers; Ray itself would try for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon:
        with closing(socket.create_connection((host.strip("[]"), int(port)), _REACH_S)):
            pass
