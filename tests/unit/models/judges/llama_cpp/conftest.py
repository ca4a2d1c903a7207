"""What the tests of local models share."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
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
from models.judges.llama_cpp import model_process as sharing
from models.judges.llama_cpp.llama_judge import LlamaJudge
from models.judges.llama_cpp.llama_options import LlamaOptions
from project.entities.study_records import Json
from tests.builders.tiny_gguf import TinyModel

CONTEXT = 4096


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


Made = Callable[..., LlamaJudge]


@pytest.fixture
def make_judge(tiny_gguf: TinyModel) -> Iterator[Made]:
    """Makes judges of the tiny model; its processes are ended afterwards. One thread, or they wait for each other."""
    pytest.importorskip("llama_cpp")

    def make(**options: Any) -> LlamaJudge:
        settings = {"projector": str(tiny_gguf.projector), "context": CONTEXT, "threads": 1, **options}
        return LlamaJudge(str(tiny_gguf.model), LlamaOptions(**settings), JudgeResources())

    yield make
    sharing.end_all_processes()


def asked(judge: LlamaJudge, *questions: JudgeRequest) -> list[Reply]:
    """Ask questions one after the other, and let the judge go."""

    async def ask() -> list[Reply]:
        try:
            return [await judge.ask(question) for question in questions]
        finally:
            await judge.close()

    return asyncio.run(ask())
