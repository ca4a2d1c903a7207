"""Tokens a second of a judge on this machine, against llama-cpp-python called directly: same files, same settings.

The models are made on the spot and know nothing. Their size is what counts: the larger of the two takes 100 MB, as much
as the smallest real ones.
"""

import asyncio
import base64
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.judges.judge_interface import (
    AnswerForm,
    JudgeFrame,
    JudgeRequest,
    JudgeResources,
    Message,
    Role,
    SamplingParameters,
)
from models.judges.llama_cpp import model_process as sharing
from models.judges.llama_cpp.llama_judge import LlamaJudge, LlamaOptions
from project.entities.study_records import Json
from tests.builders.tiny_gguf import Shape, TinyModel, write_tiny_model
from tools.bench.row import Row

LARGER = Shape(width=512, heads=8, layers=8, inner=1376, context=4096)
ROUNDS = 8
FRAMES = 15
_CONTEXT = 4096
_THREADS = 1
_SAMPLING = SamplingParameters(0.0, 1, 800)
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"label": {"enum": ["error", "competence"]}, "why": {"type": "string", "maxLength": 120}},
    "required": ["label", "why"],
    "additionalProperties": False,
}
_TALK = "\n".join(
    f"> {at}.0 s  Person {at % 2 + 1}: We should put this one over there, shouldn't we?" for at in range(9)
)

Rate = tuple[float, str]
"""Tokens a second, and the text."""


def run() -> list[Row]:
    """Measure text alone and with frames, each in turns with the peer."""
    with tempfile.TemporaryDirectory() as folder:
        tiny = write_tiny_model(Path(folder) / "tiny")
        larger = write_tiny_model(Path(folder) / "larger", LARGER)
        size = f"{larger.model.stat().st_size / 1e6:.0f} MB"
        return [
            _row(f"llama-cpp judge, long answers to text, a made-up model of {size}", larger, (), must=True),
            _row(f"the same with {FRAMES} frames", larger, _pictures(), must=True),
            _row("the same with a tiny model of half a megabyte, where all that counts is what is around it", tiny,
                 _pictures(), must=False),
        ]  # fmt: skip


def _row(work: str, files: TinyModel, pictures: tuple[JudgeFrame, ...], *, must: bool) -> Row:
    options = LlamaOptions(projector=str(files.projector), context=_CONTEXT, threads=_THREADS)
    judge = LlamaJudge(str(files.model), options, JudgeResources())
    direct = _direct(files)

    async def in_turns() -> list[tuple[Rate, Rate]]:
        found = []
        for at in range(ROUNDS + 1):
            question = _question(at, pictures)
            # Each goes first in half of the rounds.
            if at % 2:
                ours = await _ours(judge, question)
                found.append((ours, direct(question)))
            else:
                theirs = direct(question)
                found.append((await _ours(judge, question), theirs))
        await judge.close()
        return found[1:]

    try:
        rounds = asyncio.run(in_turns())
    finally:
        sharing.end_all_processes()
    if any(ours[1] != theirs[1] for ours, theirs in rounds):
        return Row(work, "another text than the peer's", "llama-cpp-python 0.3.36", target="the same text", ok=False)
    ours, theirs = (statistics.median(side[0] for side in column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(pair[0] / other[0] for pair, other in rounds)
    return Row(
        work,
        f"{ours:.1f} tokens/s",
        f"llama-cpp-python 0.3.36 called directly, {theirs:.1f} tokens/s",
        f"{ratio:.3f}",
        ">= 0.97x" if must else "",
        ratio >= 0.97 if must else None,
    )


async def _ours(judge: LlamaJudge, question: JudgeRequest) -> Rate:
    began = time.perf_counter()
    reply = await judge.ask(question)
    took = time.perf_counter() - began
    assert reply.tokens_out, reply.error
    return reply.tokens_out / took, reply.raw


def _direct(files: TinyModel) -> Callable[[JudgeRequest], Rate]:
    import llama_cpp
    from llama_cpp.llama_chat_format import MTMDChatHandler

    handler = MTMDChatHandler(str(files.projector), verbose=False)
    llama = llama_cpp.Llama(
        str(files.model), n_ctx=_CONTEXT, n_gpu_layers=-1, n_threads=_THREADS, n_threads_batch=_THREADS,
        chat_handler=handler, verbose=False
    )  # fmt: skip

    def ask(question: JudgeRequest) -> Rate:
        began = time.perf_counter()
        said: Any = llama.create_chat_completion(
            messages=[_message(message) for message in question.messages],
            response_format={"type": "json_object", "schema": _SCHEMA},
            temperature=question.sampling.temperature,
            seed=question.sampling.seed,
            max_tokens=question.sampling.max_tokens,
            repeat_penalty=1.0,
        )
        took = time.perf_counter() - began
        return said["usage"]["completion_tokens"] / took, said["choices"][0]["message"]["content"]

    return ask


def _message(message: Message) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    for picture in message.pictures:
        url = f"data:image/jpeg;base64,{base64.b64encode(picture.jpeg).decode()}"
        parts += [{"type": "text", "text": picture.time_label}, {"type": "image_url", "image_url": {"url": url}}]
    return {"role": message.role.value, "content": [*parts, {"type": "text", "text": message.text}]}


def _question(at: int, pictures: tuple[JudgeFrame, ...]) -> JudgeRequest:
    # What is asked begins differently each time, so that neither side answers from what it computed before.
    messages = (Message(Role.SYSTEM, f"{at}: you judge."), Message(Role.USER, f"{_TALK}\nWhat is it?", pictures))
    return JudgeRequest(messages, AnswerForm("bench", _SCHEMA, dict), _SAMPLING)


def _pictures() -> tuple[JudgeFrame, ...]:
    noise = np.random.default_rng(0).integers(0, 255, (FRAMES, 36, 64, 3), np.uint8)
    large = [cv2.resize(one, (512, 288)) for one in noise]
    jpegs = [cv2.imencode(".jpg", one)[1].tobytes() for one in large]
    return tuple(JudgeFrame(at * 1_000_000, f"{at}.0 s", jpeg, 512, 288) for at, jpeg in enumerate(jpegs))
