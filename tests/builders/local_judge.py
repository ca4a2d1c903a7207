"""Judges of the tiny local model, a form with one of each field, and questions about it."""

import asyncio
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from models.judges.judge_interface import (
    AnswerForm,
    JudgeFrame,
    JudgeRequest,
    JudgeResources,
    Message,
    Reply,
    Role,
    SamplingParameters,
)
from models.judges.llama_cpp.llama_judge import LlamaJudge, LlamaOptions
from models.judges.llama_cpp.process_messages import CompletionRequest, LlamaModelConfig
from project.entities.study_records import Json
from tests.builders.tiny_gguf import TinyModel

CONTEXT = 4096
Made = Callable[..., LlamaJudge]


class Answer(BaseModel):
    """Has one of each: a choice, a whole number with bounds, texts, a list, something that may be missing."""

    model_config = ConfigDict(extra="forbid")
    label: str = Field(json_schema_extra={"enum": ["error", "competence"]})
    severity: int = Field(ge=1, le=7)
    why: str = Field(max_length=150, min_length=1)
    shown: list[str] = Field(max_length=2, json_schema_extra={"items": {"enum": ["gaze", "voice"]}})
    other: str | None = Field(max_length=20)


def answer_form() -> AnswerForm:
    def read(found: Json) -> dict[str, Json]:
        return Answer.model_validate(found).model_dump()

    return AnswerForm("answer", Answer.model_json_schema(), read)


def question(text: str = "What is it?", pictures: tuple[JudgeFrame, ...] = (), **sampling: Any) -> JudgeRequest:
    messages = (Message(Role.SYSTEM, "You judge."), Message(Role.USER, text, pictures))
    return JudgeRequest(
        messages, answer_form(), SamplingParameters(**{"temperature": 1.0, "max_tokens": 1500, **sampling})
    )


def tiny_judge(tiny: TinyModel, **options: Any) -> LlamaJudge:
    """One thread, or the models of several tests wait for each other."""
    settings = {"projector": str(tiny.projector), "context": CONTEXT, "threads": 1, **options}
    return LlamaJudge(str(tiny.model), LlamaOptions(**settings), JudgeResources())


def asked(judge: LlamaJudge, *questions: JudgeRequest) -> list[Reply]:
    """Ask questions one after the other, and let the judge go."""

    async def ask() -> list[Reply]:
        try:
            return [await judge.ask(question) for question in questions]
        finally:
            await judge.close()

    return asyncio.run(ask())


def loading_of(model: str) -> LlamaModelConfig:
    return LlamaModelConfig(model, "", 16384, 0, 1)


def long_ask(number: int) -> CompletionRequest:
    """An answer of some 15,000 tokens."""
    words: dict[str, Json] = {"type": "array", "items": {"enum": ["a" * 9]}, "minItems": 1200}
    schema: dict[str, Json] = {"type": "object", "properties": {"a": words}, "required": ["a"]}
    return CompletionRequest(number, (Message(Role.USER, "?"),), schema, SamplingParameters(0.0, 1, 16000))
