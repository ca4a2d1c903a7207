"""What servers say, in their own words, and what it means; what becomes of a schema, and that no key is kept."""

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.judges.judge_interface import TooLong
from models.judges.openai_compatible.server_failures import ApiKeyRedactor, Cause, classify_failure, describe_failure
from models.judges.openai_compatible.server_judge import ConstraintMode, ServerCapabilities
from models.judges.openai_compatible.server_requests import cap_lengths, strip_limits
from project.entities.study_records import Json


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
        (400, said("The decoder prompt (length 9000) is longer than the maximum model length of 8192."), 9000, 8192),
        (400, said("the request exceeds the available context size, try increasing it"), None, None),
        (400, said("it is too much", type="exceed_context_size_error", n_prompt_tokens=9000, n_ctx=8192), 9000, 8192),
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
        (403, said("bad"), Cause.KEY),
        (404, said("The model does not exist"), Cause.MISSING),
        (402, said("pay"), Cause.QUOTA),
        (429, said("You exceeded your current quota", code="insufficient_quota"), Cause.QUOTA),
        (429, said("slow down"), Cause.BUSY),
        *((status, "", Cause.BUSY) for status in (408, 503)),
        (400, said("bad", code="content_filter"), Cause.FILTERED),
        (400, said("Invalid schema for response_format 'x'"), Cause.SHAPE),
        (500, said("failed to parse grammar"), Cause.SHAPE),
        (422, json.dumps({"detail": [{"loc": ["body", "response_format", "type"], "msg": "bad"}]}), Cause.SHAPE),
        (400, said("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."), Cause.LIMIT_NAME),
        (422, json.dumps({"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}), Cause.SEED),
        (400, said("temperature must be 1"), Cause.OTHER),
        (422, "", Cause.OTHER),
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


_NAMES = st.sampled_from(["verdict", "pattern", "format", "maxLength", "properties", "default", "$defs"])
_LIMITS = st.sampled_from(["maxLength", "minLength", "minimum", "maxItems", "pattern"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(_NAMES, inner, max_size=4)})


_SCHEMAS = st.recursive(st.dictionaries(_LIMITS, st.integers(0, 5000), max_size=3), _schemas, max_leaves=8)


def names(schema: Any) -> list[Any]:
    """Return the names of all properties, as they are nested."""
    return [[name, names(each)] for name, each in schema.get("properties", {}).items()]


def limits(schema: Any) -> list[str]:
    """Return every limit in a schema, names of properties left aside."""
    found = [key for key in schema if key not in ("type", "properties")]
    return found + [limit for each in schema.get("properties", {}).values() for limit in limits(each)]


@given(_SCHEMAS)
def test_a_lean_schema_loses_limits_and_no_names(schema: dict[str, Any]) -> None:
    before = json.dumps(schema)
    assert limits(strip_limits(schema)) == []
    assert names(strip_limits(schema)) == names(cap_lengths(schema)) == names(schema)
    assert limits(cap_lengths(schema)) == limits(schema)
    assert json.dumps(schema) == before


def test_limits_are_left_out_wherever_schemas_stand() -> None:
    schema: dict[str, Json] = {
        "$defs": {"format": {"type": "string", "maxLength": 9}},
        "properties": {"a": {"anyOf": [{"type": "array", "items": {"minimum": 1}, "maxItems": 3}, {"type": "null"}]}},
    }
    assert strip_limits(schema) == {
        "$defs": {"format": {"type": "string"}},
        "properties": {"a": {"anyOf": [{"type": "array", "items": {}}, {"type": "null"}]}},
    }


@pytest.mark.parametrize(
    ("rung", "kind"),
    [
        (ConstraintMode.SCHEMA, "json_schema"),
        (ConstraintMode.LEAN, "json_schema"),
        (ConstraintMode.OBJECT, "json_object"),
        (ConstraintMode.PROMPT, None),
    ],
)
def test_every_rung_says_the_form_somewhere(rung: ConstraintMode, kind: str | None) -> None:
    dialect = ServerCapabilities(rung)
    told: Any = dialect.response_format("x", {"type": "object"})
    assert (told or {}).get("type") == kind
    assert told is not None or dialect.puts_schema_in_prompt


KEY = "sk-Live_51f3-AbCdEfGh/12+34"
# Keys as servers give them out: printable ASCII without spaces.
_KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60)
_ECHOES = st.text(max_size=60)


@given(_KEYS, _ECHOES, _ECHOES)
def test_no_key_is_left_whole_or_in_long_pieces(key: str, before: str, after: str) -> None:
    scrubber = ApiKeyRedactor(key)
    for scrub in (scrubber.redact_answer, scrubber.redact_error):
        found = scrub(f"{before}{key}{after}{key[2:-1]}").replace("[key]", "\ue000")
        assert not any(key[at : at + 8] in found for at in range(len(key) - 7))


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        KEY.upper(),
        KEY[::-1],
        quote(KEY, safe="").lower(),
        "".join(f"\\u{ord(sign):04x}" for sign in KEY),
        "".join(f"%{ord(sign):02X}" for sign in KEY),
        KEY.encode().hex(),
        base64.b64encode(f"Bearer {KEY}".encode()).decode(),
        base64.urlsafe_b64encode(f"x:{KEY}".encode()).decode(),
        KEY[:12],
        KEY[-10:],
    ],
)
def test_other_forms_are_known(form: str) -> None:
    for scrub in (ApiKeyRedactor(KEY).redact_answer, ApiKeyRedactor(KEY).redact_error):
        found = scrub(f"it was {form} that came")
        assert "[key]" in found
        assert form not in found


@pytest.mark.parametrize("masked", ["sk-L****+34", "sk-Live...+34", "sk-L…"])
def test_a_masked_key_is_none_in_an_error(masked: str) -> None:
    assert ApiKeyRedactor(KEY).redact_error(f"Incorrect API key provided: {masked}.").count("[key]") == 1


def test_dots_alone_are_no_key() -> None:
    assert ApiKeyRedactor(KEY).redact_error("Loading model... wait") == "Loading model... wait"


@given(_ECHOES)
@pytest.mark.parametrize("key", ["", "none", "ollama"])
def test_a_placeholder_changes_no_answer(key: str, text: str) -> None:
    assert ApiKeyRedactor(key).redact_answer(f'{text} {{"verdict": "none"}}') == f'{text} {{"verdict": "none"}}'
