"""Chat messages for supervised fine-tuning: a line an episode, or a line a call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from riskchain_gym.evaluation.exports.conversation import Said, conversation, source, status
from riskchain_gym.evaluation.exports.played import Only, Played, selected
from riskchain_gym.evaluation.exports.turns import Answers, Questioner, Turn, options_of
from riskchain_gym.evaluation.store import RunFolder

FORMAT = "riskchain-chat/v1"

By = Literal["episode", "call"]
"""What a line holds: a whole episode as one chat, or one call as the language-model agent makes it."""


def chat_lines(runs: Sequence[RunFolder], only: Only, by: By, answers: Answers) -> Iterator[dict[str, Any]]:
    """Yield the lines of a chat export.

    Args:
        runs: The runs.
        only: Which episodes.
        by: What a line holds.
        answers: How answers are written.

    Raises:
        InputFileError: A run is damaged, its scores are missing or out of date, or the split here is another one.
        UnknownNameError: The split of a run is not here.
    """
    for run in runs:
        questioner = Questioner(options_of(run.manifest), answers)
        prompts = {"answers": answers, **questioner.identity}
        for episode in selected([run], only):
            turns = list(questioner.turns(episode.record.trajectory, run.manifest, episode.message))
            if by == "episode":
                yield _line(episode, conversation(turns), prompts)
            else:
                for turn in turns:
                    yield {**_line(episode, conversation([turn]), prompts), "call": _call(turn)}


def _line(episode: Played, said: Sequence[Said], prompts: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "messages": [each.told() for each in said],
        "loss": [each.trained for each in said],
        "phases": [each.turn.phase for each in said],
        "status": status(episode),
        **source(episode),
        "prompts": prompts,
    }


def _call(turn: Turn) -> dict[str, Any]:
    return {"step": turn.index, "phase": turn.phase, "browse_step": turn.browse_step, "valid": turn.valid}
