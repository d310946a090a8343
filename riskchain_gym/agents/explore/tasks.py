"""Pieces of work on a site, and how promising each kind is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from riskchain_gym.agents.explore.targets import FormGroup, Target
from riskchain_gym.protocol.action import ActionKind

CLICK_COST = 20
"""What a click on the way to a page weighs against the tiers."""


class Tier(IntEnum):
    """Order of work, cheap and promising first; a page each click further away must offer ``CLICK_COST`` more."""

    ACCEPT = 0
    ONWARD = 10
    GATE = 20
    RETRY = 30
    REVEALED = 40
    REVISIT = 45
    BUTTON = 50
    SURPRISING = 55
    NEXT_LINK = 57
    FORM = 58
    SITE_LINK = 60
    LONG_GATE = 65
    CONTENT_LINK = 70
    LONG_FORM = 75
    RETURN = 80
    FILTER = 95
    FORM_AGAIN = 100
    SECOND_LOOK = 120
    FURTHER_BUTTON = 130
    CODE_FORM = 160
    MINOR_LINK = 180
    LANDING_LINK = 185
    AGAIN = 190
    WAIT = 200
    STALE = 210
    EXIT = 230


WHY: dict[Tier, str] = {
    Tier.ACCEPT: "accept, to get on",
    Tier.ONWARD: "get on from a page that stands before another one",
    Tier.RETURN: "ask once more for the page that another one stands before",
    Tier.SURPRISING: "look at a page again, for others have changed",
    Tier.SECOND_LOOK: "see whether a page shows the same to those who come back",
    Tier.GATE: "pass a gate",
    Tier.LONG_GATE: "pass a gate",
    Tier.RETRY: "try a broken page again",
    Tier.REVEALED: "use what a button has brought up",
    Tier.BUTTON: "press a button not tried yet",
    Tier.FORM: "complete a form",
    Tier.SITE_LINK: "visit a section not seen yet",
    Tier.NEXT_LINK: "follow one of the few links of a page",
    Tier.CONTENT_LINK: "follow a link not tried yet",
    Tier.LONG_FORM: "complete a form",
    Tier.FORM_AGAIN: "try a form once more that was refused",
    Tier.LANDING_LINK: "follow a link of the landing page, which may name a section",
    Tier.FURTHER_BUTTON: "press one more button of a long row",
    Tier.FILTER: "show a list another way",
    Tier.MINOR_LINK: "follow a minor link",
    Tier.CODE_FORM: "complete a form that wants a code",
    Tier.REVISIT: "come back to a page that asked to wait",
    Tier.AGAIN: "press again, it brought something new",
    Tier.WAIT: "wait for a page",
    Tier.STALE: "see whether a page has changed since a form was sent",
    Tier.EXIT: "try the way out",
}
"""The reason given with an action, by the tier of its task."""


@dataclass(frozen=True)
class Task:
    """One thing left to do.

    Attributes:
        tier: How promising it is.
        path: Page it is done on.
        kind: The action; for a form the desk chooses field by field.
        target: The control, if the action has one.
        form: The form to work on, if it is that.
    """

    tier: Tier
    path: str
    kind: ActionKind
    target: Target | None = None
    form: FormGroup | None = None

    @property
    def identity(self) -> tuple[object, ...]:
        """Same for the same work, whenever it is listed."""
        return self.path, self.kind, self.target.key if self.target else None, self.form.form_id if self.form else None
