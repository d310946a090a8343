"""What a pool cannot be made of is refused by name."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pool_content import PLAN, write_plan

from riskchain_gym.benchmark import release
from riskchain_gym.benchmark.pool_plan import load_pool_plan
from riskchain_gym.benchmark.quotas import candidates, quotas_of
from riskchain_gym.benchmark.release import Release, build_release
from riskchain_gym.benchmark.selection import select
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.keyed import key_from_seed
from riskchain_gym.sites.library import Library

Plan = dict[str, Any]


def planned(root: Path, change: Callable[[Plan], object]) -> Path:
    plan = copy.deepcopy(PLAN)
    change(plan)
    write_plan(root, plan)
    return root


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda plan: plan["selection"].update(click_replay=15), "click_replay: 5 of 'no' are wanted, there are 0"),
        (lambda plan: plan["selection"].update(hosts=500), "hosts: 500 host families are wanted, there are"),
        (lambda plan: plan["selection"].update(hosts=3), "hosts: 3 host families have 9 sites at most, 20 are wanted"),
        (lambda plan: plan["selection"].update(of_each_type=90), "violation_type: 90 of '.*' or more are wanted"),
    ],
)
def test_numbers_that_the_pool_cannot_meet_are_named(
    small: Release, tmp_path: Path, change: Callable[[Plan], object], said: str
) -> None:
    plan = load_pool_plan(planned(tmp_path, change))
    with pytest.raises(ConfigError, match=said):
        quotas_of(plan, [site.row for site in small.pool])


def test_numbers_that_only_together_cannot_be_met_are_blamed(small: Release) -> None:
    rows = candidates([site.row for site in small.pool])
    assert small.quotas is not None
    # Every violation is stateful and nothing else is: eleven violations, and one stateful site, cannot both be had.
    odd = [row.model_copy(update={"stateful": row.decision == "VIOLATION"}) for row in rows]
    exact = {**small.quotas.exact, "stateful": {"yes": 1, "no": small.quotas.sites - 1}}
    quotas = small.quotas.model_copy(update={"exact": exact})
    with pytest.raises(ConfigError, match=r"without its numbers for .*stateful"):
        select(odd, quotas, key_from_seed(1))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda plan: plan["selection"].update(sites=21), "selection"),
        (lambda plan: plan["splits"].pop("ood"), ""),
        (lambda plan: plan["decisions"].update(PERHAPS=3), "decisions"),
        (lambda plan: plan.update(site=3), "site"),
    ],
)
def test_a_wrong_plan_is_named_by_field(tmp_path: Path, change: Callable[[Plan], object], field: str) -> None:
    with pytest.raises(InputFileError) as error:
        load_pool_plan(planned(tmp_path, change))
    assert error.value.path.name == "pool.toml"
    assert error.value.field.startswith(field)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda root: shutil.rmtree(root / "archetypes" / "core1-u"),
            "core1.yaml: has no member labelled INSUFFICIENT",
        ),
        (lambda root: planned(root, lambda plan: plan["strata"].pop("core2")), "family 'core2' has no business sector"),
        (
            lambda root: planned(root, lambda plan: plan["held_out"].update(families=["gone"])),
            "there is no family 'gone'",
        ),
        (lambda root: planned(root, lambda plan: plan["held_out"].update(gates=["gone"])), "there is no gate 'gone'"),
        (
            lambda root: (root / "banks" / "names.yaml").write_text("stems: [甲]\nends: [社]\n", encoding="utf-8"),
            "too few operator names",
        ),
    ],
)
def test_content_that_makes_no_pool_is_named(
    content: Library, tmp_path: Path, change: Callable[[Path], object], said: str
) -> None:
    shutil.copytree(content.root, tmp_path / "content")
    change(tmp_path / "content")
    with pytest.raises((ConfigError, InputFileError), match=said):
        build_release(key_from_seed(1), content=Library(tmp_path / "content"), only=["mini"])


def test_both_solvers_find_the_same_selection(small: Release) -> None:
    pytest.importorskip("highspy")
    assert small.quotas is not None
    assert small.selection is not None
    rows = candidates([site.row for site in small.pool])
    other = select(rows, small.quotas, release.pool_key(key_from_seed(5)), "highs")
    assert other.model_copy(update={"solver": "cbc"}) == small.selection
