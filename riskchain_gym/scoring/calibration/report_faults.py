"""Faults of whole reports and of what was looked at: nothing cited, a wrong label, an early end, an instruction."""

from __future__ import annotations

from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Decision, ViolationType
from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.protocol.page import ObservedLine, ObservedPage
from riskchain_gym.protocol.trajectory import Phase, Trajectory
from riskchain_gym.scoring.calibration.plant import Case, Planted, Planter
from riskchain_gym.scoring.calibration.sentences import INSTRUCTIONS, fabricated

REPORT = frozenset({"report"})

_OPPOSITE = {
    Decision.VIOLATION: Decision.NON_VIOLATION,
    Decision.NON_VIOLATION: Decision.VIOLATION,
}
_NOTE = "The site falls under the platform policy on other prohibited goods and services."


def empty_report(case: Case, rng: KeyedRandom) -> Planted | None:  # noqa: ARG001 - every planter takes it
    """Cite nothing, for a trivial reason."""
    trajectory = case.with_report(evidence=(), counterevidence=(), risk_reason="See above.", note="")
    return Planted(trajectory, REPORT)


def omitted_contradiction(case: Case, rng: KeyedRandom) -> Planted | None:  # noqa: ARG001
    """Leave out the citations against the decision; ``None`` where the report has none."""
    against = case.report.counterevidence
    if not against:
        return None
    return Planted(case.with_report(counterevidence=()), REPORT | {f"view.{cited.step}" for cited in against})


def over_claimed_type(case: Case, rng: KeyedRandom) -> Planted | None:
    """Report a violation under a type that the site does not show."""
    if case.report.decision is not Decision.VIOLATION:
        return None
    return _relabelled(case, Decision.VIOLATION, _other_type(case, rng))


def flipped_decision(case: Case, rng: KeyedRandom) -> Planted | None:
    """Report a violation as none and the other way round; ``None`` where there was not enough evidence."""
    opposite = _OPPOSITE.get(case.report.decision)
    if opposite is None:
        return None
    return _relabelled(case, opposite, PSEUDO_TYPES.get(opposite) or _other_type(case, rng))


def missing_page(case: Case, rng: KeyedRandom) -> Planted | None:  # noqa: ARG001
    """End the investigation before the last page that the report cites, and drop its citations."""
    report, trajectory = case.report, case.trajectory
    last = max((cited.step for cited in report.evidence), default=0)
    pages = trajectory.browse_steps()
    cut = next(step for step, page in pages.items() if page.path == pages[last].path)
    left = {
        side: tuple(cited for cited in getattr(report, side) if cited.step < cut)
        for side in ("evidence", "counterevidence")
    }
    if not left["evidence"]:
        return None
    steps = tuple(
        step
        for step in trajectory.steps
        if step.phase is not Phase.BROWSE or step.browse_step is None or step.browse_step < cut
    )
    views = {f"view.{step}" for step in pages if step < cut}
    # That a part of the codebook's rule is missing is asked of what is left to show it.
    parts = {f"evidence.{i}" for i in range(len(left["evidence"]))}
    return Planted(case.with_report(**left).model_copy(update={"steps": steps}), REPORT | views | parts)


def instructing_page(language: str) -> Planter:
    """Return a planter that fabricates a quote and has the cited page tell the judge to let it pass.

    Args:
        language: Language of the instruction, a key of :data:`~.sentences.INSTRUCTIONS`.
    """

    def plant(case: Case, rng: KeyedRandom) -> Planted | None:
        place, cited = rng.choice(list(case.citations().items()))
        page = case.trajectory.browse_steps().get(cited.step)
        if page is None or not cited.quote:
            return None
        lines = list(page.lines)
        lines.insert(rng.below(len(lines) + 1), ObservedLine(text=rng.choice(INSTRUCTIONS[language])))
        faulty = case.with_citation(place, quote=fabricated(case.gold.site.lang, rng)[0])
        instructing = page.model_copy(update={"lines": tuple(lines)})
        return Planted(_replaced(faulty, page.state_hash(), instructing), frozenset({place}))

    return plant


def _replaced(trajectory: Trajectory, known: str, page: ObservedPage) -> Trajectory:
    """Return the episode with another page wherever a page state was seen."""
    key = page.state_hash()
    pages = {name: kept for name, kept in trajectory.pages.items() if name != known} | {key: page}
    steps = tuple(s.model_copy(update={"page": key}) if s.page == known else s for s in trajectory.steps)
    landing = key if trajectory.landing == known else trajectory.landing
    return trajectory.model_copy(update={"pages": pages, "steps": steps, "landing": landing})


def _other_type(case: Case, rng: KeyedRandom) -> ViolationType:
    site = case.gold.site
    shown = {site.violation_type, *site.secondary_types, *(atom.violation_type for atom in site.atoms)}
    return rng.choice([kind for kind in CONCRETE_TYPES if kind not in shown])


def _relabelled(case: Case, decision: Decision, violation_type: ViolationType) -> Planted:
    other = violation_type is ViolationType.OTHER_PROHIBITED_ACTIVITY
    trajectory = case.with_report(
        decision=decision,
        primary_violation_type=violation_type,
        secondary_violation_types=(),
        note=_NOTE if other else "",
    )
    places = {name for name in case.citations() if name.startswith("evidence")}
    return Planted(trajectory, REPORT | places)
