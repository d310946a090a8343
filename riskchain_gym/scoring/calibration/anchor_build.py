"""The constructed anchors: every kind of claim about a citation, put to every scene, true, false and open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from riskchain_gym.protocol.codebook import CODEBOOK_VERSION, AnchorType, Decision
from riskchain_gym.scoring.calibration.anchors import Anchor
from riskchain_gym.scoring.calibration.scenes import LANDING, PAGE, PICTURE, Scene, SceneLine, load_scenes
from riskchain_gym.scoring.calibration.sentences import FABRICATED
from riskchain_gym.scoring.judge.bundle import CitedItem
from riskchain_gym.scoring.judge.enquiry import questions_about
from riskchain_gym.scoring.judge.questions import Answer, ClaimKind

EVIDENCE, SECOND, AGAINST = "evidence.0", "evidence.1", "counterevidence.0"


@dataclass(frozen=True)
class _Pair:
    """One claim–citation pair of a scene: what is cited, what is asked of the last citation, and the answer."""

    name: str
    kind: ClaimKind
    answer: Answer
    note: str
    citations: tuple[CitedItem, ...]
    fault: str = ""
    group: str = ""
    page_twice: bool = False


def build_anchors() -> tuple[Anchor, ...]:
    """Return the constructed anchors; always the same ones."""
    return tuple(anchor for i, scene in enumerate(load_scenes()) for anchor in _anchors(scene, i))


def _anchors(scene: Scene, number: int) -> Iterator[Anchor]:
    for pair in (*_shown(scene, number), *_observed(scene), *_typed(scene), *_added(scene, number)):
        bundle = scene.bundle(*pair.citations, page_twice=pair.page_twice)
        place = pair.citations[-1].place
        (question,) = (
            q for q in questions_about(bundle) if (q.kind, q.place, q.group) == (pair.kind, place, pair.group)
        )
        yield Anchor(
            id=f"{scene.name}-{pair.name}",
            source="constructed",
            cluster=scene.name,
            language=scene.language,
            bundle=bundle,
            question=question,
            reference=pair.answer,
            codebook_version=CODEBOOK_VERSION,
            fault=pair.fault,
            note=pair.note,
        )


def _cite(line: SceneLine, step: int = PAGE, place: str = EVIDENCE, **changed: str) -> CitedItem:
    cited = CitedItem(place=place, step=step, anchor_type=line.anchor, quote=line.text)
    return cited.model_copy(update=changed)


def _shown(scene: Scene, number: int) -> Iterator[_Pair]:
    claim, action, kind = scene.claim, scene.action, ClaimKind.SHOWN
    invented = FABRICATED[scene.language]
    true = _Pair("shown-line", kind, Answer.YES, "The line stands in the view.", (_cite(claim),))
    yield true
    yield replace(true, name="shown-part", note="A part of a line.", citations=(_cite(action, quote=action.part),))
    false = replace(true, answer=Answer.NO)
    yield replace(
        false,
        name="shown-digit",
        note="One digit differs.",
        citations=(_cite(action, quote=action.digit),),
        fault="fabricated_text/digit",
    )
    yield replace(
        false,
        name="shown-word",
        note="One word differs.",
        citations=(_cite(claim, quote=scene.twisted),),
        fault="fabricated_text/word",
    )
    if number % 2:
        note, step, fault = "The line stands in the next view.", LANDING, "wrong_step/neighbour"
        yield replace(false, name="shown-step", note=note, citations=(_cite(claim, step),), fault=fault)
    else:
        quote, fault = invented[number % len(invented)], "fabricated_text/sentence"
        note = "No view has the sentence."
        yield replace(false, name="shown-none", note=note, citations=(_cite(claim, quote=quote),), fault=fault)
    drawn = _cite(claim, quote=invented[(number + 1) % len(invented)], element_id=PICTURE)
    note = "It is said to be drawn in a picture of which no image is given."
    yield replace(true, name="shown-drawn", answer=Answer.CANNOT_TELL, note=note, citations=(drawn,))


def _observed(scene: Scene) -> Iterator[_Pair]:
    claim = scene.claim
    says = {
        "seen": (Answer.YES, "The view says so in other words.", ""),
        "wrong": (Answer.NO, "The view says otherwise.", "wrong_claim"),
        "open": (Answer.CANNOT_TELL, "The view says nothing of it.", ""),
    }
    for name, (answer, note, fault) in says.items():
        cited = _cite(claim, observation=getattr(claim, name))
        yield _Pair(f"borne-out-{name}", ClaimKind.BORNE_OUT, answer, note, (cited,), fault)


def _typed(scene: Scene) -> Iterator[_Pair]:
    claim, action, other = scene.claim, scene.action, scene.other
    right = _Pair("kind-right", ClaimKind.ANCHOR_FITS, Answer.YES, "It is of that kind.", (_cite(claim),))
    yield right
    wrong = claim.model_copy(update={"anchor": scene.wrong_anchor})
    yield replace(
        right, name="kind-wrong", answer=Answer.NO, note="It is nothing of the kind.", citations=(_cite(wrong),)
    )
    group, part = _part(scene)
    shows = _Pair("part-shown", ClaimKind.SHOWS_PART, Answer.YES, "It is that part.", (_cite(part),), group=group)
    yield shows
    aside = SceneLine(text=other.text, anchor=AnchorType.VISIBLE_TEXT_OR_CLAIM)
    note, cited = "It says nothing of the kind.", _cite(aside, LANDING)
    fault = {Decision.VIOLATION: "over_claimed_type", Decision.NON_VIOLATION: "flipped_decision"}.get(
        scene.decision, ""
    )
    yield replace(shows, name="part-not", answer=Answer.NO, note=note, citations=(cited,), fault=fault)
    yield _Pair("side-for", ClaimKind.SPEAKS_FOR, Answer.YES, "It speaks for the decision.", (_cite(action),))
    misfiled = (_cite(action), _cite(claim, place=AGAINST))
    note = "It speaks for the decision and is filed against it."
    yield _Pair("side-against", ClaimKind.SPEAKS_FOR, Answer.NO, note, misfiled, "flipped_decision")


def _part(scene: Scene) -> tuple[str, SceneLine]:
    """Return a group of the codebook's rule, and the line that shows it."""
    match scene.decision:
        case Decision.VIOLATION:
            return "part.action", scene.action
        case Decision.NON_VIOLATION:
            return "part.benign", scene.claim
        case Decision.INSUFFICIENT_EVIDENCE:
            return "part.limitation", scene.claim


def _added(scene: Scene, number: int) -> Iterator[_Pair]:
    claim, action, kind = scene.claim, scene.action, ClaimKind.ADDS
    first = _cite(action)
    new = (first, _cite(claim, place=SECOND))
    yield _Pair("adds-new", kind, Answer.YES, "It quotes another line.", new)
    name, note, again = (
        ("exact", "The same line again.", _cite(action, place=SECOND)),
        ("part", "A part of the same line.", _cite(action, place=SECOND, quote=action.part)),
        ("other_view", "The same line at another view.", _cite(action, PAGE + 1, SECOND)),
    )[number % 3]
    yield _Pair(
        f"adds-{name.replace('_', '-')}",
        kind,
        Answer.NO,
        note,
        (first, again),
        f"duplicate_citation/{name}",
        page_twice=name == "other_view",
    )
