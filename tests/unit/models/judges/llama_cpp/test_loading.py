"""Files that are no models, or not the right ones: one line each, that says what to do."""

import shlex
import sys
from multiprocessing import spawn
from pathlib import Path
from typing import Any

import pytest

from models.judges.judge_backends import create_judge
from models.judges.judge_interface import JudgeResources, Message, Role, SamplingParameters
from models.judges.llama_cpp.llama_judge import LlamaJudge, LlamaOptions, require_gguf_file
from models.judges.llama_cpp.model_process import ModelProcess
from models.judges.llama_cpp.process_messages import CompletionRequest, LlamaModelConfig, RequestFailure
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.errors import UserError
from tests.builders.local_judge import Made, asked, question
from tests.builders.tiny_gguf import TinyModel, write_projector
from tests.builders.waiting import HANG_S


def _cut(file: Path, to: Path, size: int) -> Path:
    to.write_bytes(file.read_bytes()[:size])
    return to


def test_a_model_or_projector_that_was_cut_off_is_incomplete(
    make_judge: Made, tiny_gguf: TinyModel, tmp_path: Path
) -> None:
    eyes = _cut(tiny_gguf.projector, tmp_path / "eyes.gguf", 100_000)
    assert _error(make_judge, projector=str(eyes)) == "eyes.gguf is incomplete: copy or download it again."
    short = _cut(tiny_gguf.model, tmp_path / "short.gguf", 300_000)
    made = LlamaJudge(str(short), LlamaOptions(sees="text", context=512), JudgeResources())
    (reply,) = asked(made, question())
    assert reply.status is JudgmentStatus.ERROR
    assert reply.error == "short.gguf is incomplete: copy or download it again."


def test_a_projector_of_another_model_and_a_model_are_no_projector_and_a_projector_is_no_model(
    make_judge: Made, tiny_gguf: TinyModel, tmp_path: Path
) -> None:
    write_projector(tmp_path / "wide.gguf", 128)
    told = "wide.gguf is the projector of another model: it gives 128 numbers a token, this one reads 64."
    assert _error(make_judge, projector=str(tmp_path / "wide.gguf")) == told

    assert "could not be loaded as a projector" in _error(make_judge, projector=str(tiny_gguf.model))
    swapped = LlamaJudge(str(tiny_gguf.projector), LlamaOptions(sees="text", context=512), JudgeResources())
    (reply,) = asked(swapped, question())
    assert "is a projector: name the model's own file" in reply.error


def test_a_context_that_no_memory_holds_is_said_to_be(tiny_gguf: TinyModel, tmp_path: Path) -> None:
    # The process of the model has little memory, whatever this one has.
    limited = tmp_path / "python"
    limited.write_text(f'#!/bin/sh\nulimit -v {3 * 2**20}\nexec {shlex.quote(sys.executable)} "$@"\n')
    limited.chmod(0o755)
    usual = spawn.get_executable()
    process = ModelProcess(LlamaModelConfig(str(tiny_gguf.model), "", 2**24, 0, 1))
    spawn.set_executable(str(limited))
    try:
        failed = process.ask(
            CompletionRequest(1, (Message(Role.USER, "?"),), {"type": "object"}, SamplingParameters(0.0, 1, 10)), 600
        ).result(HANG_S)
    finally:
        spawn.set_executable(usual)
        process.end()
    assert isinstance(failed, RequestFailure)
    assert failed.line.startswith("There is not enough memory for tiny.gguf with a context of 16,777,216 tokens")


def _error(make_judge: Made, **options: Any) -> str:
    (reply,) = asked(make_judge(**options), question())
    assert reply.status is JudgmentStatus.ERROR
    assert "\n" not in reply.error
    return reply.error


def test_a_file_that_is_missing_or_something_else_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "pickle.gguf").write_bytes(b"\x80\x04\x95 something else")
    (tmp_path / "empty.gguf").touch()
    with pytest.raises(UserError, match=r"none\.gguf” does not exist"):
        require_gguf_file(str(tmp_path / "none.gguf"), "model")
    for name in ("pickle.gguf", "empty.gguf"):
        with pytest.raises(UserError, match=f"{name} is not a GGUF file"):
            require_gguf_file(str(tmp_path / name), "model")
    with pytest.raises(UserError, match="cannot be read"):
        require_gguf_file(str(tmp_path), "model")
    with pytest.raises(UserError, match="it is a pipe, a socket or a device"):
        require_gguf_file("/dev/zero", "model")


def test_frames_need_a_projector_and_a_clip_is_not_taken(tiny_gguf: TinyModel) -> None:
    with pytest.raises(UserError, match="cannot see frames without a projector"):
        LlamaJudge(str(tiny_gguf.model), LlamaOptions(), JudgeResources())
    with pytest.raises(UserError, match="cannot read clips"):
        LlamaOptions(sees="clip")


def test_without_the_library_it_is_said_how_to_get_it(tiny_gguf: TinyModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(UserError, match="“local-vlm”, which is not installed"):
        create_judge(JudgeEntry("1", "J", "llama-cpp", str(tiny_gguf.model), {"sees": "text"}), JudgeResources())
