"""The browse and report half of the language-model agent."""

from __future__ import annotations

from typing import Any

from riskchain_gym.agents.asking import AskedModel
from riskchain_gym.agents.base import Instructions, Observation
from riskchain_gym.agents.llm.desk import Answered, Desk, said_of
from riskchain_gym.agents.llm.notes import Notes
from riskchain_gym.agents.llm.options import read_options
from riskchain_gym.agents.llm.page import objectives_of, page_block
from riskchain_gym.agents.llm.pictures import Album
from riskchain_gym.agents.llm.prompts import DATA, WORDS
from riskchain_gym.agents.llm.question import Question
from riskchain_gym.agents.llm.record import Record
from riskchain_gym.agents.view import Sighting, phase_of, sighting_of
from riskchain_gym.protocol.trajectory import Phase

_BROWSE_SYSTEM = "browse_system.txt"
_BROWSE = "browse.txt"
_REPORT_SYSTEM = "report_system.txt"
_REPORT = "report.txt"


class LLMInvestigator:
    """Asks a language model for each browser action and for the report, one call an answer.

    Args:
        model: The model, for this investigator alone.
        options: Those of :class:`~riskchain_gym.agents.llm.options.LLMOptions`.

    Raises:
        ConfigError: An option is unknown or cannot be.
    """

    asks_model = True

    def __init__(self, model: AskedModel, **options: Any) -> None:
        files = (DATA, WORDS, _BROWSE_SYSTEM, _BROWSE, _REPORT_SYSTEM, _REPORT)
        self._desk = Desk(model, read_options(options), files)
        self._options = self._desk.options
        self._album = Album(marks=self._options.marks)
        self._systems: dict[Phase, str] = {}
        self._notes = Notes()
        self._record: Record | None = None
        self._problem = ""

    @property
    def identity(self) -> dict[str, Any]:
        """Prompts by hash, forms and options, as JSON values."""
        return self._desk.identity

    @property
    def record(self) -> Record | None:
        """What the report is asked for with; ``None`` before it was asked for."""
        return self._record

    def reset(self, instructions: Instructions) -> None:
        """Forget the last site."""
        self._desk.model.reset()
        self._album.reset()
        self._notes, self._record, self._problem = Notes(), None, ""
        book, filled = instructions.codebook, self._desk.prompts.filled
        types = _listed(f"{name}: {text}" for name, text in book["minimum_evidence"].items())
        rules, anchors = _listed(book["decision_rules"]), ", ".join(book["anchor_types"])
        self._systems = {
            Phase.BROWSE: filled(_BROWSE_SYSTEM, types=types),
            Phase.REPORT: filled(_REPORT_SYSTEM, types=types, rules=rules, anchors=anchors),
        }

    def close(self) -> None:
        """Let go of the model; idempotent."""
        self._desk.model.close()

    def investigate(self, observation: Observation) -> str:
        """Return the next browser action or the report as JSON text, or the model's words where they are neither.

        Raises:
            ConfigError: The model cannot be asked at all, or there are no screenshots to send it.
            InfrastructureError: No answer could be had.
        """
        return self._browse(observation) if phase_of(observation) is Phase.BROWSE else self._report(observation)

    def _browse(self, observation: Observation) -> str:
        page = sighting_of(observation)
        self._notes.see(page)
        image = self._album.take(observation, page.step) if self._options.images else None
        blocks: dict[str, Any] = {"page": page_block(page)}
        if history := self._history():
            blocks["history"] = history
        sections = {
            "budget": self._section("budget", left=str(page.steps_left)) if self._options.tell_budget else "",
            "objectives": self._objectives(observation),
            "pictures": self._section("marked_picture" if self._options.marks else "picture") if image else "",
        }
        images = (image,) if image else ()
        answered = self._ask(Phase.BROWSE, _BROWSE, blocks, sections, images, page.feedback, page)
        self._notes.do(page.step, answered.fields)
        return answered.action

    def _report(self, observation: Observation) -> str:
        if self._record is None:
            self._notes.end(observation)
            self._record = Record(self._notes)
            self._problem = ""
        record = self._record
        images = self._album.sample(self._options.report_images, record.redactor)
        attached = self._section("report_pictures", steps=", ".join(map(str, images))) if images else ""
        blocks = {"seen": record.block()}
        feedback = record.redactor.mask(str(observation.get("feedback", "")))
        pictures = tuple(images.values())
        answered = self._ask(Phase.REPORT, _REPORT, blocks, {"pictures": attached}, pictures, feedback)
        if answered.fields is None:
            return answered.action
        return Answered(record.with_quotes_as_shown(answered.fields)).action

    def _ask(
        self,
        phase: Phase,
        template: str,
        blocks: dict[str, Any],
        sections: dict[str, str],
        images: tuple[bytes, ...],
        feedback: str,
        page: Sighting | None = None,
    ) -> Answered:
        if said := said_of(feedback, self._problem):
            blocks["feedback"] = said
        step = page.step if page is not None else None
        answered = self._desk.ask(Question(phase, self._systems[phase], template, blocks, sections, images, step))
        self._problem = answered.problem
        return answered

    def _history(self) -> list[dict[str, Any]]:
        deeds, most = self._notes.deeds, self._options.history
        return [deed.told() for deed in (deeds if most is None else deeds[len(deeds) - min(most, len(deeds)) :])]

    def _objectives(self, observation: Observation) -> str:
        listed = objectives_of(observation)
        return self._section("objectives", items=_listed(listed)) if listed else ""

    def _section(self, name: str, **values: str) -> str:
        return self._desk.prompts.section(name, **values)


def _listed(items: Any) -> str:
    return "\n".join(f"- {item}" for item in items)
