"""Forms in progress: which field next, when to send, and when a refused form is worth another try."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from riskchain_gym.agents.explore.codes import PrintedCodes, printed_codes
from riskchain_gym.agents.explore.effects import Attempt, Effect
from riskchain_gym.agents.explore.memory import SiteMemory
from riskchain_gym.agents.explore.targets import FormGroup, FormId, Key, Target, is_empty
from riskchain_gym.agents.explore.words import means
from riskchain_gym.protocol.action import ActionKind

MAX_REFUSALS = 3
"""How often a form is sent in vain before it is given up."""


class Code(Enum):
    """Whether a form wants a code, and where that stands."""

    NOT_WANTED = "not wanted"
    MISSING = "missing"
    SEEN = "seen"


@dataclass
class FormRecord:
    """How far one form has come.

    Attributes:
        touched: Fields acted on in this attempt.
        refill: Fields to fill again although they hold a value.
        refusals: How often it was refused.
        incomplete: When it was last refused, a field stood empty that had not been filled.
        knowledge: The memory's knowledge when it was last refused.
        read_until: How many sightings there were when it was last refused.
        done: Whether it was sent and taken.
    """

    touched: set[Key] = field(default_factory=set)
    refill: set[Key] = field(default_factory=set)
    refusals: int = 0
    incomplete: bool = False
    knowledge: int = -1
    read_until: int = 0
    done: bool = False


class FormDesk:
    """Keeps the record of every form of a site.

    Args:
        memory: What is known of the site.
    """

    def __init__(self, memory: SiteMemory) -> None:
        self._memory = memory
        self._records: dict[FormId, FormRecord] = {}
        self._printed: list[PrintedCodes] = []

    def _record(self, form: FormGroup) -> FormRecord:
        return self._records.setdefault(form.form_id, FormRecord())

    def is_open(self, form: FormGroup) -> bool:
        """Return whether there is a reason to work on a form now."""
        record = self._record(form)
        most = 1 if form.is_filter else MAX_REFUSALS
        if record.done or record.refusals >= most or form.submitter is None:
            return False
        return record.refusals == 0 or self._memory.knowledge > record.knowledge or record.incomplete

    def code_state(self, form: FormGroup) -> Code:
        """Return whether a form asks for something printed elsewhere, and whether that has been seen.

        It does if its fields say so, or if it was refused although nothing had been left out.
        """
        record = self._record(form)
        texts = [f.element for f in form.fields if f.element.capabilities.fill]
        named = self.asks_for_code(form)
        if not named and (record.refusals == 0 or record.incomplete):
            return Code.NOT_WANTED
        names = [e.name for e in texts]
        seen = any(codes.are_for(names, any_code=named) for codes in self._printed_since(record.read_until))
        return Code.SEEN if seen else Code.MISSING

    def _printed_since(self, sighting: int) -> list[PrintedCodes]:
        unread = self._memory.sightings[len(self._printed) :]
        self._printed += [printed_codes(page.lines) for page in unread]
        return self._printed[sighting:]

    def asks_for_code(self, form: FormGroup) -> bool:
        """Return whether a form's one text field says that it wants something printed elsewhere."""
        texts = [f.element for f in form.fields if f.element.capabilities.fill]
        return len(texts) == 1 and means("code_field", texts[0].name + texts[0].placeholder)

    def was_refused(self, form: FormGroup) -> bool:
        """Return whether a form was refused when it was last sent, and is not being filled again yet."""
        record = self._record(form)
        return record.refusals > 0 and not record.touched and not record.incomplete

    def in_progress(self, form: FormGroup) -> bool:
        """Return whether some of its fields were filled and it was not sent yet."""
        record = self._record(form)
        return bool(record.touched) and not record.done

    def moves_left(self, form: FormGroup) -> int:
        """Return how many actions a form still takes, sending it included."""
        return len(self._open_fields(form)) + 1

    def next_move(self, form: FormGroup) -> tuple[ActionKind, Target] | None:
        """Return the next action on a form of the current page, or ``None`` if it cannot be sent."""
        record = self._record(form)
        if fields := self._open_fields(form):
            return _fill_kind(fields[0]), fields[0]
        sender = form.submitter
        if sender is None or sender.element.disabled or (form.button and form.button.element.disabled):
            self._refuse(form, record, ())
            return None
        return (ActionKind.SUBMIT if sender.element.capabilities.submit else ActionKind.CLICK), sender

    def _open_fields(self, form: FormGroup) -> list[Target]:
        record = self._record(form)
        open_fields = []
        for target in form.fields:
            moved = target.key.role == "slider" or form.is_filter
            wanted = moved or is_empty(target.element) or target.key in record.refill
            if wanted and not target.element.disabled and target.key not in record.touched:
                open_fields.append(target)
        return open_fields

    def settle(self, attempt: Attempt, effect: Effect) -> bool:
        """Put down what an action on a form did; return whether the form was sent and taken."""
        form = attempt.form
        if form is None or attempt.key is None:
            return False
        record = self._record(form)
        if any(f.key == attempt.key for f in form.fields):
            record.touched.add(attempt.key)
            return False
        still_here = form.form_id in self._memory.here.forms_by_id
        complaint = tuple(line for line in effect.fresh_here if means("refused", line))
        if still_here and (complaint or not effect.changed):
            self._refuse(form, record, complaint)
            return False
        record.done = True
        return True

    def _refuse(self, form: FormGroup, record: FormRecord, complaint: tuple[str, ...]) -> None:
        now = self._memory.here.forms_by_id.get(form.form_id, form)
        empty = {f.key for f in now.fields if is_empty(f.element) and not f.element.disabled}
        texts = [f for f in form.fields if f.element.capabilities.fill]
        said = "\n".join(complaint)
        named = {f.key for f in texts if f.element.name and "\n" not in f.element.name and f.element.name in said}
        record.incomplete = not empty <= record.touched
        record.refill = set() if record.incomplete else named or {f.key for f in texts}
        record.touched = set()
        record.refusals += 1
        record.knowledge = self._memory.knowledge
        record.read_until = len(self._memory.sightings)


def _fill_kind(target: Target) -> ActionKind:
    can = target.element.capabilities
    if can.check:
        return ActionKind.CHECK
    return ActionKind.SELECT if can.select and not can.fill else ActionKind.FILL
