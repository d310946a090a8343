"""The plan of a labelling project: who answers what, in which order; drawn once, kept for ever."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from riskchain_gym.protocol.codebook import CODEBOOK_VERSION
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.model import Frozen, sha256_of

Subject = Literal["sites", "pairs"]
"""What is labelled: sites, or claims about citations for a judge to be measured by."""

Layer = Literal["pass", "repeat", "review", "adjudication"]
"""The part that an answer plays.

``pass``: independent and blind. ``repeat``: the same person, the same item, later and unannounced. ``review``: blind
too, by somebody who has not passed the item, where passes disagree. ``adjudication``: with all answers shown.
"""

Role = Literal["annotator", "reviewer", "coordinator"]
"""What somebody does in a project; see :class:`Worker`."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
"""A person's name, or a sign that stands for one; it names files, so it is letters, digits, ``.``, ``_`` and ``-``."""

TaskId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
"""The id of a task; it names files beside those of other tasks, so it is small letters, digits and ``-``."""

_NAME: TypeAdapter[str] = TypeAdapter(Name)


def checked_name(name: str, *, given: str = "") -> str:
    """Return a name that somebody can have in a plan.

    Args:
        name: The name.
        given: The option that it was given by, for the message.

    Raises:
        ConfigError: It cannot name files.
    """
    try:
        return _NAME.validate_python(name)
    except ValidationError as error:
        what = f"{given}: " if given else ""
        raise ConfigError(
            f"{what}{name[:80]!r} cannot name files: give 1 to 64 letters (a to z), digits, '.', '_' and '-', "
            "a letter or digit first."
        ) from error


class Worker(Frozen):
    """Somebody who labels.

    Attributes:
        name: Unique in the project, capitals aside.
        role: ``annotator`` passes items, and reviews ones that others passed; ``reviewer`` reviews only;
            ``coordinator`` adjudicates only.
        simulated: Whether a program answers in place of a person; such answers never become gold.
    """

    name: Name
    role: Role
    simulated: bool = False


class Task(Frozen):
    """One answer that is asked of one person.

    Attributes:
        task_id: Opaque; says nothing of item, layer or person to whoever does not have the plan. Drawn from the seed,
            or, where answers came from another tool, a plain hash of the three; with the plan either tells all.
        item_id: The site or pair.
        layer: The part that its answer plays.
        worker: Who answers.
    """

    task_id: TaskId
    item_id: str
    layer: Layer
    worker: Name

    @property
    def is_own(self) -> bool:
        """Whether it is asked whatever others answer: a pass or a repeat."""
        return self.layer in ("pass", "repeat")


class Plan(Frozen):
    """Everything that is decided before the first answer.

    Attributes:
        subject: What is labelled.
        codebook_version: The codebook that all answers follow.
        source: Where the items come from, as it was given: a split's name or path, or ``import`` or a file of pairs.
        source_sha256: SHA-256 of what the items are: the split's public file, the imported sites, or the pairs.
        seed: Draws assignment and order; ``None`` where answers came from another tool and nothing was drawn.
        passes: Independent passes of each item.
        workers: Who labels.
        items: The items, in order of id.
        clusters: What items share, by item, where they share anything, such as the operator of sites or the site of
            pairs: intervals draw items of one cluster together.
        digests: SHA-256 of what each imported site is, by item: the id of one is that of its capture, however it was
            imported. Sites that were made here, and pairs, have none: ``source_sha256`` pins them.
        tasks: All tasks of the layers ``pass`` and ``repeat``, each worker's in the order they are to be done; then for
            every item the review and the adjudication that a disagreement would open.
    """

    schema_version: Literal["riskchain-label-plan/v1"] = "riskchain-label-plan/v1"
    subject: Subject
    codebook_version: str = CODEBOOK_VERSION
    source: str
    source_sha256: str
    seed: int | None
    passes: Annotated[int, Field(ge=1)]
    workers: tuple[Worker, ...]
    items: tuple[str, ...]
    clusters: dict[str, str] = Field(default_factory=dict)
    digests: dict[str, str] = Field(default_factory=dict)
    tasks: tuple[Task, ...]

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        names = Counter(worker.name.lower() for worker in self.workers)
        if twice := [name for name, n in names.items() if n > 1]:
            raise ValueError(f"workers: '{twice[0]}' is named more than once, give each person a name of their own")
        known, items = {worker.name for worker in self.workers}, set(self.items)
        if strange := [task.task_id for task in self.tasks if task.worker not in known or task.item_id not in items]:
            raise ValueError(f"tasks: '{strange[0]}' is of a worker or item that the plan does not have")
        ids = Counter(task.task_id for task in self.tasks)
        if twice := [task_id for task_id, n in ids.items() if n > 1]:
            raise ValueError(f"tasks: '{twice[0]}' is there more than once")
        return self

    @cached_property
    def sha256(self) -> str:
        """The plan's identity, which every event names."""
        return sha256_of(self)

    @cached_property
    def tasks_by_worker(self) -> Mapping[str, Mapping[str, Task]]:
        """The tasks of everybody who has any, by id, in the plan's order."""
        found: defaultdict[str, dict[str, Task]] = defaultdict(dict)
        for task in self.tasks:
            found[task.worker][task.task_id] = task
        return dict(found)

    @property
    def is_simulated(self) -> bool:
        """Whether a program answers in place of any person."""
        return any(worker.simulated for worker in self.workers)
