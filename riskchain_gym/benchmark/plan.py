"""The plan of a split of one's own: how many chains of which archetype, from which seed."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from riskchain_gym.benchmark.pool_plan import DEMO
from riskchain_gym.protocol.content import content_dir
from riskchain_gym.protocol.errors import InputFileError, UnknownNameError
from riskchain_gym.protocol.invalid import invalid
from riskchain_gym.protocol.model import Frozen


class SplitPlan(Frozen):
    """What to build.

    Attributes:
        seed: The public seed.
        archetypes: Number of sites by archetype.
    """

    seed: int
    archetypes: Annotated[dict[str, Annotated[int, Field(ge=1)]], Field(min_length=1)]

    @property
    def chains(self) -> int:
        """Number of chains: one a site."""
        return sum(self.archetypes.values())


def load_plan(split: str) -> SplitPlan:
    """Return the plan of a split that ships, from ``sites/splits/NAME.toml``.

    Raises:
        UnknownNameError: There is no such plan.
        InputFileError: The plan is malformed.
    """
    folder: Path = content_dir("sites") / "splits"
    path = folder / f"{split}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in folder.glob("*.toml"))) or "none"
        pool = " 'mini' comes from the pool: `riskchain build sites --seed 2026 --only mini`." if split == DEMO else ""
        raise UnknownNameError(f"There is no plan for a split '{split}'. Known plans: {known}.{pool}")
    try:
        return SplitPlan.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise InputFileError(path, "", str(error)) from error
    except ValidationError as error:
        raise invalid(path, error) from error
