"""What servers say, in their own words, and what it means."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.judges.judge_interface import TooLong
from models.judges.openai_compatible.server_failures import Cause, classify_failure, describe_failure


def said(message: str, **more: object) -> str:
    return json.dumps({"error": {"message": message, **more}})


@pytest.mark.parametrize(
    ("status", "body", "asked", "room"),
    [
        (
            400,
            said("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."),
            9000,
            8192,
        ),
        (
            400,
            said(
                "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the "
                "messages, 1000 in the completion). Please reduce the length of the messages or completion."
            ),
            9000,
            8192,
        ),
        (400, said("The decoder prompt (length 9000) is longer than the maximum model length of 8192."), 9000, 8192),
        (400, said("the request exceeds the available context size, try increasing it"), None, None),
        (400, said("it is too much", type="exceed_context_size_error", n_prompt_tokens=9000, n_ctx=8192), 9000, 8192),
        (400, said("too much", code="context_length_exceeded"), None, None),
        (500, said("Prompt exceeds n_ctx: 9000 > 8192"), 9000, 8192),
        (500, said("Requested tokens (9000) exceed context window of 8192"), 9000, 8192),
        (
            400,
            json.dumps(
                {
                    "error": "Trying to keep the first 9000 tokens when context the overflows. However, the model is "
                    "loaded with context length of only 8192 tokens, which is not enough."
                }
            ),
            9000,
            8192,
        ),
        (400, json.dumps({"object": "error", "message": "max_tokens must be at least 1, got -186."}), None, None),
    ],
)
def test_a_full_context_is_known_in_many_words(status: int, body: str, asked: int | None, room: int | None) -> None:
    failure = classify_failure(status, body)
    assert (failure.cause, failure.too_long) == (Cause.CONTEXT, TooLong(asked, room))
    line = describe_failure(failure, "host", "model", True, 1)
    assert f"it has {'9,000 tokens' if asked else 'more tokens than that'}" in line
    assert f"model holds {'8,192' if room else 'fewer'}" in line


@pytest.mark.parametrize(
    ("status", "body", "cause"),
    [
        (401, said("bad"), Cause.KEY),
        (403, said("bad"), Cause.KEY),
        (404, said("The model does not exist"), Cause.MISSING),
        (402, said("pay"), Cause.QUOTA),
        (429, said("You exceeded your current quota", code="insufficient_quota"), Cause.QUOTA),
        (429, said("slow down"), Cause.BUSY),
        *((status, "", Cause.BUSY) for status in (408, 409, 429, 500, 502, 503, 504, 529)),
        (503, said("Loading model"), Cause.BUSY),
        (500, "<html><title>500</title></html>", Cause.BUSY),
        (400, said("bad", code="content_filter"), Cause.FILTERED),
        (400, said("Invalid schema for response_format 'x'"), Cause.SHAPE),
        (500, said("failed to parse grammar"), Cause.SHAPE),
        (422, json.dumps({"detail": [{"loc": ["body", "response_format", "type"], "msg": "bad"}]}), Cause.SHAPE),
        (400, said("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."), Cause.LIMIT_NAME),
        (422, json.dumps({"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}), Cause.SEED),
        (400, said("temperature must be 1"), Cause.OTHER),
        *((status, "", Cause.OTHER) for status in (400, 405, 413, 418, 422)),
    ],
)
def test_causes(status: int, body: str, cause: Cause) -> None:
    assert classify_failure(status, body).cause is cause


def test_what_it_was_sent_is_not_taken_for_what_it_says() -> None:
    body = {"detail": [{"loc": ["body", "temperature"], "msg": "too hot", "input": {"response_format": 1, "seed": 2}}]}
    assert classify_failure(422, json.dumps(body)).cause is Cause.OTHER


def test_a_web_page_becomes_a_line() -> None:
    page = "<html><style>b {}</style><h1>Bad\n gateway</h1><script>alert(1)</script></html>"
    assert classify_failure(502, page).server_message == "Bad gateway"


@given(st.integers(300, 599), st.text())
def test_whatever_a_server_says_is_one_short_line(status: int, body: str) -> None:
    failure = classify_failure(status, body)
    assert failure.server_message.isprintable()
    assert len(failure.server_message) <= 301
    assert describe_failure(failure, "host", "model", True, 3).isprintable()
