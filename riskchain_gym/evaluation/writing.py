"""A run folder that cannot be written to: the run ends in good order, and can be gone on with."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from riskchain_gym.protocol.errors import InfrastructureError

DISK_FULL, UNWRITTEN = "disk_full", "unwritten"


class UnwrittenError(InfrastructureError):
    """Something could not be written; what was there is whole, and no line is half written.

    Screenshots of an episode without a line may be there, which do no harm: they are found again by their bytes.
    """


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say of what cannot be written below a folder where that was, and why.

    Raises:
        UnwrittenError: The system refused to write (cause ``disk_full`` or ``unwritten``).
    """
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        how = "make room there" if full else "mend that"
        why = error.strerror or error
        said = f"Nothing more can be written to {path} ({why}): {how} and run the same command again."
        raise UnwrittenError(DISK_FULL if full else UNWRITTEN, said) from error
