"""Rules about single citations: is it shown, is it borne out, does it add anything. Text against text, exactly."""

from __future__ import annotations

from riskchain_gym.scoring.judge.bundle import CitedItem
from riskchain_gym.scoring.judge.questions import Question
from riskchain_gym.scoring.judge.rules_finding import Finding, cannot_tell, no, yes
from riskchain_gym.scoring.judge.rules_reading import Reading, is_drawn
from riskchain_gym.scoring.judge.rules_words import about_something_else, supported
from riskchain_gym.scoring.text import fold_blanks


def shown(reading: Reading, question: Question) -> Finding:
    """Say whether the cited view shows the quote, or has the element or region that is named."""
    citation, view = reading.cited(question.place)
    if citation is None:
        return cannot_tell("There is no such citation.")
    if view is None:
        return no(f"There is no view {citation.step}.")
    element, quote = citation.element_id, fold_blanks(citation.quote)
    if element is not None and element not in view.names and element not in view.keys:
        return no(f"View {citation.step} has no element of that id.")
    if not quote:
        if element is None and citation.region is not None and not citation.region_lines:
            return cannot_tell("The region frames no line.")
        return yes("The view has what is named.")
    if view.shows(quote, element):
        return yes("The quote stands in the view.")
    if is_drawn(citation, view):
        return cannot_tell("The words may be drawn in a picture.")
    where = [step for step, other in reading.views.items() if other.shows(quote)]
    if where:
        return no(f"The quote is not in view {citation.step} but in view {where[0]}.")
    return no("The quote is in no view.")


def borne_out(reading: Reading, question: Question) -> Finding:
    """Say whether the cited view bears out what is observed of it in the reporter's own words."""
    citation, view = reading.cited(question.place)
    if citation is None or view is None:
        return cannot_tell("There is no such citation.") if citation is None else no("There is no such view.")
    if not citation.observation.strip():
        return cannot_tell("Nothing is observed.")
    if is_drawn(citation, view):
        return cannot_tell("What is observed may be drawn in a picture.")
    return about_something_else(citation, view, reading) or supported(citation, view)


def adds(reading: Reading, question: Question) -> Finding:
    """Say whether a citation says something that no earlier one says."""
    citations = reading.bundle.report.citations
    at = next((i for i, cited in enumerate(citations) if cited.place == question.place), None)
    if at is None:
        return cannot_tell("There is no such citation.")
    for earlier in citations[:at]:
        if _repeats(citations[at], earlier):
            return no(f"It says what {earlier.place} says.")
    return yes("No earlier citation says it.")


def _repeats(cited: CitedItem, earlier: CitedItem) -> bool:
    mine, theirs = fold_blanks(cited.quote), fold_blanks(earlier.quote)
    if mine or theirs:
        return bool(mine and theirs) and (mine in theirs or theirs in mine)
    if cited.step != earlier.step or cited.element_id != earlier.element_id:
        return False
    return cited.region == earlier.region or bool(cited.region_lines and cited.region_lines == earlier.region_lines)
