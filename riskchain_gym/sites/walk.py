"""A walk: a visitor's stay on a site, action by action, on the pages as they are drawn."""

from __future__ import annotations

from collections.abc import Mapping

from riskchain_gym.protocol.action import ActionKind
from riskchain_gym.protocol.errors import RiskChainError
from riskchain_gym.protocol.gold import PathStep
from riskchain_gym.sites.blocks import FieldSpec
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.drawn import drawn_page
from riskchain_gym.sites.engine import Response
from riskchain_gym.sites.fixtures import fixture_value
from riskchain_gym.sites.moves import Act, step_of
from riskchain_gym.sites.pageview import Node
from riskchain_gym.sites.session import SiteSession


class MissingControlError(RiskChainError, LookupError):
    """A step names a control that the page does not show; its text says which."""


class Walk:
    """One walk, with the landing page open.

    Args:
        site: The site.

    Attributes:
        page: The page shown now.
    """

    def __init__(self, site: CompiledSite) -> None:
        self._site = site
        self._session = SiteSession(site)
        self._typed: dict[str, str] = {}
        self._fields: Mapping[str, FieldSpec] | None = None
        page = self._session.open(site.home).page
        assert page is not None, "the landing page is a page"
        self.page = page

    def step(self, act: Act) -> PathStep:
        """Return an action as a step that :meth:`take` can take on any walk.

        Raises:
            MissingControlError: The page shows no control with the action's key.
        """
        try:
            return step_of(self.page, act)
        except LookupError as error:
            raise MissingControlError(str(error)) from None

    def take(self, step: PathStep) -> bool:
        """Take a step and return whether a page was asked for, as opposed to a field filled in.

        Raises:
            MissingControlError: The page does not show the control that the step names.
        """
        self._session.tick()
        node = self._control(step) if step.role else None
        if step.action.action is ActionKind.RELOAD or node is None or node.control is None:
            self._show(self._session.open(self.page.path))
        elif node.control.role == "link":
            self._show(self._session.open(node.control.href))
        elif node.control.role == "button":
            self._show(self._session.open(self._session.post(node.control.action, self._typed).location))
        else:
            self._typed[node.control.field] = self._fixture(node.key)
            return False
        return True

    def _fixture(self, key: str) -> str:
        if self._fields is None:
            self._fields = drawn_page(self._site, self._session.state, self.page.path.partition("?")[0])[1]
        return fixture_value(self._fields[key], self._session.state)

    def _show(self, response: Response) -> None:
        self._typed, self._fields = {}, None
        self.page = response.page or self.page  # a file leaves the page as it was

    def _control(self, step: PathStep) -> Node:
        alike = [
            node
            for node in self.page.controls()
            if node.control is not None and (node.control.role, node.control.name) == (step.role, step.name)
        ]
        if step.nth >= len(alike):
            raise MissingControlError(
                f"The page {self.page.path} has no {step.role} '{step.name}' number {step.nth + 1}."
            )
        return alike[step.nth]
