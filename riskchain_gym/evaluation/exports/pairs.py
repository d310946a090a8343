"""Pairs of a right and a wrong episode of one chain, for preference optimisation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import Any, Literal

from riskchain_gym.agents.llm.options import LLMOptions
from riskchain_gym.evaluation.exports.chat import By
from riskchain_gym.evaluation.exports.conversation import Said, conversation, source, status
from riskchain_gym.evaluation.exports.played import Played, played, scored_outcomes
from riskchain_gym.evaluation.exports.turns import TEXT_ONLY, Answers, Questioner, Turn, options_of
from riskchain_gym.evaluation.store import RunFolder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.outcome import Outcome
from riskchain_gym.protocol.trajectory import Phase

FORMAT = "riskchain-dpo/v1"

Rule = Literal["end-to-end", "gate", "web"]
"""What makes an episode right: a^e over all of it, g over its restoration, or a^w over its investigation."""

_RULES: Mapping[Rule, tuple[str, frozenset[Phase], Callable[[Outcome], int | None]]] = {
    "end-to-end": ("a^e: 1 before 0", frozenset(Phase), lambda o: o.end_to_end_correct),
    "gate": (
        "g: 1 before 0, restoration only",
        frozenset({Phase.RESTORE}),
        lambda o: int(o.gate.passed) if o.gate is not None else None,
    ),
    "web": (
        "a^w: 1 before 0, investigation only",
        frozenset({Phase.BROWSE, Phase.REPORT}),
        lambda o: o.web_correct,
    ),
}


def pair_lines(runs: Sequence[RunFolder], rule: Rule, by: By, answers: Answers) -> Iterator[dict[str, Any]]:
    """Yield a line for each right episode of a chain beside each wrong one, if they had the same prompt and parted.

    Args:
        runs: Two runs or more on one split.
        rule: What makes an episode right.
        by: Whether what follows is all the rest of the episode, or the one answer in which the two part.
        answers: How answers are written.

    Raises:
        ConfigError: There are fewer than two runs, or they are on different splits.
        InputFileError: A run is damaged, its scores are missing or out of date, or the split here is another one.
        UnknownNameError: The split of a run is not here.
    """
    if len(runs) < 2:
        raise ConfigError(f"Pairs need two runs or more of the same chains, got {len(runs)}: give another run.")
    if len({run.manifest.split_sha256 for run in runs}) > 1:
        raise ConfigError("Pairs need runs on one split, and these are on several: export each split by itself.")
    said, phases, score = _RULES[rule]
    questioner = Questioner(_shared_options(runs), answers)
    for right, wrong in _paired(runs, score):
        one, other = (
            [t for t in questioner.turns(e.record.trajectory, e.run.manifest, e.message) if t.phase in phases]
            for e in (right, wrong)
        )
        parted = _parted(one, other, by)
        if parted is not None:
            prompt, chosen, rejected = ([each.told() for each in part] for part in parted)
            yield {
                "format": FORMAT,
                "prompt": prompt,
                "chosen": chosen,
                "rejected": rejected,
                "loss": {"chosen": [each.trained for each in parted[1]]},
                "rule": said,
                "chain": right.chain_id,
                "sources": {"chosen": source(right), "rejected": source(wrong)},
                "status": {"chosen": status(right), "rejected": status(wrong)},
                "prompts": {"answers": answers, **questioner.identity},
            }


def _shared_options(runs: Sequence[RunFolder]) -> LLMOptions:
    """Return the options that all runs share, else the usual ones: both sides of a pair must have the same prompt."""
    options = [options_of(run.manifest) for run in runs]
    return options[0] if all(each == options[0] for each in options) else LLMOptions.model_validate(TEXT_ONLY)


def _paired(runs: Sequence[RunFolder], score: Callable[[Outcome], int | None]) -> Iterator[tuple[Played, Played]]:
    """Yield right episodes beside wrong ones of the same chain, as soon as all runs have come to it.

    Runs that are frozen hold their chains in the planned order: of each, one episode is in memory then.
    """
    scores = [{chain: score(o) for chain, o in scored_outcomes(run, "a pair").items()} for run in runs]
    wanted = {chain for each in scores for chain in each if {0, 1} <= {other.get(chain) for other in scores}}
    held: defaultdict[str, dict[int, Played]] = defaultdict(dict)
    for row in zip_longest(*(played(run) for run in runs)):
        for i, episode in enumerate(row):
            if episode is None or episode.chain_id not in wanted or scores[i].get(episode.chain_id) is None:
                continue
            chain = episode.chain_id
            held[chain][i] = episode
            if len(held[chain]) == sum(each.get(chain) is not None for each in scores):
                here = [each for _, each in sorted(held.pop(chain).items())]
                right = {id(each): score(each.outcome) == 1 for each in here if each.outcome is not None}
                yield from product(
                    [each for each in here if right[id(each)]], [each for each in here if not right[id(each)]]
                )


def _parted(right: Sequence[Turn], wrong: Sequence[Turn], by: By) -> tuple[list[Said], list[Said], list[Said]] | None:
    """Return what two episodes have in common, and how each goes on; ``None`` where that is no choice between answers.

    It is none where the two were shown different things after the same answers, or where the environment refused the
    answer of the right one.
    """
    chosen, rejected = conversation(right), conversation(wrong)
    place = next((i for i, pair in enumerate(zip(chosen, rejected, strict=False)) if _differ(*pair)), None)
    if place is None or not chosen[place].trained or rejected[place].role != "assistant":
        return None
    if by == "call":
        return conversation([chosen[place].turn])[:-1], [chosen[place]], [rejected[place]]
    return chosen[:place], chosen[place:], rejected[place:]


def _differ(one: Said, other: Said) -> bool:
    return one.told() != other.told()
