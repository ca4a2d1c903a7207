"""The whole ladder against a real server: llama-cpp-python's own, with a tiny model that writes noise."""

import json

import numpy as np
import pytest

from media.excerpts import encode_jpeg
from models.judges.judge_interface import (
    AnswerForm,
    JudgeFrame,
    JudgeRequest,
    JudgeResources,
    RepairLevel,
    Reply,
    SamplingParameters,
)
from models.judges.llama_cpp.llama_judge import LlamaJudge, LlamaOptions
from models.judges.openai_compatible.server_judge import ConstraintMode, ServerCapabilities
from models.judges.structured_output import answer_parsing as forms
from project.entities.egress_policy import Purpose
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from tests.builders.llama_server import LlamaServer
from tests.builders.misbehaving_server import misbehaving, says
from tests.builders.openai_judge import Asking, asking
from tests.builders.tiny_gguf import TinyModel

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["error", "competence", "none"]},
        "why": {"type": "string", "maxLength": 4000},
    },
    "required": ["verdict", "why"],
    "additionalProperties": False,
}


def read(found: Json) -> dict[str, Json]:
    if not isinstance(found, dict) or set(found) != {"verdict", "why"}:
        raise ValueError("it is no verdict with a reason")
    return dict(found)


FORM = AnswerForm("judgment", SCHEMA, read)


def question(asked: Asking, text: str = "what is it?", *, thinks: bool = False) -> JudgeRequest:
    square = encode_jpeg(np.full((32, 32, 3), 90, np.uint8))
    pictures = tuple(JudgeFrame(at, f"{at}.0 s", square, 32, 32) for at in range(3))
    form = AnswerForm(FORM.name, SCHEMA, FORM.parse, thinks)
    found = asked.question(text, pictures, form)
    return JudgeRequest(found.messages, form, SamplingParameters(temperature=0.0, seed=3, max_tokens=2000))


def test_it_is_held_to_the_form_after_an_error_500_and_a_question_that_does_not_fit_is_handed_back(
    llama_server: LlamaServer, dialects: dict[str, ServerCapabilities], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "_MAX_THOUGHT_CHARS", 40)
    asked = asking(llama_server.url, key="", model=llama_server.model)
    reply = asked.run(lambda: asked.judge.ask(question(asked, thinks=True)))
    assert (reply.status, reply.mended, reply.calls, asked.waits) == (JudgmentStatus.OK, RepairLevel.NOTHING, 2, [])
    assert reply.answer["verdict"] in ("error", "competence", "none")
    assert reply.thinking
    assert reply.model_id == "tiny"
    assert reply.tokens_in
    assert dialects[asked.judge.fingerprint].rung is ConstraintMode.OBJECT
    assert all(departure.local for departure in asked.gate.noted)
    assert len(asked.gate.noted[0].frames) == 3
    asked = asking(llama_server.url, key="", model=llama_server.model)
    reply = asked.run(lambda: asked.judge.ask(question(asked, "word " * 4000)))
    assert reply.status is JudgmentStatus.ERROR
    assert reply.too_long.context_tokens == 8192
    assert (reply.too_long.requested_tokens or 0) > 8192


def test_a_probe_says_what_it_is(llama_server: LlamaServer) -> None:
    asked = asking(llama_server.url, key="", model=llama_server.model)
    found = asked.run(asked.judge.probe, Purpose.TEST)
    assert found.ok
    assert found.lines[0].endswith("answers; it is llama-cpp-python's server.")
    assert found.lines[1] == "It has tiny."
    assert {"It takes no json_schema, but a JSON object with a schema."} <= {*found.lines}


def test_a_server_coerces_what_a_local_model_leaves_unfinished(tiny_gguf: TinyModel) -> None:
    formed = json.dumps({"gives_an_answer": True, "answer": {"verdict": "error", "why": "it said so"}})
    with misbehaving(says(formed)) as second:
        asked = asking(second.url)
        means = JudgeResources(asked.guard, coerce=asked.judge)
        local = LlamaJudge(str(tiny_gguf.model), LlamaOptions(sees="text", context=2048), means)
        found = asked.question(form=FORM)
        short = JudgeRequest(found.messages, FORM, SamplingParameters(seed=3, max_tokens=16))

        async def both() -> Reply:
            try:
                return await local.ask(short)
            finally:
                await local.close()

        reply = asked.run(both)
    assert (reply.status, reply.mended, reply.calls) == (JudgmentStatus.OK, RepairLevel.COERCED, 3)
    assert reply.answer == {"verdict": "error", "why": "it said so"}
    assert [departure.condition for departure in asked.gate.noted] == ["raw"]
