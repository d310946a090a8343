"""The plan of the pool: its numbers, those of the selection and of the splits, from ``sites/pool.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from riskchain_gym.protocol.codebook import Decision
from riskchain_gym.protocol.errors import InputFileError
from riskchain_gym.protocol.invalid import invalid
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.spec import Lang

SELECTED = "test"
"""The split that the selection picks."""

DEMO = "mini"
"""The split whose host families have one site each."""

OUT_OF_DISTRIBUTION = "ood"
"""The split whose host families are all held out; the others beside the selected one have none of them."""

OTHER_SPLITS = ("train", "dev", OUT_OF_DISTRIBUTION, DEMO)
"""The splits that a plan gives the numbers of, beside the selected one."""

Count = Annotated[int, Field(ge=0)]
Parts = Annotated[float, Field(ge=0)]
Decisions = dict[Decision, Count]


class HostsPlan(Frozen):
    """How many sites a host family has.

    Attributes:
        sizes: How often it has 1, 2, … of them, in parts.
    """

    sizes: Annotated[tuple[Count, ...], Field(min_length=1)]


class HeldOutPlan(Frozen):
    """What ``train`` and ``dev`` never show.

    Attributes:
        share: Share of the host families that ``test`` is selected from; those of ``ood`` are all held out.
        families: Families of their sites, which no other host family has.
        gates: Gate kinds of their sites, which no other host family has.
    """

    share: Annotated[float, Field(gt=0, lt=1)]
    families: Annotated[tuple[str, ...], Field(min_length=1)]
    gates: Annotated[tuple[str, ...], Field(min_length=1)]


class Tolerance(Frozen):
    """How far the selection may be from the shares that it should have.

    Attributes:
        depth: Of a depth, from the candidates', in points of a hundred.
        difficulty: Of a difficulty, from the candidates', in points.
        stratum: Of a business sector, from the candidates', in points.
        alone: Of a label among the sites that are the only ones of their host family, from the whole selection's, in
            points.
        archetype: Of an archetype among the sites with its label, from the candidates', in sites.
    """

    depth: Annotated[float, Field(ge=0)]
    difficulty: Annotated[float, Field(ge=0)]
    stratum: Annotated[float, Field(ge=0)]
    alone: Annotated[float, Field(ge=0)]
    archetype: Annotated[int, Field(ge=0)]


class SelectionPlan(Frozen):
    """What the selection must come to.

    Attributes:
        sites: Number of sites.
        hosts: Number of host families they come from.
        per_host: Most sites of one host family.
        click_replay: Number of sites with click replay.
        stateful: Number of stateful sites.
        decisions: Sites by label.
        of_each_type: Fewest sites of each type of violation that the pool has.
        tolerance: Bounds on depth, difficulty, business sector, label of sites alone and archetypes.
    """

    sites: Annotated[int, Field(ge=1)]
    hosts: Annotated[int, Field(ge=1)]
    per_host: Annotated[int, Field(ge=1)]
    click_replay: Count
    stateful: Count
    decisions: Decisions
    of_each_type: Count
    tolerance: Tolerance

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if (labels := sum(self.decisions.values())) != self.sites:
            raise ValueError(f"decisions: they sum to {labels}, the selection has {self.sites} sites")
        return self


class PoolPlan(Frozen):
    """Everything the pool and its splits are made from, but the key.

    Attributes:
        sites: Number of sites of the pool.
        hosts: Sizes of the host families.
        held_out: What is kept for ``ood`` and ``test``.
        languages: Languages, in parts.
        decisions: Labels, in parts.
        selection: The numbers of ``test``.
        splits: Sites of every other split by label.
        strata: Business sector by family.
    """

    sites: Annotated[int, Field(ge=1)]
    hosts: HostsPlan
    held_out: HeldOutPlan
    languages: Annotated[dict[Lang, Parts], Field(min_length=1)]
    decisions: dict[Decision, Parts]
    selection: SelectionPlan
    splits: dict[str, Decisions]
    strata: dict[str, str]

    @model_validator(mode="after")
    def _names_the_splits(self) -> Self:
        if set(self.splits) != set(OTHER_SPLITS):
            given = ", ".join(self.splits) or "none"
            raise ValueError(f"splits: give {', '.join(OTHER_SPLITS)} and no other, got {given}")
        for name, decisions in (*self.splits.items(), (SELECTED, self.selection.decisions)):
            if missing := [decision for decision in Decision if not decisions.get(decision)]:
                raise ValueError(f"{name}: give a number above 0 for {missing[0]}")
        return self


def pool_plan_file(content: Path) -> Path:
    """Return the file of the plan in a content folder."""
    return content / "pool.toml"


def load_pool_plan(content: Path) -> PoolPlan:
    """Return the plan of a content folder.

    Raises:
        InputFileError: It is missing or malformed.
    """
    path = pool_plan_file(content)
    try:
        return PoolPlan.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputFileError(path, "", f"cannot be read ({error.strerror}): a pool needs its plan") from error
    except tomllib.TOMLDecodeError as error:
        raise InputFileError(path, "", str(error)) from error
    except ValidationError as error:
        raise invalid(path, error) from error
