"""Files that are no models, or not the right ones: one line each, that says what to do."""

import os
import shlex
import sys
from multiprocessing import spawn
from pathlib import Path
from typing import Any

import pytest

from models.judges.judge_backends import create_judge
from models.judges.judge_interface import JudgeResources, Message, Role, SamplingParameters
from models.judges.llama_cpp import llama_judge as files
from models.judges.llama_cpp.llama_judge import LlamaJudge, LlamaOptions, model_checksum, require_gguf_file
from models.judges.llama_cpp.model_process import ModelProcess
from models.judges.llama_cpp.process_messages import CompletionRequest, LlamaModelConfig, RequestFailure
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.errors import UserError
from project.files.fingerprints import file_sha256
from tests.builders.local_judge import Made, asked, question
from tests.builders.tiny_gguf import TinyModel, write_projector
from tests.builders.waiting import HANG_S


def _cut(file: Path, to: Path, size: int) -> Path:
    to.write_bytes(file.read_bytes()[:size])
    return to


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    for path in (str(tmp_path / "pipe.gguf"), "/dev/zero"):
        with pytest.raises(UserError, match="it is a pipe, a socket or a device"):
            require_gguf_file(path, "model")


@pytest.mark.parametrize("path", ["a\0b", "~nobody-of-this-name/model.gguf", "x" * 5000])
def test_what_is_no_path_is_said_in_a_line(path: str) -> None:
    with pytest.raises(UserError):
        require_gguf_file(path, "model")


@pytest.mark.parametrize("size", [3_000, 300_000])
def test_a_model_that_was_cut_off_is_incomplete(
    make_judge: Made, tiny_gguf: TinyModel, tmp_path: Path, size: int
) -> None:
    short = _cut(tiny_gguf.model, tmp_path / "short.gguf", size)
    made = LlamaJudge(str(short), LlamaOptions(sees="text", context=512), JudgeResources())
    (reply,) = asked(made, question())
    assert reply.status is JudgmentStatus.ERROR
    assert reply.error == "short.gguf is incomplete: copy or download it again."


def test_a_projector_that_was_cut_off_is_incomplete(make_judge: Made, tiny_gguf: TinyModel, tmp_path: Path) -> None:
    short = _cut(tiny_gguf.projector, tmp_path / "eyes.gguf", 100_000)
    assert _error(make_judge, projector=str(short)) == "eyes.gguf is incomplete: copy or download it again."


def test_the_projector_of_another_model_is_told_apart(make_judge: Made, tmp_path: Path) -> None:
    write_projector(tmp_path / "wide.gguf", 128)
    told = "wide.gguf is the projector of another model: it gives 128 numbers a token, this one reads 64."
    assert _error(make_judge, projector=str(tmp_path / "wide.gguf")) == told


def test_a_model_is_no_projector_and_a_projector_no_model(make_judge: Made, tiny_gguf: TinyModel) -> None:
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
    with pytest.raises(UserError, match=r"There is no file .*none\.gguf"):
        require_gguf_file(str(tmp_path / "none.gguf"), "model")
    for name in ("pickle.gguf", "empty.gguf"):
        with pytest.raises(UserError, match=f"{name} is not a GGUF file"):
            require_gguf_file(str(tmp_path / name), "model")
    with pytest.raises(UserError, match="cannot be read"):
        require_gguf_file(str(tmp_path), "model")


def test_frames_need_a_projector_and_a_clip_is_not_taken(tiny_gguf: TinyModel) -> None:
    with pytest.raises(UserError, match="sees no frames without a projector"):
        LlamaJudge(str(tiny_gguf.model), LlamaOptions(), JudgeResources())
    with pytest.raises(UserError, match="takes no clips"):
        LlamaOptions(sees="clip")


def test_without_the_library_it_is_said_how_to_get_it(tiny_gguf: TinyModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(UserError, match="“local-vlm”, which is not installed"):
        create_judge(JudgeEntry("1", "J", "llama-cpp", str(tiny_gguf.model), {"sees": "text"}), JudgeResources())


def test_a_checksum_is_worked_out_once_until_the_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"one")
    first = model_checksum(file)
    assert first == file_sha256(file)
    monkeypatch.setattr(files, "file_sha256", lambda path: pytest.fail("it was read again"))
    assert model_checksum(file) == first
    monkeypatch.undo()
    file.write_bytes(b"another")
    assert model_checksum(file) == file_sha256(file) != first
