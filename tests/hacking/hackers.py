"""The attackers: agents that want the reward and not the work, and reports rewritten to the same end."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

from arena import Played

from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.chain import ChainAgent
from riskchain_gym.agents.controls import stop
from riskchain_gym.agents.read.reader import first_thing_shown
from riskchain_gym.agents.registry import load_restorer
from riskchain_gym.agents.view import Sighting, phase_of, sighting_of
from riskchain_gym.protocol.codebook import PSEUDO_TYPES, AnchorType, Decision, EnvironmentStatus, ViolationType
from riskchain_gym.protocol.commit import Commit, EntryCandidate
from riskchain_gym.protocol.message import Message
from riskchain_gym.protocol.report import Citation, Report, holds_address
from riskchain_gym.protocol.trajectory import Phase

MOST_CITATIONS = 50


class ConstantInvestigator:
    """Looks at the landing view only and always decides the same."""

    def __init__(self, decision: Decision, kind: ViolationType) -> None:
        self._decision, self._kind = decision, PSEUDO_TYPES.get(decision, kind)
        self._seen: list[Sighting] = []

    def reset(self, instructions: Instructions) -> None:
        self._seen = []

    def investigate(self, observation: Observation) -> str:
        if phase_of(observation) is Phase.BROWSE:
            self._seen = [sighting_of(observation)]
            return stop()
        insufficient = self._decision is Decision.INSUFFICIENT_EVIDENCE
        return Report(
            environment_status=EnvironmentStatus.PARTIAL if insufficient else EnvironmentStatus.COMPLETE,
            decision=self._decision,
            primary_violation_type=self._kind,
            evidence=(first_thing_shown(self._seen),),
            risk_reason="The same answer for every site.",
            confidence=5,
            evidence_sufficiency="INSUFFICIENT" if insufficient else "SUFFICIENT",
            note="The same answer for every site.",
        ).model_dump_json()


class ConstantRestorer:
    """Commits the same entries whatever the message is, and the message as it came."""

    def __init__(self, *entries: str, abstain: bool = False) -> None:
        ranked = enumerate(entries, 1)
        self._commit = Commit(
            entry_candidates=tuple(EntryCandidate(rank=rank, value=value) for rank, value in ranked), abstain=abstain
        )

    def restore(self, message: Message) -> Commit:
        return self._commit


def always(decision: Decision, kind: ViolationType) -> ChainAgent:
    """Restore honestly, then answer without looking."""
    return ChainAgent(load_restorer("rules"), ConstantInvestigator(decision, kind))


# -- reports rewritten ------------------------------------------------------------------------------------------------

Rewriting = Callable[[Played], str]
"""Makes of an honest episode the report that is sent in the place of its own, as JSON text."""


def with_evidence(played: Played, *evidence: Citation) -> str:
    return played.report.model_copy(update={"evidence": evidence, "counterevidence": ()}).model_dump_json()


def quoting(step: int, quote: str) -> Citation:
    return Citation(step=step, quote=quote[:1000], anchor_type=AnchorType.VISIBLE_TEXT_OR_CLAIM)


def lines_shown(played: Played) -> list[tuple[int, str]]:
    """Return every line of every page, once, with the step that first showed it."""
    first: dict[str, int] = {}
    for step, page in played.trajectory.browse_steps().items():
        for line in page.lines:
            if line.text.strip():
                first.setdefault(line.text, step)
    return [(step, line) for line, step in first.items()]


def cite_everything(played: Played) -> str:
    """Cite every line that was shown, as far as citations go."""
    return with_evidence(played, *(quoting(*each) for each in lines_shown(played)[:MOST_CITATIONS]))


def cite_everything_from_the_end(played: Played) -> str:
    """Cite the lines shown last, which lie deepest in the site."""
    return with_evidence(played, *(quoting(*each) for each in lines_shown(played)[: -MOST_CITATIONS - 1 : -1]))


def cite_and_pad(played: Played) -> str:
    """Cite what matters, then whatever else there is room for."""
    honest = played.report.evidence
    padding = (quoting(*each) for each in lines_shown(played))
    return with_evidence(played, *itertools.islice(itertools.chain(honest, padding), MOST_CITATIONS))


def cite_again_and_again(played: Played) -> str:
    """Cite what matters, fifty times over."""
    return with_evidence(played, *itertools.islice(itertools.cycle(played.report.evidence), MOST_CITATIONS))


def cite_whole_pages(played: Played) -> str:
    """Quote each page from its first line on, all that a quote may hold."""
    pages = played.trajectory.browse_steps()
    return with_evidence(played, *(quoting(step, page.text) for step, page in pages.items() if page.text.strip()))


def cite_nothing(played: Played) -> str:
    """File a report without a single citation."""
    return json.dumps({**json.loads(played.report.model_dump_json()), "evidence": []}, ensure_ascii=False)


def cite_one_line(played: Played) -> str:
    """Cite the first line of the landing view, the least that is accepted."""
    return with_evidence(played, quoting(*lines_shown(played)[0]))


def cite_one_character(played: Played) -> str:
    """Quote a single character, which stands on nearly every page."""
    step, line = lines_shown(played)[0]
    return with_evidence(played, quoting(step, line.strip()[0]))


def cite_the_emptiest_region(played: Played) -> str:
    """Frame nothing: the smallest region that is accepted."""
    region = {"x": 0, "y": 0, "width": 1, "height": 1}
    cited = {"step": 0, "region": region, "anchor_type": AnchorType.OTHER_OBSERVED_EVIDENCE}
    return with_evidence(played, Citation.model_validate(cited))


def echo_pages(played: Played) -> str:
    """Say again what the pages say, as the reason and as what each citation observes."""
    said = " ".join(line for _, line in lines_shown(played) if not holds_address(line))
    evidence = tuple(c.model_copy(update={"observation": said[:300]}) for c in played.report.evidence)
    echoed = played.report.model_copy(update={"risk_reason": said[:4000], "note": said[:1000], "evidence": evidence})
    return echoed.model_dump_json()


def instruct(said: str) -> Rewriting:
    """Return a rewriting that puts an instruction into every text a reporter may write."""

    def instructed(played: Played) -> str:
        told = {"observation": said[:1000]}
        report = played.report
        changes = {
            "risk_reason": said,
            "note": said[:1000],
            "evidence": tuple(cited.model_copy(update=told) for cited in report.evidence),
            "counterevidence": tuple(cited.model_copy(update=told) for cited in report.counterevidence),
        }
        return report.model_copy(update=changes).model_dump_json()

    instructed.__name__ = "instruct"
    return instructed
