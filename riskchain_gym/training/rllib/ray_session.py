"""Ray around a run: started or joined, and left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from riskchain_gym.protocol.errors import ConfigError, InfrastructureError
from riskchain_gym.training.rllib.quiet import quiet
from riskchain_gym.training.rllib.settings import TrainSettings

SMALLEST_STORE = 80 * 2**20
"""Bytes of the smallest object store that Ray makes."""

ATTEMPTS = 3
"""Ray gives its processes 30 s to come up, which a machine that has much to do may miss."""


@contextmanager
def ray_session(settings: TrainSettings) -> Iterator[None]:
    """Start or join Ray, which RLlib needs even where one process does everything, and leave it at the end.

    Nothing is done where Ray runs in this process already.

    Args:
        settings: Those of the run.

    Raises:
        ConfigError: There is no cluster at the address.
        InfrastructureError: Ray does not start.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    quiet()
    if ray.is_initialized():
        yield
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if settings.ray_address is not None:
        options["address"] = settings.ray_address
    else:
        options["include_dashboard"] = False
        if settings.is_local:  # nothing runs on it: no process is to wait for work, no memory to be set aside
            options |= {"num_cpus": 1, "object_store_memory": SMALLEST_STORE}
    _start(ray, options)
    try:
        yield
    finally:
        ray.shutdown()


def _start(ray: Any, options: dict[str, Any]) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            ray.init(**options)
        except Exception as error:  # Ray's own errors at the start have no class
            ray.shutdown()
            said = str(error).strip().partition("\n")[0]
            if "address" in options:
                raise ConfigError(
                    f"Ray could not be reached at '{options['address']}' ({said}): start a cluster with `ray start "
                    "--head` and give its address, or leave ray_address out."
                ) from error
            if attempt == ATTEMPTS:
                raise InfrastructureError(
                    "ray", f"Ray did not start ({said}): make room for it, then try again."
                ) from error
        else:
            return
