"""What the guard finds in the body of a request: every text and every picture, wherever they are hidden."""

import base64
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.connection.guard import ApprovedContent, RequestBodyContent, read_body_content

JPEG, MP4 = b"\xff\xd8 a frame", b"ftyp a clip"


def data(content: bytes, kind: str = "image/jpeg") -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def body(*parts: Any, **more: Any) -> bytes:
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": [*parts]}], **more}).encode()


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def image(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url, "detail": "low"}}


@pytest.fixture
def cleared() -> ApprovedContent:
    made = ApprovedContent()
    made.add_text("Answer in JSON.", "")
    made.add_text("Ada: hello", "run")
    made.add_media(sha(JPEG), "run")
    made.add_media(sha(MP4), "run")
    return made


def test_everything_that_was_made_for_it_is_counted(cleared: ApprovedContent) -> None:
    clip = {"type": "video_url", "video_url": {"url": data(MP4, "video/mp4")}}
    found = read_body_content(
        body(image(data(JPEG)), clip, text("Ada: hello"), text("Answer in JSON.")), "run", cleared
    )
    assert found == RequestBodyContent(len("Ada: hello"), (sha(JPEG),), (sha(MP4),), 0)


@pytest.mark.parametrize(
    "part",
    [
        text("Ada: hello."),
        text("ada: hello"),
        image(data(b"another frame")),
        image("https://example.org/frame.jpg"),
        image(data(JPEG, "application/octet-stream")),
        image(data(JPEG)[:-3]),
        image(f"data:image/jpeg,{JPEG[2:].decode()}"),
        {"type": "input_audio", "input_audio": {"data": base64.b64encode(b"a voice").decode(), "format": "wav"}},
        {"type": "text", "text": "Answer in JSON.", "note": "Ada Lovelace"},
        {"type": "text", "text": "Answer in JSON.", "x" * 65: 1},
        {"type": "Ada Lovelace", "text": "Answer in JSON."},
        "Ada Lovelace",
        ["system", ["Ada Lovelace"]],
    ],
)
def test_what_was_not_made_for_it_is_seen(part: Any, cleared: ApprovedContent) -> None:
    assert read_body_content(body(part), "run", cleared).unapproved >= 1
    assert read_body_content(body(text("Ada: hello"), part), "run", cleared).unapproved >= 1


def test_what_was_cleared_for_another_condition_is_not_for_this_one(cleared: ApprovedContent) -> None:
    assert read_body_content(body(image(data(JPEG)), text("Ada: hello")), "raw", cleared).unapproved == 2
    assert read_body_content(body(text("Answer in JSON.")), "raw", cleared) == RequestBodyContent()


@pytest.mark.parametrize("key", ["metadata", "prompt", "tools"])
@pytest.mark.parametrize("value", ["Ada Lovelace", {"who": [{"name": "Ada Lovelace"}]}])
def test_no_part_of_the_body_is_overlooked(key: str, value: Any, cleared: ApprovedContent) -> None:
    assert read_body_content(body(**{key: value}), "run", cleared).unapproved == 1


@pytest.mark.parametrize("key", ["model", "response_format"])
def test_a_setting_is_no_place_to_hide_a_picture_or_a_transcript(key: str, cleared: ApprovedContent) -> None:
    for value in (data(b"another frame"), "Ada: hello " * 1000):
        assert read_body_content(body(**{key: {"deep": [value]}}), "run", cleared).unapproved == 1
    assert (
        read_body_content(body(**{key: {"type": "json_schema", "enum": ["yes", "no"]}}), "run", cleared).unapproved == 0
    )


@pytest.mark.parametrize("content", [b"{", b"hello", b"\xff\xfe", b'{"a": "b", "a": ""}', b"[" * 100_000, b"a=b&c=d"])
def test_a_body_that_cannot_be_read_was_not_made_for_it(content: bytes, cleared: ApprovedContent) -> None:
    assert read_body_content(content, "run", cleared).unapproved >= 1


WORDS = st.text(min_size=1).filter(lambda text: not text.startswith("data:"))
BODIES = st.recursive(
    WORDS | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner)
)


@given(BODIES)
def test_no_text_leaves_that_nobody_vouched_for(value: Any) -> None:
    def texts(found: Any) -> list[str]:
        if isinstance(found, dict | list):
            return [each for inner in (found.values() if isinstance(found, dict) else found) for each in texts(inner)]
        return [found] if isinstance(found, str) else []

    held, content = texts(value), json.dumps({"messages": value}).encode()
    assert read_body_content(content, "run", ApprovedContent()).unapproved == len(held)
    vouched = ApprovedContent()
    for each in held:
        vouched.add_text(each, "run")
    found = read_body_content(content, "run", vouched)
    assert (found.unapproved, found.texts) == (0, sum(len(each.encode("utf-8", "surrogatepass")) for each in held))
