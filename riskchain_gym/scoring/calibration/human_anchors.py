"""From what people answered to anchors for judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskchain_gym.benchmark.labels.answers import PairAnswer
from riskchain_gym.benchmark.labels.freeze import check_freezable
from riskchain_gym.benchmark.labels.item_state import ItemState
from riskchain_gym.benchmark.labels.plan import Plan
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.scoring.calibration.anchors import Anchor, Annotation
from riskchain_gym.scoring.calibration.pair_key import PairKey
from riskchain_gym.scoring.calibration.pairs import PairItem
from riskchain_gym.scoring.judge.questions import Answer


def human_anchors(
    plan: Plan, states: Mapping[str, ItemState], pairs: Sequence[PairItem], key: Sequence[PairKey] | None = None
) -> tuple[Anchor, ...]:
    """Return the settled pairs as anchors, in order of their ids; those that are open are missing.

    Args:
        plan: The plan of the labelling project.
        states: State of every item.
        pairs: The pairs that were labelled.
        key: What is known of them, for the recall by fault; without it no fault is named.

    Raises:
        ConfigError: A program answers in place of a person, the project labels no pairs, or pairs or rows of the key
            are missing.
    """
    check_freezable(plan, plan.codebook_version)
    if plan.subject != "pairs":
        raise ConfigError("The project labels sites, and anchors are answers to pairs: plan a project with --pairs.")
    by_id = {pair.item_id: pair for pair in pairs}
    _check_all(plan, by_id, "the file of pairs", "give the pairs that it was planned with")
    faults = {row.item_id: row.fault for row in key or ()}
    if key is not None:
        _check_all(plan, faults, "the key", "give the key that was written with the pairs")
    return tuple(
        _anchor(by_id[item_id], state, state.settled, faults.get(item_id, ""), plan.codebook_version)
        for item_id, state in sorted(states.items())
        if isinstance(state.settled, PairAnswer)
    )


def _check_all(plan: Plan, known: Mapping[str, object], what: str, advice: str) -> None:
    if missing := [item_id for item_id in plan.items if item_id not in known]:
        raise ConfigError(f"The project labels pair '{missing[0]}', which {what} does not have: {advice}.")


def _anchor(pair: PairItem, state: ItemState, settled: PairAnswer, fault: str, codebook: str) -> Anchor:
    reviewed = {} if state.review is None else {state.review.worker: state.review}
    answers = [
        Annotation(annotator=name, answer=Answer(event.pair_answer.answer), layer=layer)
        for layer, events in (("pass", state.passes), ("review", reviewed))
        for name, event in sorted(events.items())
        if event.pair_answer is not None
    ]
    return Anchor(
        id=pair.item_id,
        source="human",
        cluster=pair.cluster,
        language=pair.language,
        bundle=pair.bundle,
        question=pair.question,
        reference=Answer(settled.answer),
        fault=fault,
        annotators=tuple(answers),
        codebook_version=codebook,
    )
