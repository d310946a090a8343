"""Faults of single citations: the wrong view, a quote that is not there, another's observation, a repetition."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping

from riskchain_gym.protocol.keyed import KeyedRandom
from riskchain_gym.protocol.page import ObservedPage
from riskchain_gym.protocol.report import Citation
from riskchain_gym.scoring.calibration.edits import Edit, change_digit
from riskchain_gym.scoring.calibration.plant import Case, Planted, Planter, in_some_citation, shows
from riskchain_gym.scoring.calibration.sentences import fabricated

Pages = Mapping[int, ObservedPage]

FAR = 3
"""Views that lie at least so many steps apart are far from each other."""

MIN_SUB_QUOTE = 12
"""Code points that a part of a line has at least, so that it still points at the line."""


def neighbouring_step(case: Case, rng: KeyedRandom) -> Planted | None:
    """Cite the view just before or after, where it does not show the quote."""
    return _moved(case, rng, lambda steps, step: [near for near in (step - 1, step + 1) if near in steps])


def far_step(case: Case, rng: KeyedRandom) -> Planted | None:
    """Cite a view that is far away and does not show the quote."""
    return _moved(case, rng, lambda steps, step: [far for far in steps if abs(far - step) >= FAR])


def invented_quote(case: Case, rng: KeyedRandom) -> Planted | None:
    """Quote a plausible sentence that no view shows."""

    def attempt(place: str, cited: Citation, pages: Pages) -> Planted | None:
        sentences = fabricated(case.gold.site.lang, rng)
        invented = (one for one in sentences if not any(shows(page, one) for page in pages.values()))
        return _quoting(case, place, cited, invented)

    return in_some_citation(case, rng, attempt)


def edited_quote(edit: Edit) -> Planter:
    """Return a planter that edits the quote so that the cited view no longer shows it."""

    def plant(case: Case, rng: KeyedRandom) -> Planted | None:
        def attempt(place: str, cited: Citation, pages: Pages) -> Planted | None:
            page = pages[cited.step]
            return _quoting(case, place, cited, (q for q in edit(cited.quote, page.text, rng) if not shows(page, q)))

        return in_some_citation(case, rng, attempt)

    return plant


def others_observation(*, on_view: bool) -> Planter:
    """Return a planter that takes over the observation of a citation whose quote the cited view does or doesn't show.

    Args:
        on_view: Whether the cited view shows what the other one quotes.
    """

    def plant(case: Case, rng: KeyedRandom) -> Planted | None:
        others = list(case.citations().values())
        rng.shuffle(others)

        def attempt(place: str, cited: Citation, pages: Pages) -> Planted | None:
            for other in others:
                differs = other.quote not in cited.quote and other.observation != cited.observation
                if differs and other.observation and shows(pages[cited.step], other.quote) is on_view:
                    return _planted(case, place, observation=other.observation)
            return None

        return in_some_citation(case, rng, attempt)

    return plant


def changed_number(case: Case, rng: KeyedRandom) -> Planted | None:
    """Change a number in an observation to one that the cited view does not show."""

    def attempt(place: str, cited: Citation, pages: Pages) -> Planted | None:
        for observation in change_digit(cited.observation, "", rng):
            numbers = set(re.findall(r"\d+", observation)) - set(re.findall(r"\d+", cited.observation))
            if not any(number in pages[cited.step].text for number in numbers):
                return _planted(case, place, observation=observation)
        return None

    return in_some_citation(case, rng, attempt)


def repeated(case: Case, rng: KeyedRandom) -> Planted | None:
    """Repeat a citation."""
    return in_some_citation(case, rng, lambda place, cited, _: _repeating(case, place, cited))


def repeated_in_part(case: Case, rng: KeyedRandom) -> Planted | None:
    """Repeat a citation with a part of its quote."""

    def attempt(place: str, cited: Citation, pages: Pages) -> Planted | None:
        length = max(MIN_SUB_QUOTE, math.ceil(len(cited.quote) * 0.6))
        if length >= len(cited.quote):
            return None
        start = rng.below(len(cited.quote) - length + 1)
        part = cited.quote[start : start + length].strip()
        whole = part if shows(pages[cited.step], part) else cited.quote[:length].strip()
        return _repeating(case, place, cited, quote=whole)

    return in_some_citation(case, rng, attempt)


def repeated_later(case: Case, rng: KeyedRandom) -> Planted | None:
    """Repeat a citation at another view that shows the same line."""

    def attempt(place: str, cited: Citation, pages: Pages) -> Planted | None:
        again = [step for step, page in pages.items() if step != cited.step and shows(page, cited.quote)]
        return _repeating(case, place, cited, step=rng.choice(again)) if again else None

    return in_some_citation(case, rng, attempt)


def _moved(case: Case, rng: KeyedRandom, candidates: Callable[[Pages, int], list[int]]) -> Planted | None:
    def attempt(place: str, cited: Citation, pages: Pages) -> Planted | None:
        steps = [step for step in candidates(pages, cited.step) if not shows(pages[step], cited.quote)]
        return _planted(case, place, step=rng.choice(steps)) if steps and cited.quote else None

    return in_some_citation(case, rng, attempt)


def _quoting(case: Case, place: str, cited: Citation, quotes: Iterable[str]) -> Planted | None:
    quote = next((quote for quote in quotes if cited.quote), None)
    return _planted(case, place, quote=quote) if quote else None


def _planted(case: Case, place: str, **changed: object) -> Planted:
    return Planted(case.with_citation(place, **changed), frozenset({place}))


def _repeating(case: Case, place: str, cited: Citation, **changed: object) -> Planted:
    """File a changed copy of a citation at the end of its own side."""
    side = place.partition(".")[0]
    filed: tuple[Citation, ...] = getattr(case.report, side)
    trajectory = case.with_report(**{side: (*filed, cited.model_copy(update=changed))})
    return Planted(trajectory, frozenset({place, f"{side}.{len(filed)}"}))
