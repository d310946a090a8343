"""What each step pays: the five rewards, and the optional terms beside them.

With g the gate, a^w and a^e the web and end-to-end outcomes and ŵ the expected a^w, on valid episodes:

==================== ============================ ============================ =========================
reward               at commit                    at the end                   sums to (γ = 1)
==================== ============================ ============================ =========================
gated                0                            a^e                          a^e
delta_gate           −(1−g)·ŵ                     a^w                          a^w − (1−g)·ŵ
delta_gate_shaped    γ·Φ                          a^e − Φ                      a^e
web                  0                            a^w                          a^w
none                 0                            0                            0
==================== ============================ ============================ =========================

Φ = −(1−g)·ŵ after the commit, 0 before it and after the end; in between the shaped reward pays γ·Φ − Φ, so its
discounted return is γ^T·a^e for every γ (potential-based shaping: Ng, Harada and Russell, 1999). A restore-only
environment takes a^w := ŵ: ``gated`` pays g·ŵ and ``delta_gate`` −(1−g)·ŵ. An episode that ends as ⊥ before any
commit counts as g = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from riskchain_gym.envs.config import EnvConfig, Kind, RewardName, RewardTerms
from riskchain_gym.protocol.outcome import Outcome


@dataclass(frozen=True)
class Transition:
    """What the reward of one step depends on.

    Attributes:
        commits: The step froze the restoration, or ended the episode before there was one.
        committed: There was a restoration before the step.
        ends: The step ended the episode.
        gate: g of the episode, ``None`` while unknown or where there is no gate.
        web: a^w, known at the end; ``None`` where the site was never opened.
        end_to_end: a^e, known at the end.
    """

    commits: bool = False
    committed: bool = False
    ends: bool = False
    gate: int | None = None
    web: int | None = None
    end_to_end: int | None = None


@dataclass(frozen=True)
class Reward:
    """One reward of one environment, with ŵ frozen for the episode.

    Attributes:
        name: Its name.
        kind: The environment that pays it.
        discount: γ, read by ``delta_gate_shaped``.
        w_hat: ŵ of the chain; 0 where the reward does not read it.
    """

    name: RewardName
    kind: Kind
    discount: float = 1.0
    w_hat: float = 0.0

    def pay(self, step: Transition) -> float:
        """Return the reward of one step."""
        if self.name == "none":
            return 0.0
        if self.kind == "restore":
            return self._restore_only(step)
        match self.name:
            case "gated":
                return float(step.end_to_end or 0) if step.ends else 0.0
            case "web":
                return float(step.web or 0) if step.ends else 0.0
            case "delta_gate":
                paid = self._potential(step.gate) if step.commits else 0.0
                return paid + (float(step.web or 0) if step.ends else 0.0)
            case "delta_gate_shaped":
                before = self._potential(step.gate) if step.committed else 0.0
                after = self._potential(step.gate) if (step.committed or step.commits) and not step.ends else 0.0
                return (float(step.end_to_end or 0) if step.ends else 0.0) + self.discount * after - before

    def _restore_only(self, step: Transition) -> float:
        if not step.ends:
            return 0.0
        return (step.gate or 0) * self.w_hat if self.name == "gated" else self._potential(step.gate)

    def _potential(self, gate: int | None) -> float:
        """Return −(1−g)·ŵ."""
        return 0.0 if gate else -self.w_hat


def make_reward(config: EnvConfig, kind: Kind, w_hat: float | None) -> Reward:
    """Return the reward of one episode.

    Args:
        config: The environment's settings.
        kind: The environment.
        w_hat: ŵ of the chain, or ``None`` where the reward does not read it.
    """
    return Reward(name=config.reward, kind=kind, discount=config.discount, w_hat=w_hat or 0.0)


PAID_AT_ONCE = frozenset({"step_cost"})
"""The optional terms that are paid with the steps they rate; the others are paid at the end."""


def episode_terms(terms: RewardTerms, outcome: Outcome, actions: int) -> dict[str, float]:
    """Return what the optional terms add to the rewards of a valid episode, by name; terms of weight 0 are left out.

    A missing report has no F1 and no exact type; a missing restoration has an error rate of 1; without a revision
    nothing is changed.

    Args:
        terms: The weights.
        outcome: The scored episode.
        actions: Browse actions that were carried out.
    """
    restored, label, evidence = outcome.restoration, outcome.label, outcome.evidence
    revised = outcome.revised.end_to_end_correct if outcome.revised is not None else outcome.end_to_end_correct
    cer = 1.0 if restored is None else restored.edit_distance / max(restored.reference_length, 1)
    values = {
        "citation_f1": evidence.f1 if evidence else 0.0,
        "exact_type": float(label.exact) if label else 0.0,
        "cer": cer,
        "step_cost": 0.0 - actions,
        "revised": float((revised or 0) - (outcome.end_to_end_correct or 0)),
    }
    return {name: weight * values[name] for name, weight in terms.model_dump().items() if weight}
