"""A key is in nothing that is kept or shown, in whatever form a server echoes it."""

import base64
import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.judges.openai_compatible.server_failures import ApiKeyRedactor

KEY = "sk-Live_51f3-AbCdEfGh/12+34"
# Keys as servers give them out: printable ASCII without spaces.
_KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60)
_TEXTS = st.text(max_size=60)


@given(_KEYS, _TEXTS, _TEXTS)
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
        KEY.lower(),
        KEY[::-1],
        quote(KEY, safe=""),
        quote(KEY, safe="").lower(),
        html.escape(KEY),
        json.dumps(KEY)[1:-1],
        "".join(f"\\u{ord(sign):04x}" for sign in KEY),
        "".join(f"%{ord(sign):02X}" for sign in KEY),
        KEY.encode().hex(),
        base64.b64encode(KEY.encode()).decode(),
        base64.b64encode(f"Bearer {KEY}".encode()).decode(),
        base64.urlsafe_b64encode(f"x:{KEY}".encode()).decode(),
        base64.b64encode(f"ab{KEY}cd".encode()).decode(),
        KEY[:12],
        KEY[-10:],
    ],
)
def test_other_forms_are_known(form: str) -> None:
    for scrub in (ApiKeyRedactor(KEY).redact_answer, ApiKeyRedactor(KEY).redact_error):
        found = scrub(f"it was {form} that came")
        assert "[key]" in found
        assert form not in found


@pytest.mark.parametrize("masked", ["sk-L****+34", "sk-Live...+34", "***********+34", "sk-L…", "sk-Lxxxxxxxx"])
def test_a_masked_key_is_none_in_an_error(masked: str) -> None:
    assert ApiKeyRedactor(KEY).redact_error(f"Incorrect API key provided: {masked}.").count("[key]") == 1


def test_dots_alone_are_no_key() -> None:
    assert ApiKeyRedactor(KEY).redact_error("Loading model... wait") == "Loading model... wait"


@given(_TEXTS)
@pytest.mark.parametrize("key", ["", "x", "no", "none", "EMPTY", "ollama"])
def test_a_placeholder_changes_no_answer(key: str, text: str) -> None:
    assert ApiKeyRedactor(key).redact_answer(f'{text} {{"verdict": "none"}}') == f'{text} {{"verdict": "none"}}'


def test_a_placeholder_is_in_no_error_either() -> None:
    assert ApiKeyRedactor("secret").redact_error("wrong key secret for secretary") == "wrong key [key] for secretary"


def test_it_does_not_show_its_key() -> None:
    scrubber = ApiKeyRedactor(KEY)
    assert KEY not in repr(scrubber)
