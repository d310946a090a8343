"""Rules about the sense of a citation: telling words say yes; no needs a wide list of which nothing is there."""

from __future__ import annotations

import re

from riskchain_gym.protocol.codebook import AnchorType, Decision, ViolationType
from riskchain_gym.scoring.judge.bundle import CitedItem
from riskchain_gym.scoring.judge.questions import Answer, Question
from riskchain_gym.scoring.judge.rules_anchors import ASKED_WORDS, BENIGN_ANCHORS, LIMIT_ANCHORS, RISK_ANCHORS
from riskchain_gym.scoring.judge.rules_cues import cues, folded
from riskchain_gym.scoring.judge.rules_finding import Finding, cannot_tell, no, yes
from riskchain_gym.scoring.judge.rules_reading import Reading, ReadView, is_drawn
from riskchain_gym.scoring.text import fold_blanks

_CLAIM_WORDS: dict[ViolationType, str] = {
    ViolationType.GAMBLING_BETTING_PROMOTION: "gambling",
    ViolationType.ADULT_CONTENT_OR_SEXUAL_SERVICE: "adult",
    ViolationType.CONTROLLED_SUBSTANCE_PROMOTION: "substance",
    ViolationType.MALWARE_SUSPICIOUS_DOWNLOAD: "malware",
    ViolationType.PHISHING_CREDENTIAL_THEFT: "phishing",
    ViolationType.INVESTMENT_FINANCIAL_FRAUD: "investment",
    ViolationType.IMPERSONATION_FAKE_SERVICE: "identity",
}
_TELLING_CLAIMS: dict[ViolationType, str] = {
    **_CLAIM_WORDS,
    ViolationType.FRAUD_DECEPTIVE_INDUCEMENT: "fraud",
    ViolationType.OTHER_PROHIBITED_ACTIVITY: "other",
}
_SAYINGS = frozenset({AnchorType.VISIBLE_TEXT_OR_CLAIM, AnchorType.VISUAL_OR_BRAND_IMPERSONATION})
_DISTINCT = ("gambling", "adult", "substance", "malware")
"""Lists whose telling words are of one type of violation only."""

_ACTIONS = ("payment", "contact", "credential", "download", "form")
_NARROW_ACTIONS: dict[ViolationType, tuple[str, ...]] = {
    ViolationType.PHISHING_CREDENTIAL_THEFT: ("credential",),
    ViolationType.MALWARE_SUSPICIOUS_DOWNLOAD: ("download",),
}
_OFFERS = (*dict.fromkeys(_TELLING_CLAIMS.values()),)
_READABLE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fffa-zA-Z0-9]")
_LETTER = re.compile(r"\w")


def anchor_fits(reading: Reading, question: Question) -> Finding:
    """Say whether what is cited is of the kind that the citation names."""
    citation, said = _said(reading, question.place)
    if citation is None or not said:
        return cannot_tell("What is cited is not recorded as text of the view.")
    anchor = citation.anchor_type
    if anchor in (AnchorType.VISIBLE_TEXT_OR_CLAIM, AnchorType.OTHER_OBSERVED_EVIDENCE):
        return yes("It is text of the page.")
    if anchor in ASKED_WORDS:
        word = ASKED_WORDS[anchor]
        if cues().tells(said, word):
            return yes(f"It tells of {word}.")
        return cannot_tell("It may.") if cues().holds(said, word) else no(f"Nothing in it is about {word}.")
    if anchor is AnchorType.GAMBLING_ADULT_OR_DRUG_OFFER:
        return _hit(cues().tells(said, "gambling", "adult", "substance"))
    if anchor is AnchorType.VISUAL_OR_BRAND_IMPERSONATION:
        return _hit(cues().tells(said, "identity"))
    if anchor is AnchorType.LANGUAGE_LIMITATION:
        return yes("Most of it is in no language of the site.") if _is_unreadable(said) else cannot_tell("It is text.")
    if anchor is AnchorType.ENVIRONMENT_LIMITATION:
        return _hit(_tells_only(said, "limitation"))
    disclaims = anchor is AnchorType.COUNTEREVIDENCE_OR_DISCLAIMER and cues().tells(said, "disclaimer")
    return _hit(disclaims or _tells_only(said, "benign", "warning"))


def shows_part(reading: Reading, question: Question) -> Finding:
    """Say whether a citation shows the part of the codebook's rule that its group is about."""
    if question.place == "report":
        return no("The report cites no evidence.")
    return _part(reading, question.place, question.group)


def violation_is_shown(reading: Reading) -> bool:
    """Return whether the evidence shows both parts of the violation that is reported."""
    places = [cited.place for cited in reading.bundle.report.citations if cited.place.startswith("evidence.")]
    groups = ("part.claim", "part.action")
    return all(any(_part(reading, p, group).answer is Answer.YES for p in places) for group in groups)


def _part(reading: Reading, place: str, group: str) -> Finding:
    citation, said = _said(reading, place)
    if citation is None or not said:
        return cannot_tell("What is cited is not recorded as text of the view.")
    kind, anchor = reading.bundle.report.primary_violation_type, citation.anchor_type
    match group:
        case "part.claim":
            return _claims(said, kind, anchor)
        case "part.action":
            return _leads_to_act(said, kind, anchor)
        case "part.benign":
            return _is_benign(said, anchor)
        case "part.limitation":
            return _is_limited(said, anchor)
    return _hit(cues().tells(said, "other"))


def speaks_for(reading: Reading, question: Question) -> Finding:
    """Say whether a citation speaks for the side that it is filed on; no only where its kind contradicts it.

    What a citation calls itself is the reporter's own word: yes needs a text that bears the kind out.
    """
    citation, said = _said(reading, question.place)
    if citation is None:
        return cannot_tell("There is no such citation.")
    decision, anchor = reading.bundle.report.decision, citation.anchor_type
    if not question.place.startswith("evidence."):
        against = BENIGN_ANCHORS | LIMIT_ANCHORS if decision is Decision.VIOLATION else RISK_ANCHORS
        return _hit(anchor in against and anchor_fits(reading, question).answer is Answer.YES)
    if decision is Decision.VIOLATION:
        if anchor in BENIGN_ANCHORS | LIMIT_ANCHORS:
            return no("What is filed as evidence of a violation is said to speak against one.")
        plain = not cues().tells(said, "warning")
        return _hit(plain and anchor in RISK_ANCHORS and cues().holds(said, *_ACTIONS, *_CLAIM_WORDS.values()))
    fitting = BENIGN_ANCHORS if decision is Decision.NON_VIOLATION else LIMIT_ANCHORS
    if anchor in (LIMIT_ANCHORS if decision is Decision.NON_VIOLATION else BENIGN_ANCHORS):
        return no("Its kind is that of another decision.")
    if anchor is AnchorType.GAMBLING_ADULT_OR_DRUG_OFFER and not cues().tells(said, "warning"):
        return no("An offer of that kind does not speak for the decision.")
    return _hit(anchor in fitting and anchor_fits(reading, question).answer is Answer.YES)


def _claims(said: str, kind: ViolationType, anchor: AnchorType) -> Finding:
    if anchor in BENIGN_ANCHORS | LIMIT_ANCHORS:
        return no("It is cited as speaking against a violation.")
    wide, telling = _CLAIM_WORDS.get(kind), _TELLING_CLAIMS.get(kind)
    own = telling is not None and cues().tells(said, telling)
    if wide is not None and not own and anchor in ASKED_WORDS:
        return no(f"It asks for something, and nothing in it tells of {wide}.")
    # No list of words is complete: that a line has none of them says no only where it tells of something else.
    foreign = _OFFERS if wide is not None and not cues().holds(said, wide) else _DISTINCT
    other = next((name for name in foreign if name != telling and cues().tells(said, name)), None)
    if other is not None and not own:
        return no(f"What it tells of is {other}.")
    return _hit(own and not cues().tells(said, "warning"))


def _leads_to_act(said: str, kind: ViolationType, anchor: AnchorType) -> Finding:
    if anchor in BENIGN_ANCHORS | LIMIT_ANCHORS:
        return no("It is cited as speaking against a violation.")
    asked = _NARROW_ACTIONS.get(kind, _ACTIONS)
    if not cues().holds(said, *asked) or (anchor in _SAYINGS and not cues().holds(said, "asks")):
        return no("It leads nobody to do or hand over anything.")
    if anchor in ASKED_WORDS and cues().holds(said, ASKED_WORDS[anchor]) and not cues().tells(said, "warning"):
        return yes("It asks for something.")
    return cannot_tell("It may.")


def _is_benign(said: str, anchor: AnchorType) -> Finding:
    if anchor in LIMIT_ANCHORS:
        return no("It is cited as a limitation.")
    if anchor in BENIGN_ANCHORS and _tells_only(said, "benign", "warning"):
        return yes("It tells of an ordinary service.")
    offers = cues().tells(said, *_OFFERS) and not cues().tells(said, "warning", "benign")
    return no("It tells of an offer.") if anchor in RISK_ANCHORS | _SAYINGS and offers else cannot_tell("It may.")


def _is_limited(said: str, anchor: AnchorType) -> Finding:
    if anchor is AnchorType.LANGUAGE_LIMITATION and _is_unreadable(said):
        return yes("Most of it is in no language of the site.")
    if _tells_only(said, "limitation"):
        return yes("It tells of something that cannot be seen.")
    may = anchor in LIMIT_ANCHORS or _is_unreadable(said) or cues().tells(said, "limitation")
    return cannot_tell("It may.") if may else no("Everything in it can be read.")


def _said(reading: Reading, place: str) -> tuple[CitedItem | None, str]:
    """Return a citation and the folded text that it stands for: the line of its quote, or what it names.

    A quote that its view does not show stands for nothing, unless it may be drawn in a picture.
    """
    citation, view = reading.cited(place)
    if citation is None:
        return None, ""
    quote = fold_blanks(citation.quote)
    if view is not None and is_drawn(citation, view):
        return citation, folded(quote)
    if view is None or (quote and not view.shows(quote, citation.element_id)):
        return citation, ""
    return citation, folded(_text_of(citation, view, quote))


def _text_of(citation: CitedItem, view: ReadView, quote: str) -> str:
    if quote:
        return view.line_of(quote)
    if citation.region_lines:
        return " ".join(map(fold_blanks, citation.region_lines))
    return view.names.get(citation.element_id or "", "")


def _tells_only(said: str, *names: str) -> bool:
    """Say whether a text tells of one of these and of nothing that is offered, asked for or kept from view."""
    others = (name for name in (*_OFFERS, *ASKED_WORDS.values(), "limitation") if name not in names)
    return cues().tells(said, *names) and not cues().tells(said, *others)


def _hit(found: bool) -> Finding:
    return yes("It tells so.") if found else cannot_tell("It may.")


def _is_unreadable(text: str) -> bool:
    """Say whether letters of no script that the sites are written in, or of no word, make up most of a text."""
    letters = _LETTER.findall(text)
    return bool(letters) and (
        sum(1 for c in letters if _READABLE.match(c)) < 0.6 * len(letters) or _is_strange(letters)
    )


def _is_strange(letters: list[str]) -> bool:
    latin = [c for c in letters if c.isalpha() and not "\u3400" <= c <= "\u9fff"]
    return len(latin) > 0.5 * len(letters) and any(not c.isascii() for c in latin)
