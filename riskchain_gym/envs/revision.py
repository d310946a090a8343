"""The joint protocol's report phase: what it shows of the restoration again, and the one revision it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riskchain_gym.protocol.model import canonical_json
from riskchain_gym.protocol.trajectory import Phase

if TYPE_CHECKING:
    from riskchain_gym.envs.machine import Machine

TOLD: dict[bool, str] = {
    True: "The entry that was committed leads to the site that was shown.",
    False: "The entry that was committed does not lead to the site that was shown.",
}
"""What ``revision="told"`` says of the gate, word for word: one bit, and nothing of where else the site may be."""

REVISED = "The revised restoration is kept beside the committed one: report now."
"""Feedback to an accepted revision."""

REVISED_ONCE = "The restoration was revised once and cannot be again: send the report."
"""Feedback to a second one, which is an invalid action."""


def revision_lines(machine: Machine) -> tuple[str, ...]:
    """Return the lines above the page's in the text of the report phase; none in any other phase or protocol.

    The message and the committed restoration, each as one line of JSON; where the protocol tells it, the sentence of
    :data:`TOLD`. No line of a page comes before them, so that no page can pass for one of them.

    Args:
        machine: The episode.
    """
    config, committed = machine.config, machine.recorder.commit
    if config.revision == "none" or machine.phase is not Phase.REPORT or committed is None:
        return ()
    case = machine.episode.case
    lines = (canonical_json(case.chain.variants[case.variant]), canonical_json(committed))
    return (*lines, TOLD[bool(machine.gate)]) if config.revision == "told" else lines
