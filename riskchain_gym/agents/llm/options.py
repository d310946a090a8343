"""What can be chosen about an agent that is a language model."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.invalid import first_problem
from riskchain_gym.protocol.model import Frozen

Language = Literal["en", "zh"]


class LLMOptions(Frozen):
    """The options of the language-model agent; a results table names those that are not at their default.

    Attributes:
        language: Language of the prompts; pages and messages stay as they are.
        images: Whether screenshots are sent: the current view with each browse step, up to ``report_images`` with the
            report. The environment must observe ``screenshot`` (or ``screenshot_som`` with ``marks``).
        marks: Whether the screenshots have the elements' ids drawn into them.
        pinyin: Whether the restore prompt gives the sound of every Chinese character beside the message.
        examples: Solved examples in the restore prompt (few-shot); invented ones, the same for every message.
        repair: Whether an answer of the wrong form is asked for once more, with what was wrong. Such calls are counted
            apart.
        history: How many of the last browse steps are told again with each new one; ``None``: all.
        tell_budget: Whether the prompts say how many actions are left.
        report_images: Screenshots that go with the report prompt at most: an even sample, first and last among them
            (protocol C.7).
    """

    language: Language = "en"
    images: bool = False
    marks: bool = False
    pinyin: bool = False
    examples: Annotated[int, Field(ge=0, le=3)] = 0
    repair: bool = False
    history: Annotated[int, Field(ge=0)] | None = 8
    tell_budget: bool = True
    report_images: Annotated[int, Field(ge=0, le=8)] = 8


def read_options(given: Mapping[str, object]) -> LLMOptions:
    """Return the options that keyword arguments say.

    Raises:
        ConfigError: There is no such option, a value cannot be, or one says nothing without another.
    """
    known = tuple(LLMOptions.model_fields)
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}."
            raise ConfigError(f"The language-model agent has no option '{name}': {hint}")
    try:
        options = LLMOptions.model_validate(given)
    except ValidationError as error:
        field, problem = first_problem(error)
        raise ConfigError(f"Option {field} of the language-model agent: {problem}.") from error
    if options.marks and not options.images:
        raise ConfigError("Option marks draws ids into screenshots, and none are sent: set images=true too.")
    return options
