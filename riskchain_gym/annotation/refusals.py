"""What the workbench's page is told when a request cannot be granted."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from riskchain_gym.annotation.playback import DamagedRecordError
from riskchain_gym.annotation.visit_errors import (
    ActionRefusedError,
    PageHungError,
    PinRefusedError,
    ReportRefusedError,
    StaleStepError,
    VisitClosedError,
)
from riskchain_gym.benchmark.labels.writer import LogReplacedError
from riskchain_gym.protocol.errors import BrowserUnavailableError, InfrastructureError, InputFileError, RiskChainError

_log = logging.getLogger(__name__)


class RefusedError(RiskChainError, RuntimeError):
    """A request that was understood and is not granted.

    Args:
        status: HTTP status of the answer.
        message: One sentence: what happened, and what to do.
        more: What else the answer says; JSON.
    """

    def __init__(self, status: int, message: str, **more: Any) -> None:
        self.status = status
        self.body: dict[str, Any] = {"message": message, **more}
        super().__init__(message)


def gone() -> RefusedError:
    """Return the refusal of what is meant for a task that is not the current one any more."""
    return RefusedError(
        410, "This task is no longer open here; it may have been answered in another tab. Load it anew."
    )


@contextmanager
def told() -> Iterator[None]:
    """Turn what can go wrong with a visit or with the disk into what the page is told."""
    try:
        yield
    except StaleStepError as error:
        raise RefusedError(409, str(error), view=error.view.model_dump(mode="json")) from error
    except (ActionRefusedError, PinRefusedError, ReportRefusedError) as error:
        raise RefusedError(422, str(error)) from error
    except (PageHungError, VisitClosedError, InfrastructureError) as error:
        raise RefusedError(503, str(error), cause=error.cause) from error
    except BrowserUnavailableError as error:
        raise RefusedError(503, str(error), cause="no_browser") from error
    except DamagedRecordError as error:
        raise RefusedError(503, str(error), cause="damaged") from error
    except LogReplacedError as error:
        raise RefusedError(503, str(error), cause="replaced") from error
    except InputFileError as error:
        # What is wrong may quote the file, and the file may hold somebody else's answer.
        _log.error("A file of the project is damaged: %s", error)
        problem = f"'{error.path.name}' of the project is missing or damaged: restore it from a copy."
        raise RefusedError(503, problem, cause="damaged") from error
    except OSError as error:
        problem = f"The disk refused it ({error.strerror or error}): make room or mend permissions, then try again."
        raise RefusedError(503, problem, cause="storage") from error
