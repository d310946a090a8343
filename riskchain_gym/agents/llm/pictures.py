"""Screenshots for the prompts: which are taken from observations, and which go with the report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from riskchain_gym.agents.base import Observation
from riskchain_gym.envs.screenshots import ScreenshotEncoder
from riskchain_gym.protocol.errors import ConfigError
from riskchain_gym.protocol.page import ObservedElement, ObservedPage
from riskchain_gym.scoring.redaction.pictures import grey_out, masked_boxes
from riskchain_gym.scoring.redaction.text import Redactor


class Album:
    """The screenshots of one agent.

    Args:
        marks: Whether they have the elements' ids drawn into them.
    """

    def __init__(self, *, marks: bool) -> None:
        self._key = "screenshot_som" if marks else "screenshot"
        self._encoder = ScreenshotEncoder()
        self._images: dict[int, bytes] = {}
        self._placed: dict[int, ObservedPage] = {}

    def reset(self) -> None:
        """Forget the last episode."""
        self._images, self._placed = {}, {}

    def take(self, observation: Observation, step: int) -> bytes:
        """Keep the screenshot of a browse observation, and return it as a WebP file.

        Raises:
            ConfigError: The environment observes none.
            MissingExtraError: Pillow is not installed.
        """
        if self._key not in observation:
            raise ConfigError(
                f"The language-model agent is to see screenshots, and observations have none: make the environment "
                f'with observe=["{self._key}"], or run the agent with images=false.'
            )
        self._placed[step] = _placed(json.loads(observation["elements"]))
        self._images[step] = self._encoder.encode(observation[self._key])
        return self._images[step]

    def sample(self, most: int, redactor: Redactor) -> dict[int, bytes]:
        """Return the screenshots that go with the report, by step.

        Of equal ones only the first counts. Controls and pictures whose words are masked are covered in grey. Where
        lines of text stand, observations do not say, so those stay as they were seen.

        Args:
            most: How many at most.
            redactor: What masks the words of the episode.
        """
        first: dict[bytes, int] = {}
        for step, data in self._images.items():
            first.setdefault(data, step)
        steps = evenly(tuple(first.values()), most)
        return {step: grey_out(self._images[step], masked_boxes(self._placed[step], redactor)) for step in steps}


def evenly(steps: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return an even sample of steps, first and last among them if there is room for both."""
    if len(steps) <= most:
        return steps
    if most < 2:
        return steps[:most]
    return tuple(steps[round(i * (len(steps) - 1) / (most - 1))] for i in range(most))


def _placed(shown: Mapping[str, Any]) -> ObservedPage:
    """Return what of a page has a place in its screenshot: controls and pictures."""
    return ObservedPage(
        path=str(shown["path"]),
        title=str(shown["title"]),
        elements=tuple(ObservedElement.model_validate(element) for element in shown["elements"]),
        pictures=shown.get("pictures", ()),
        scroll_y=shown["view"]["scroll_y"] if "view" in shown else 0,
    )
