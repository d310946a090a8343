"""The engine: what a site answers to a GET or a POST, as a pure function of its state.

Every interaction is a link (GET) or a form (POST, then a redirect); no page holds a script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from riskchain_gym.sites.compiled import CompiledCheck, CompiledDetour, CompiledSite
from riskchain_gym.sites.drawn import drawn_page
from riskchain_gym.sites.expressions import LONGEST_VALUE, RUN, ExpressionError, evaluate, render, render_value
from riskchain_gym.sites.pageview import PageView
from riskchain_gym.sites.rules import LONGEST_INPUT
from riskchain_gym.sites.state import Rejection, SiteState
from riskchain_gym.sites.unseen import as_typed
from riskchain_gym.sites.view import missing_page
from riskchain_gym.sites.words import words


@dataclass(frozen=True)
class Response:
    """What a site answers.

    Attributes:
        status: HTTP status.
        location: Path to go on to (302 after a GET, 303 after a POST), else ``""``.
        page: The page, unless the answer is a redirect or a download.
        download: Content of a downloaded file; inert text.
        filename: Its name.
        body: Whatever else is answered, as it is: a body of a captured site.
        content_type: Its content type.
        policy: The content security policy that it is sent with.
    """

    status: int
    location: str = ""
    page: PageView | None = None
    download: bytes | None = None
    filename: str = ""
    body: bytes | None = None
    content_type: str = ""
    policy: str = ""


def get(site: CompiledSite, state: SiteState, path: str) -> tuple[SiteState, Response]:
    """Answer a GET.

    Args:
        site: The site.
        state: Its state.
        path: Path, perhaps with a query (which is ignored).

    Returns:
        The state afterwards and the page, a redirect one step towards the page that is shown instead, or a file, whose
        having been fetched the state remembers.
    """
    name = _clean(path)
    if name in site.downloads:
        file = site.downloads[name]
        state = replace(state, vars={**state.vars, **dict.fromkeys(site.fetched.get(name, ()), True)})
        return state, Response(200, download=words(site.lang).inert_file.format(file=file).encode(), filename=file)
    if name not in site.pages:
        return state, Response(404, page=missing_page(site, path))
    if destination(site, state, name) != name:
        hop = _first(site.pages[name].detours, state)
        assert hop is not None, "a page with another destination has a detour that holds"
        return state, Response(302, location=hop)
    state = state.shown(name)
    return state, Response(site.pages[name].status, page=drawn_page(site, state, name, path)[0])


def post(site: CompiledSite, state: SiteState, path: str, form: Mapping[str, str]) -> tuple[SiteState, Response]:
    """Answer a POST.

    Args:
        site: The site.
        state: Its state.
        path: Path of the action.
        form: Fields sent, an unchecked box left out; fields of no known name are ignored. What nobody sees is dropped
            from the values, and outside text areas all white space becomes single spaces.

    Returns:
        The state afterwards and a redirect; a form that fails a check leads back to its page, which then says why.
    """
    name = _clean(path)
    action = site.actions.get(name)
    if action is None:
        return state, Response(404, page=missing_page(site, path))
    areas = {field.name for field in site.form_fields.get(name, ()) if field.type == "textarea"}
    form = {field: as_typed(value, lines=field in areas) for field, value in form.items()}
    back = _origin(site, state, name)
    context = state.context(form)
    try:
        error = next((c.error for c in action.checks if not _passes(c, form, context)), None)
        if error is None:
            changed = {key: render_value(RUN, value, context) for key, value in action.set.items()}
            after = replace(state, vars={**state.vars, **changed}, rejection=None)
            target = _first(action.otherwise, after) or action.go or back
            return after, Response(303, location=target)
        error = render(RUN, error, context)
    except ExpressionError:
        error = words(site.lang).unreadable_form
    rejection = Rejection(name, error, _kept(site, name, form))
    return replace(state, rejection=rejection, page=back), Response(303, location=back)


def destination(site: CompiledSite, state: SiteState, path: str) -> str:
    """Return the page that is shown when ``path`` is asked for: itself, or where its detours lead.

    Detours that lead round in a circle are not followed. A redirect changes no state, so from each hop of a chain the
    destination is the same, and the chain ends.
    """
    seen = [path]
    while (ahead := _first(site.pages[seen[-1]].detours, state)) is not None and ahead != seen[-1]:
        if ahead in seen:
            return path
        seen.append(ahead)
    return seen[-1]


def _first(detours: tuple[CompiledDetour, ...], state: SiteState) -> str | None:
    if not detours:
        return None
    context = state.context()
    return next((detour.go for detour in detours if evaluate(RUN, detour.when, context)), None)


def _clean(path: str) -> str:
    return path.partition("#")[0].partition("?")[0]


def _passes(check: CompiledCheck, form: Mapping[str, str], context: Mapping[str, Any]) -> bool:
    value = form.get(check.field, "")
    if check.checked:
        return value != ""
    if check.rule is not None and (len(value) > LONGEST_INPUT or re.fullmatch(check.rule, value) is None):
        return False
    return check.equals is None or value == render(RUN, check.equals, context).strip()


def _origin(site: CompiledSite, state: SiteState, action: str) -> str:
    """Return the page that holds the form: the one shown last, unless it is not there."""
    owners = site.owners.get(action, ())
    return state.page if state.page in owners or not owners else owners[0]


def _kept(site: CompiledSite, action: str, form: Mapping[str, str]) -> dict[str, str]:
    kept = [field for field in site.form_fields.get(action, ()) if field.name in form and field.type != "password"]
    return {field.name: form[field.name][:LONGEST_VALUE] for field in kept}
