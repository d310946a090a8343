"""Registering one's own technique: checked at once, usable in recipes, without effect on the splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from riskchain_gym.messages.splits import session_of, sessions_with
from riskchain_gym.messages.techniques import registry
from riskchain_gym.messages.techniques.base import Family, Phase, Piece, Reversibility, RewriteAddresses, Technique
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.keyed import KeyedRandom, key_from_seed

KEY = key_from_seed(2026)


@dataclass(frozen=True)
class Slashes:
    """Write a slash for every dot."""

    inverse: str = "right"
    whole_only: bool = False

    def write(self, address: str, rng: KeyedRandom) -> tuple[Piece, ...]:
        return tuple(Piece(c, c.replace(".", "⁄")) for c in address)

    def preimages(self, shown: str) -> Mapping[str, float]:
        if self.inverse == "none":
            return {}
        plain = shown.replace("⁄", ".")
        return {plain: 1.0, f"a{plain[1:]}": 1.0} if self.inverse == "two" else {plain: 1.0}


def slashes(code: object = None, **changes: object) -> Technique:
    technique = Technique(
        name="slashes",
        summary="Dots written as slashes.",
        family=Family.ENTRY_ENCODING,
        types=(),
        reversibility=Reversibility.EXACT,
        phase=Phase.ENTRY,
        make=lambda severity: RewriteAddresses("slashes", code or Slashes()),
    )
    return replace(technique, **changes)


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))


def test_a_registered_technique_can_be_named_and_changes_no_split() -> None:
    before = [session_of(split, KEY, i) for split in ("train", "hard", "ood") for i in range(40)]
    registry.register(slashes())
    assert [session_of(split, KEY, i) for split in ("train", "hard", "ood") for i in range(40)] == before
    session = next(sessions_with("dev", KEY, "slashes@2+zero_width@1"))
    assert "⁄" in session.variants["v000"].messages[0].content
    assert session.gold.ceilings == {"v000": 1.0}


@pytest.mark.parametrize(
    ("technique", "problem"),
    [
        (slashes(name="My-Slashes"), "cannot be named in a recipe"),
        (slashes(Slashes("none")), "has no such address: correct the inverse"),
        (slashes(Slashes("two")), "calls itself EXACT, but"),
        (slashes(name="vertical"), "is registered already"),
    ],
)
def test_a_technique_that_would_mislead_is_refused(technique: Technique, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        registry.register(technique)
    assert registry.techniques() == registry.SHIPPED


def test_an_ambiguous_technique_may_have_two_sources() -> None:
    registry.register(slashes(Slashes("two"), reversibility=Reversibility.AMBIGUOUS))
