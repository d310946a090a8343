"""What a status means is read from what a server says of its error, and never from what it echoes of the request."""

from __future__ import annotations

import json

import pytest

from riskchain_gym.llm.failures import CallFailure, failure_of_status

PAGE = "this vision of an image says: maximum context length, prompt is too long, content exists risk"
ECHOES = [
    {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": PAGE}]},
    {"error": {"message": "unknown field 'seed'", "param": PAGE, "code": None, "type": "invalid_request_error"}},
    {"object": "error", "message": "unknown field", "code": 400, "request": {"messages": [{"content": PAGE}]}},
    {"error": {"message": "no", "innererror": {"code": "content_filter", "prompt": PAGE}}},
    [{"error": {"message": "no", "details": [PAGE]}}],
    {"error": [PAGE]},
    [],
    PAGE[:0],
    None,
]
TOLD = [
    ({"error": {"message": "This model's maximum context length is 4096 tokens."}}, CallFailure.CONTEXT_TOO_LONG),
    ({"error": {"message": "no", "code": "context_length_exceeded"}}, CallFailure.CONTEXT_TOO_LONG),
    ({"object": "error", "message": "Maximum context length is 4096", "code": 400}, CallFailure.CONTEXT_TOO_LONG),
    ([{"error": {"message": "prompt is too long: 9 > 8"}}], CallFailure.CONTEXT_TOO_LONG),
    ({"error": "the request exceeds the available context size"}, CallFailure.CONTEXT_TOO_LONG),
    ({"error": {"message": "image input is not supported"}}, CallFailure.IMAGES_UNSUPPORTED),
    ({"error": {"message": "no", "type": "content_filter"}}, CallFailure.REFUSED),
    ({"error": {"message": "Content Exists Risk"}}, CallFailure.REFUSED),
    ({"error": "upstream took too long"}, CallFailure.BAD_REQUEST),
]


@pytest.mark.parametrize("status", [400, 413, 422])
@pytest.mark.parametrize("body", ECHOES)
def test_what_is_echoed_is_not_read(status: int, body: object) -> None:
    assert failure_of_status(status, json.dumps(body)) is CallFailure.BAD_REQUEST


@pytest.mark.parametrize(("body", "failure"), TOLD)
def test_what_is_said_of_the_error_is_read(body: object, failure: CallFailure) -> None:
    assert failure_of_status(400, json.dumps(body)) is failure


@pytest.mark.parametrize(
    ("status", "said", "failure"),
    [
        (413, "<html>413 Request Entity Too Large</html>", CallFailure.BAD_REQUEST),
        (413, '{"error": {"message": "maximum context length is 4096"}}', CallFailure.CONTEXT_TOO_LONG),
        (413, '{"error": {"message": "images and all: the body is too large"}}', CallFailure.BAD_REQUEST),
        (400, "image input is not supported", CallFailure.IMAGES_UNSUPPORTED),
        (400, f"no: {PAGE}" * 20, CallFailure.BAD_REQUEST),
        (400, "[" * 100_000, CallFailure.BAD_REQUEST),
    ],
)
def test_a_body_without_json_is_read_where_it_is_a_sentence(status: int, said: str, failure: CallFailure) -> None:
    assert failure_of_status(status, said) is failure
