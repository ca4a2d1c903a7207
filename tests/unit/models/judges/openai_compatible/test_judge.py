"""A judge behind a server: what is sent, what is made of the answer, and how it is asked more plainly."""

import base64
from typing import Any

import pytest

from models.judges.judge_backends import build_options
from models.judges.judge_interface import (
    JudgeFrame,
    JudgeRequest,
    JudgeVideo,
    Message,
    RepairLevel,
    Role,
    TooLong,
)
from models.judges.openai_compatible.server_requests import normalize_base_url
from project.entities.egress_policy import Forbidden, Purpose
from project.entities.judgments import JudgmentStatus
from project.errors import UserError
from tests.builders.answer_forms import FORM, SCHEMA
from tests.builders.misbehaving_server import (
    MODEL,
    Behaviour,
    answers,
    fails,
    misbehaving,
    refuses,
    repeats_the_key,
    says,
    sends,
)
from tests.builders.openai_judge import KEY, asking

OK = '{"verdict": "error", "why": "cut short"}'
SAID = {"verdict": "error", "why": "cut short"}


def picture(content: bytes = b"\xff\xd8 picture", shown: str = "1.5 s") -> JudgeFrame:
    return JudgeFrame(1_500_000, shown, content, 8, 8)


def test_an_answer_comes_back_with_what_it_took() -> None:
    with misbehaving(says(OK)) as server:
        asked = asking(server.url, price_in=2.0, price_out=10.0)
        reply = asked.ask()
    assert (reply.status, reply.answer, reply.raw, reply.mended) == (JudgmentStatus.OK, SAID, OK, RepairLevel.NOTHING)
    assert (reply.tokens_in, reply.tokens_out, reply.calls) == (100, 20, 1)
    assert reply.cost == pytest.approx((100 * 2 + 20 * 10) / 1e6)
    assert reply.model_id == f"{MODEL} fp_1"
    assert reply.error == ""
    (departure,) = asked.gate.noted
    assert (departure.local, departure.judge_id, departure.condition) == (True, "judge", "raw")


def test_what_is_sent() -> None:
    with misbehaving(says(OK)) as server:
        asking(server.url, temperature=0.5).ask(pictures=(picture(), picture(b"\xff\xd8 other", "2.5 s")))
    (request,) = server.asked
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    body = request.body
    assert body["messages"][0] == {"role": "system", "content": "be brief"}
    assert [part["type"] for part in body["messages"][1]["content"]] == ["text", "image_url"] * 2 + ["text"]
    first, shown = body["messages"][1]["content"][:2]
    assert first["text"] == "1.5 s"
    head, _, data = shown["image_url"]["url"].partition(",")
    assert (head, base64.b64decode(data)) == ("data:image/jpeg;base64", b"\xff\xd8 picture")
    assert (body["model"], body["seed"], body["max_tokens"], body["temperature"]) == (MODEL, 7, 64, 0.0)
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "judgment", "schema": SCHEMA, "strict": True},
    }


def test_a_server_learns_nothing_about_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://192.0.2.1/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-study")
    with misbehaving(says(OK)) as server:
        asking(server.url, key="").ask()
    (request,) = server.asked
    assert set(request.headers) == {
        *("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"),
    }
    assert request.headers["user-agent"].startswith("Greenroom/")


def test_pictures_stay_here_where_it_does_not_see_them_and_a_clip_is_sent_where_it_sees_clips() -> None:
    clip = JudgeVideo(b"\x00\x00\x00\x18ftypmp42", 0, 1_000_000)
    with misbehaving(says(OK)) as server:
        assert asking(server.url, sees="text").ask(pictures=(picture(),)).status is JudgmentStatus.OK
    assert server.asked[0].body["messages"][1]["content"] == "what is it?"
    with misbehaving(says(OK)) as server:
        asked = asking(server.url, sees="clip")
        asked.guard.approved.add_text("what is it?", "raw")
        asked.guard.approved.add_media(clip.sha256, "raw")
        question = JudgeRequest((Message(Role.USER, "what is it?", (picture(),), clip),), FORM)
        assert asked.run(lambda: asked.judge.ask(question)).status is JudgmentStatus.OK
    shown, text = server.asked[0].body["messages"][0]["content"]
    assert shown["type"] == "video_url"
    head, _, data = shown["video_url"]["url"].partition(",")
    assert (head, base64.b64decode(data)) == ("data:video/mp4;base64", clip.mp4)
    assert text == {"type": "text", "text": "what is it?"}
    assert asked.gate.noted[0].clips == (clip.sha256,)


def test_another_machine_is_not_asked_under_the_default_policy() -> None:
    asked = asking("http://192.0.2.1:8000/v1")
    with pytest.raises(Forbidden) as refused:
        asked.ask()
    assert refused.value.rule == "nothing-leaves"
    assert asked.waits == []


@pytest.mark.parametrize(
    ("kind", "requests", "status"), [("json_schema", 1, 400), ("json_object", 2, 422), (None, 3, 500)]
)
def test_it_steps_down_and_remembers(kind: str | None, requests: int, status: int) -> None:
    def wrong(body: Any) -> str:
        found = body.get("response_format", {}).get("type")
        return "" if found == kind else f"response_format.type {found} is not supported"

    with misbehaving(refuses(wrong, says(OK), status)) as server:
        first = asking(server.url)
        reply = first.ask()
        assert (reply.status, reply.calls, first.waits) == (JudgmentStatus.OK, requests, [])
        assert asking(server.url).ask().calls == 1
        assert asking(server.url, model="another").ask().calls == requests
    if kind != "json_schema":
        told = server.asked[requests - 1].body["messages"][-1]["content"]
        assert told.startswith("what is it?\n\n")
        assert '"enum":["error","competence","none"]' in told


def test_a_server_that_ignores_the_form_is_told_in_words_next_time() -> None:
    with misbehaving(says(f"My answer: {OK}")) as server:
        assert [asking(server.url).ask().mended for _ in range(3)] == [RepairLevel.FOUND] * 3
    kinds = [request.body.get("response_format", {}).get("type") for request in server.asked]
    assert kinds == ["json_schema", "json_object", None]


def test_what_a_server_calls_otherwise_or_does_not_know_is_renamed_or_left_out() -> None:
    def wrong(body: Any) -> str:
        return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." * ("max_tokens" in body)

    with misbehaving(refuses(wrong, says(OK))) as server:
        assert asking(server.url).ask().calls == 2
        assert asking(server.url).ask().calls == 1
    assert server.asked[-1].body["max_completion_tokens"] == 64
    with misbehaving(
        refuses(lambda body: "Unrecognized request argument: seed" * ("seed" in body), says(OK))
    ) as server:
        assert asking(server.url).ask().calls == 2
    assert "seed" not in server.asked[1].body


@pytest.mark.parametrize("behaviour", [says(None, refusal="I cannot."), says("", finish="content_filter")])
def test_a_refusal_is_one(behaviour: Behaviour) -> None:
    with misbehaving(behaviour) as server:
        reply = asking(server.url).ask()
    assert (reply.status, reply.answer, len(server.asked)) == (JudgmentStatus.REFUSED, {}, 1)


def test_a_question_that_does_not_fit_is_handed_back() -> None:
    with misbehaving(fails(500, "Requested tokens (9000) exceed context window of 8192")) as server:
        asked = asking(server.url)
        reply = asked.ask()
    assert (reply.status, reply.too_long) == (JudgmentStatus.ERROR, TooLong(9000, 8192))
    assert "Send fewer frames or fewer turns" in reply.error
    assert (len(server.asked), asked.waits) == (1, [])


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (sends(b"<!DOCTYPE html><html><body>Welcome</body></html>", "text/html"), "web page"),
        (sends(b"[1, 2]"), "does not answer as a model server does"),
        (answers({"choices": []}), "no message in its answer"),
        (fails(404, "The model `fake-1` does not exist"), "has no model fake-1"),
        (fails(429, "You exceeded your current quota (insufficient_quota)"), "no money left"),
    ],
)
def test_what_no_second_try_can_mend_is_said_at_once(behaviour: Behaviour, words: str) -> None:
    with misbehaving(behaviour) as server:
        asked = asking(server.url)
        reply = asked.ask()
    assert (reply.status, len(server.asked), asked.waits) == (JudgmentStatus.ERROR, 1, [])
    assert words in reply.error
    assert "\n" not in reply.error


def test_an_answer_with_the_key_in_it_is_kept_without() -> None:
    with misbehaving(repeats_the_key) as server:
        reply = asking(server.url).ask()
    assert reply.answer == {"verdict": "error", "why": "because of [key]"}
    assert reply.thinking == "the key is [key]"
    assert KEY not in repr(reply)


@pytest.mark.parametrize("key", ["sk-1\n2", "sk-\u00e4"])
def test_what_no_header_can_hold_is_no_key(key: str) -> None:
    with pytest.raises(UserError) as error:
        asking("http://localhost/v1", key=key)
    assert key not in f"{error.value.message} {error.value.hint}"


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        (" http://localhost:8000/v1/ ", "http://localhost:8000/v1"),
        ("https://host.example/openai/v1/chat/completions", "https://host.example/openai/v1"),
        ("http://[::1]:8000/v1/models", "http://[::1]:8000/v1"),
    ],
)
def test_addresses(given: str, base: str) -> None:
    assert normalize_base_url(given) == base


@pytest.mark.parametrize(
    "given",
    [
        *("", "localhost:8000", "ftp://host/v1", "http://user:secret@host/v1", "http://host/v1?key=secret"),
        *("http://host:99999/v1", "http://[::1/v1", "ada:secret@host/v1"),
    ],
)
def test_what_is_no_address_of_a_server(given: str) -> None:
    for refuse in (normalize_base_url, lambda url: build_options("openai", {"url": url})):
        with pytest.raises(UserError) as error:
            refuse(given)
        assert "secret" not in f"{error.value.message} {error.value.hint}"


def test_a_probe_holds_nothing_of_a_study() -> None:
    with misbehaving(says('{"colour": "red"}')) as server:
        asked = asking(server.url)
        found = asked.run(asked.judge.probe, Purpose.TEST)
    assert found.ok
    assert found.lines[0].endswith("answers; it is Ollama.")
    assert found.lines[1:5] == (
        f"It has {MODEL}.",
        f"It answers as {MODEL} fp_1.",
        "It takes a JSON schema for its answers.",
        "It takes pictures, and knows a red square when it sees one.",
    )
    assert all(not departure.has_study_content or departure.texts == 0 for departure in asked.gate.noted)
    assert len(server.listed) == 1
