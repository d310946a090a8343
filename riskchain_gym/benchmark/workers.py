"""Work spread over processes; what comes back is in order and does not depend on how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Protocol, TypeVar

from riskchain_gym.protocol.errors import InfrastructureError

A = TypeVar("A")
B = TypeVar("B")

_CHUNK = 32


class Run(Protocol):
    """Applies a function to items; what it returns comes in the order of the items."""

    def __call__(self, function: Callable[[A], B], items: Sequence[A]) -> Iterable[B]:
        """Return what the function makes of each item."""


@contextmanager
def workers(count: int) -> Iterator[Run]:
    """Yield a way to work on items in ``count`` processes, started afresh so that nothing is shared with this one.

    With one, everything is done here, when it is asked for. Functions and items must be picklable.

    Args:
        count: Number of processes.

    Raises:
        InfrastructureError: A process died.
    """
    if count == 1:
        yield lambda function, items: map(function, items)
        return
    executor = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    try:
        yield lambda function, items: executor.map(function, items, chunksize=_CHUNK)
    except BrokenProcessPool as error:
        raise InfrastructureError(
            "worker_lost", "a process of the build died, perhaps for want of memory: try again with fewer --workers"
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)
