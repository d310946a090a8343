"""One row of the pool: what the selection and the splits know of a site."""

from __future__ import annotations

from typing import Literal

from riskchain_gym.protocol.codebook import Decision, ViolationType
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.sites.spec import Lang, Presentation


class PoolSite(Frozen):
    """A site of the pool. The row is gold: it is never given to an agent.

    Attributes:
        site_id: Opaque id.
        number: What the site is called in the pool (``s1``, ``s2``, …); with the pool's key it gives the site again.
        part: Part of the pool: the split it belongs to, or ``candidates``, which ``test`` is selected from.
        host: What its host family is called, likewise.
        host_family: Opaque id of the host family.
        alone: Whether its host family has no other site.
        held_out: Whether its host family is one of those kept for ``ood`` (and ``test``).
        archetype: Name of the archetype.
        family: Its archetype family.
        stratum: Business sector of the family.
        lang: Language.
        presentation: Presentation form.
        theme: Visible theme.
        decision: The label.
        violation_type: Its type.
        depth: How deep the deciding atoms lie, D0 to D3.
        difficulty: Engineering difficulty.
        gates: Gate kinds on the site.
        click_replay: Whether following links of the landing page leads on.
        stateful: Whether it is of track L3.
        steps: Length of the certificate's path, in actions.
        sha256: SHA-256 of the public bundle's canonical JSON.
    """

    schema_version: Literal["riskchain-pool-site/v1"] = "riskchain-pool-site/v1"
    site_id: str
    number: str
    part: str
    host: str
    host_family: str
    alone: bool
    held_out: bool
    archetype: str
    family: str
    stratum: str
    lang: Lang
    presentation: Presentation
    theme: str
    decision: Decision
    violation_type: ViolationType
    depth: Literal["D0", "D1", "D2", "D3"]
    difficulty: Literal["easy", "medium", "hard"]
    gates: tuple[str, ...]
    click_replay: bool
    stateful: bool
    steps: int
    sha256: str
