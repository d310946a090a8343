"""How far the people of a labelling project agree, computed from its plan and its answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from riskchain_gym.benchmark.labels.answers import Answer, PairAnswer, SiteAnswer
from riskchain_gym.benchmark.labels.events import Event
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.benchmark.labels.state import ItemState, states
from riskchain_gym.protocol.codebook import CONCRETE_TYPES, PSEUDO_TYPES, Decision
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.gold import SiteGold
from riskchain_gym.scoring.calibration.rates import Rate
from riskchain_gym.scoring.intervals import REPLICATES, SEED
from riskchain_gym.scoring.label_cautions import cautions
from riskchain_gym.scoring.label_figures import (
    AgainstGold,
    ByConfidence,
    GoldCell,
    GoldQuestion,
    LabelAgreement,
    Overruled,
    Question,
    QuestionAgreement,
)
from riskchain_gym.scoring.label_layers import answer_of, layers, worker_figures
from riskchain_gym.scoring.label_measures import annotator_pairs, confusions, measured, specific

_TYPES = (*CONCRETE_TYPES, *PSEUDO_TYPES.values())
QUESTION_LABELS: dict[Question, tuple[str, ...]] = {
    "decision": tuple(Decision),
    "joint": _TYPES,
    "answer": ("yes", "no", "cannot_tell"),
}
"""The labels of each question, in codebook order; the type says the decision too, so it names the joint label."""


def label_agreement(
    plan: Plan, events: Sequence[Event], *, gold: Mapping[str, SiteGold] | None = None, gold_name: str = ""
) -> LabelAgreement:
    """Return the agreement figures of a project.

    Args:
        plan: The plan.
        events: All events of all logs, those of one worker in the order of the log; logs in any order.
        gold: Gold by item to compare the settled labels with, where that is wanted; it must hold every item.
        gold_name: Where the gold comes from.

    Raises:
        ConfigError: The gold lacks an item, or the project labels pairs, which have none.
    """
    found = states(plan, events)
    asked: tuple[Question, ...] = ("decision", "joint") if plan.subject == "sites" else ("answer",)
    questions = tuple(_question(name, plan, found) for name in asked)
    went = layers(plan, found, events)
    compared = len({_cluster(plan, state.item_id) for state in found.values() if len(state.passes) > 1})
    return LabelAgreement(
        plan_sha256=plan.sha256,
        subject=plan.subject,
        codebook_version=plan.codebook_version,
        source=plan.source,
        passes=plan.passes,
        clusters=len({_cluster(plan, item) for item in plan.items}),
        seed=SEED,
        replicates=REPLICATES,
        simulated=tuple(worker.name for worker in plan.workers if worker.simulated),
        questions=questions,
        layers=went,
        workers=worker_figures(plan, found, events),
        gold=None if gold is None else _against_gold(plan, found, gold, gold_name),
        cautions=cautions(plan, questions, went, compared),
    )


def _question(name: Question, plan: Plan, found: Mapping[str, ItemState]) -> QuestionAgreement:
    label = _LABEL_OF[name]
    units = [
        {worker: label(answer_of(event)) for worker, event in sorted(state.passes.items())} for state in found.values()
    ]
    clusters = [_cluster(plan, state.item_id) for state in found.values()]
    named = CONCRETE_TYPES if name == "joint" else QUESTION_LABELS[name]
    return QuestionAgreement(
        question=name,
        percent=measured("percent", units, clusters),
        alpha=measured("alpha", units, clusters),
        annotators=annotator_pairs(units, clusters),
        labels=specific(named, units, clusters),
        confusions=confusions(QUESTION_LABELS[name], units),
        repeats=_repeats(label, found),
        confidence=_by_confidence(label, found),
        overruled=_overruled(label, plan, found),
    )


def _repeats(label: Callable[[Answer], str], found: Mapping[str, ItemState]) -> Rate:
    same = [
        label(answer_of(again)) == label(answer_of(state.passes[worker]))
        for state in found.values()
        for worker, again in state.repeats.items()
        if worker in state.passes
    ]
    return Rate.of_counts(sum(same), len(same))


def _by_confidence(label: Callable[[Answer], str], found: Mapping[str, ItemState]) -> tuple[ByConfidence, ...]:
    agreed, of = Counter[int](), Counter[int]()
    for state in found.values():
        passes = [answer_of(event) for event in state.passes.values()]
        labels = Counter(map(label, passes))
        for each in passes:
            if each.confidence is None:
                continue
            agreed[each.confidence] += labels[label(each)] - 1
            of[each.confidence] += len(passes) - 1
    return tuple(
        ByConfidence(confidence=level, agreed=Rate.of_counts(agreed[level], of[level])) for level in range(1, 6)
    )


def _overruled(label: Callable[[Answer], str], plan: Plan, found: Mapping[str, ItemState]) -> tuple[Overruled, ...]:
    differing, of = Counter[str](), Counter[str]()
    for state in found.values():
        if state.settled is None or state.asked < 2:  # a single pass is the label, so nobody could overrule it
            continue
        for worker, event in state.passes.items():
            of[worker] += 1
            differing[worker] += label(answer_of(event)) != label(state.settled)
    return tuple(
        Overruled(worker=worker.name, overruled=Rate.of_counts(differing[worker.name], of[worker.name]))
        for worker in plan.workers
        if worker.role == "annotator"
    )


def _against_gold(
    plan: Plan, found: Mapping[str, ItemState], gold: Mapping[str, SiteGold], gold_name: str
) -> AgainstGold:
    if plan.subject != "sites":
        raise ConfigError("Answers about pairs have no gold of a split to be compared with: leave the gold out.")
    if missing := [item for item in plan.items if item not in gold]:
        raise ConfigError(
            f"The gold of '{gold_name}' has no site '{missing[0]}' (and lacks {len(missing)} of {len(plan.items)}): "
            f"give the split that the sites come from; the plan names '{plan.source}'."
        )
    settled = [(state.item_id, state.settled) for state in found.values() if isinstance(state.settled, SiteAnswer)]
    clusters = [_cluster(plan, item) for item, _ in settled]
    questions: list[GoldQuestion] = []
    differing: set[str] = set()
    for name in ("decision", "joint"):
        label = _LABEL_OF[name]
        pairs = [(_gold_label(name, gold[item]), label(answer)) for item, answer in settled]
        differing |= {item for (item, _), (truth, said) in zip(settled, pairs, strict=True) if truth != said}
        order = {each: i for i, each in enumerate(QUESTION_LABELS[name])}
        cells = sorted(Counter(pairs).items(), key=lambda cell: (order[cell[0][0]], order[cell[0][1]]))
        percent = measured("percent", [{"gold": truth, "settled": said} for truth, said in pairs], clusters)
        if not pairs:
            percent = percent.model_copy(update={"reason": "no item has a settled label"})
        questions.append(
            GoldQuestion(
                question=name,
                percent=percent,
                cells=tuple(GoldCell(gold=truth, settled=said, items=n) for (truth, said), n in cells),
            )
        )
    return AgainstGold(gold=gold_name, questions=tuple(questions), differing=tuple(sorted(differing)))


def _gold_label(question: Question, gold: SiteGold) -> str:
    return gold.decision if question == "decision" else gold.violation_type


def _decision(answer: Answer) -> str:
    assert isinstance(answer, SiteAnswer), "the plan is of sites"
    return answer.decision


def _joint(answer: Answer) -> str:
    assert isinstance(answer, SiteAnswer), "the plan is of sites"
    return answer.primary_violation_type


def _answer(answer: Answer) -> str:
    assert isinstance(answer, PairAnswer), "the plan is of pairs"
    return answer.answer


_LABEL_OF: dict[Question, Callable[[Answer], str]] = {"decision": _decision, "joint": _joint, "answer": _answer}


def _cluster(plan: Plan, item: str) -> str:
    """Return the cluster of an item; no name of a cluster is ever taken for an item that is one by itself."""
    return f"of {plan.clusters[item]}" if item in plan.clusters else f"item {item}"
