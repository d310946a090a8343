"""The workbench's addresses: each is one call of the desk, in a thread of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from riskchain_gym.annotation.assets import INDEX, Asset
from riskchain_gym.annotation.desk import Desk
from riskchain_gym.annotation.refusals import RefusedError
from riskchain_gym.annotation.requests import Act, MakePin, OnTask, SaveDraft, Submit, Undo, read_request
from riskchain_gym.annotation.wording import codebook
from riskchain_gym.protocol.model import Frozen

_R = TypeVar("_R", bound=Frozen)
_STEP = re.compile(r"0|[1-9][0-9]{0,5}")


def make_app(desk: Desk, assets: Mapping[str, Asset]) -> Router:
    """Return the app; it belongs behind a :class:`~riskchain_gym.annotation.guard.Guard`.

    Args:
        desk: What answers.
        assets: The files of the page.
    """

    def asset(name: str) -> Response:
        if (found := assets.get(name)) is None:
            return _refusal(RefusedError(404, "There is no such file."))
        return Response(found.content, media_type=found.media_type)

    def picture(request: Request) -> Response:
        step = request.path_params["step"]
        if not _STEP.fullmatch(step):
            return _refusal(RefusedError(404, "There is no such step."))
        return _picture(lambda: desk.picture(request.path_params["task_id"], int(step)))

    def thumbnail(request: Request) -> Response:
        return _picture(lambda: desk.thumbnail(request.path_params["name"]))

    return Router(
        [
            Route("/", lambda _: asset(INDEX), methods=["GET"]),
            Route("/static/{name}", lambda request: asset(request.path_params["name"]), methods=["GET"]),
            Route("/api/state", _get(desk.state), methods=["GET"]),
            Route("/api/codebook", _get(codebook), methods=["GET"]),
            Route("/api/draft", _post(SaveDraft, desk.save_draft), methods=["POST"]),
            Route("/api/submit", _post(Submit, desk.submit), methods=["POST"]),
            Route("/api/undo", _post(Undo, desk.undo), methods=["POST"]),
            Route("/api/visit", _get(desk.view), methods=["GET"]),
            Route("/api/visit/act", _post(Act, desk.act), methods=["POST"]),
            Route("/api/visit/restart", _post(OnTask, desk.restart), methods=["POST"]),
            Route("/api/pin", _post(MakePin, desk.pin), methods=["POST"]),
            Route("/api/picture/{task_id}/{step}", picture, methods=["GET"]),
            Route("/api/thumbnail/{name}", thumbnail, methods=["GET"]),
        ],
        redirect_slashes=False,
        default=_nothing_here,
    )


async def _nothing_here(scope: Any, receive: Any, send: Any) -> None:
    await _refusal(RefusedError(404, "There is nothing at this address."))(scope, receive, send)


def _get(answer: Callable[[], Mapping[str, Any]]) -> Callable[[Request], Response]:
    return lambda _: _answer(answer)


def _post(model: type[_R], answer: Callable[[_R], Mapping[str, Any]]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(_answer, lambda: answer(read_request(body, model)))

    return endpoint


def _answer(call: Callable[[], Mapping[str, Any]]) -> Response:
    try:
        return _json(200, call())
    except RefusedError as error:
        return _refusal(error)


def _picture(call: Callable[[], tuple[bytes, str]]) -> Response:
    try:
        content, media_type = call()
    except RefusedError as error:
        return _refusal(error)
    return Response(content, media_type=media_type)


def _refusal(error: RefusedError) -> Response:
    return _json(error.status, error.body)


def _json(status: int, value: Mapping[str, Any]) -> Response:
    # Escapes keep whatever a site shows, half a surrogate pair too, on its way through UTF-8.
    return Response(json.dumps(value, allow_nan=False), status, media_type="application/json")
