"""Carrying out one action on the page of an episode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from riskchain_gym.envs.backends.base import ActResult
from riskchain_gym.envs.browser.episode import Episode
from riskchain_gym.envs.browser.world import DocumentReplacedError, ScriptError
from riskchain_gym.protocol.action import SCROLL_PIXELS, TARGETED, ActionErrorKind, ActionKind, BrowserAction, Key
from riskchain_gym.protocol.failures import FailureKind

Fixture = Callable[[str, str], str]
"""The value to type, by path of the page and key of the field."""

_SAME_TAB = frozenset({"", "_self", "_top", "_parent"})
_MUST_BE_HIT = frozenset({ActionKind.CLICK, ActionKind.CHECK})
_LEADING = frozenset({ActionKind.CLICK, ActionKind.SUBMIT, ActionKind.PRESS})


@dataclass(frozen=True)
class _Target:
    """What ``target.js`` says of an element that can be acted on."""

    key: str
    point: tuple[float, float] | None
    url: str
    frame: str
    checked: bool
    options: tuple[str, ...]
    usable: tuple[bool, ...]


def perform(episode: Episode, action: BrowserAction, key: str | None, fixture: Fixture) -> ActResult:
    """Carry out an action, wait until the page is at rest, and describe it.

    What an element allows is decided by one look at it before it is touched, so that the outcome does not depend on how
    busy the machine is. A page that leaves its site is brought back; one that has done so by itself since it was last
    described is brought back instead of acted on, for it is not what the action was meant for.

    Args:
        episode: The page.
        action: Any action but ``stop``.
        key: Key of the target on the page as last seen.
        fixture: What ``fill`` types.

    Raises:
        InfrastructureError: The page did not come to rest, or the sandbox server answered nothing.
        playwright.sync_api.Error: The browser or the page is gone, or a document took too long.
    """
    border = episode.border
    border.has_left = False
    border.lost.clear()
    error = episode.return_to_site() or _attempt(episode, action, key, fixture)
    page = episode.look().page
    left = border.has_left or FailureKind.LOST_TAB in border.lost
    error = error or (ActionErrorKind.BLOCKED_NAVIGATION if left else None)
    return ActResult(page, error, tuple(sorted(border.lost)))


def _attempt(episode: Episode, action: BrowserAction, key: str | None, fixture: Fixture) -> ActionErrorKind | None:
    if action.action in TARGETED:
        error = _targeted(episode, action, key, fixture)
    else:
        error = _untargeted(episode, action.action)
    episode.settle()
    # A document that came meanwhile has not heard that the pointer left.
    episode.pointer.leave()
    return episode.return_to_site() or error


def _untargeted(episode: Episode, kind: ActionKind) -> ActionErrorKind | None:
    if kind is ActionKind.BACK:
        return None if episode.go_back() else ActionErrorKind.NO_HISTORY
    if kind is ActionKind.RELOAD:
        episode.reload()
    elif kind is not ActionKind.NOOP:
        try:
            episode.world.call("scroll", SCROLL_PIXELS if kind is ActionKind.SCROLL_DOWN else -SCROLL_PIXELS)
        except (DocumentReplacedError, ScriptError):
            return ActionErrorKind.EXECUTION_ERROR
    return None


def _targeted(episode: Episode, action: BrowserAction, key: str | None, fixture: Fixture) -> ActionErrorKind | None:
    from playwright.sync_api import Error

    seen = episode.seen
    assert seen is not None, "show() comes first"
    if key is None or key not in seen.keys:
        return ActionErrorKind.ELEMENT_DETACHED
    try:
        found = episode.world.call("target", [key, action.action in _MUST_BE_HIT, action.key])
        if found["problem"]:
            return ActionErrorKind(found["problem"])
        target = _read(key, found)
        if action.action in _LEADING and target.url and not episode.allows(target.url):
            return ActionErrorKind.BLOCKED_NAVIGATION
        if action.action in _LEADING and target.url and target.frame.lower() not in _SAME_TAB:
            episode.border.lost.add(FailureKind.LOST_TAB)
            return ActionErrorKind.BLOCKED_NAVIGATION
        if action.action is ActionKind.FILL:
            return _fill(episode, seen.page.path, key, fixture)
        if action.action is ActionKind.SELECT:
            return _select(episode, target, action.option)
        if action.key is not None:
            return _press_key(episode, target, action.key)
        if action.action is ActionKind.SUBMIT:
            episode.world.call("submit", key)
        elif action.action is ActionKind.CLICK or not target.checked:
            _click(episode, target)
    except DocumentReplacedError:
        return ActionErrorKind.ELEMENT_DETACHED
    except (ScriptError, Error):
        # A page that refuses is the agent's affair; a browser that is gone fails again when the page is looked at.
        return ActionErrorKind.EXECUTION_ERROR
    return None


def _read(key: str, found: dict[str, Any]) -> _Target:
    point = found["point"]
    return _Target(
        key=key,
        point=(point["x"], point["y"]) if point else None,
        url=found["url"],
        frame=found["frame"],
        checked=found["checked"],
        options=tuple(found["options"]),
        usable=tuple(found["usable"]),
    )


def _fill(episode: Episode, path: str, key: str, fixture: Fixture) -> ActionErrorKind | None:
    try:
        value = fixture(path, key)
    except KeyError:
        # The site's state has moved on, and it no longer knows the field that the page still shows.
        return ActionErrorKind.EXECUTION_ERROR
    return None if episode.world.call("fill", [key, value]) else ActionErrorKind.EXECUTION_ERROR


def _select(episode: Episode, target: _Target, option: str | None) -> ActionErrorKind | None:
    choices = [i for i, usable in enumerate(target.usable) if usable]
    if option is None:
        choices = [i for i in choices if target.options[i] != ""]
    else:
        choices = [i for i in choices if target.options[i] == option]
    if not choices:
        return ActionErrorKind.EXECUTION_ERROR
    episode.world.call("select", [target.key, choices[0]])
    return None


def _press_key(episode: Episode, target: _Target, key: Key) -> ActionErrorKind | None:
    if not episode.world.call("focus", target.key):
        return ActionErrorKind.EXECUTION_ERROR
    episode.keyboard.press(key)
    return None


def _click(episode: Episode, target: _Target) -> None:
    assert target.point is not None, "target.js gives a point where the element must be hit"
    episode.pointer.click(*target.point)
