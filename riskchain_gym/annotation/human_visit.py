"""What is kept of a person's browsing: the trajectory, as agents have one, and what was typed, by length and hash."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from riskchain_gym.annotation.typed import TypedValue
from riskchain_gym.evaluation.records import BrowseStep, MediaName
from riskchain_gym.protocol.failures import EpisodeStatus
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.protocol.trajectory import Trajectory

Completion = Literal["COMPLETE", "PARTIAL", "ABORTED"]
"""``COMPLETE``: answered with browsing open to the end. ``PARTIAL``: answered after browsing was closed by a failure.
``ABORTED``: broken off and begun anew; it has no report."""


class TypedInput(TypedValue):
    """What the environment typed at one step.

    Attributes:
        step: Browse step that the ``fill`` led to.
    """

    step: int


class Browsed(Frozen):
    """What is kept of any visit.

    Attributes:
        worker: Who browsed.
        task_id: The task.
        item_id: The site.
        trajectory: Everything that was done and seen; its ``modalities`` are ``screenshot`` alone, for that is what a
            person was shown.
        inputs: Length and SHA-256 of every value that was typed; the values are kept nowhere.
        media: File name of the picture of each browse step, in the project's ``media/``.
    """

    worker: str
    task_id: str
    item_id: str
    trajectory: Trajectory
    inputs: tuple[TypedInput, ...] = ()
    media: dict[BrowseStep, MediaName] = Field(default_factory=dict)


class OpenVisit(Browsed):
    """A visit that goes on, as it is written down after every action; a restarted server goes on from it.

    Its trajectory is ``running``.
    """

    schema_version: Literal["riskchain-open-visit/v1"] = "riskchain-open-visit/v1"

    def aborted(self, versions: dict[str, str] | None = None) -> HumanVisit:
        """Return the visit as it is kept when it is broken off."""
        return self.ended(self.trajectory, "ABORTED", versions=versions)

    def ended(
        self,
        trajectory: Trajectory,
        completion: Completion,
        *,
        seconds: float | None = None,
        versions: dict[str, str] | None = None,
    ) -> HumanVisit:
        """Return the visit as it is kept once it has ended."""
        return HumanVisit(
            worker=self.worker,
            task_id=self.task_id,
            item_id=self.item_id,
            trajectory=trajectory,
            inputs=self.inputs,
            media=self.media,
            seconds=seconds,
            completion=completion,
            versions=versions or {},
        )


class HumanVisit(Browsed):
    """A visit that has ended.

    Attributes:
        seconds: Wall time of the task while it was in use, ``None`` where nobody measured; covered by no hash.
        completion: How it ended.
        versions: Versions of the package and of what the visit depended on.
    """

    schema_version: Literal["riskchain-human-visit/v1"] = "riskchain-human-visit/v1"
    seconds: Annotated[float, Field(ge=0)] | None = None
    completion: Completion
    versions: dict[str, str] = Field(default_factory=dict)

    def reopened(self) -> OpenVisit:
        """Return the visit as it stood before its end, for an answer that was taken back."""
        steps = tuple(step for step in self.trajectory.steps if step.browse_step is not None)
        failures = tuple(failure for failure in self.trajectory.failures if failure.step < len(steps))
        still = {"steps": steps, "failures": failures, "report": None, "status": EpisodeStatus.RUNNING}
        return OpenVisit(
            worker=self.worker,
            task_id=self.task_id,
            item_id=self.item_id,
            trajectory=self.trajectory.model_copy(update=still),
            inputs=self.inputs,
            media=self.media,
        )
