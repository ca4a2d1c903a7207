"""The process of a model: stopped, killed, crashed, left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from models.judges.llama_cpp import sharing
from models.judges.llama_cpp.judge import LlamaJudge
from models.judges.llama_cpp.process import ModelProcess
from models.judges.llama_cpp.talk import Ask, Failed, Loading, Said, Stopped, Turn
from project.judging import JudgmentStatus
from project.types import Json
from tests.fakes.tiny_gguf import TinyModel
from tests.unit.models.judges.llama_cpp.conftest import Made, question

pytest.importorskip("llama_cpp")

ENDLESS: dict[str, Json] = {
    "type": "object",
    "properties": {"all": {"type": "array", "items": {"type": "boolean"}, "minItems": 2000}},
    "required": ["all"],
}
"""An answer that takes long."""
_ROOT = Path(__file__).resolve().parents[5]


@pytest.fixture
def process(tiny_gguf: TinyModel):
    made = ModelProcess(Loading(str(tiny_gguf.model), "", 16384, 0, 1))
    yield made
    made.end()


def _ask(number: int, schema: dict[str, Json] | None = None, most: int = 12000) -> Ask:
    short: dict[str, Json] = {"type": "object", "properties": {"a": {"enum": [1]}}, "required": ["a"]}
    return Ask(number, (Turn("user", ("?",)),), schema or short, 1.0, 1, most)


def _writing(process: ModelProcess, number: int) -> None:
    """Wait until a request is being answered: the model's process computes."""
    while process.busy_with != number:
        time.sleep(0.01)
    assert process.pid is not None
    stat = Path(f"/proc/{process.pid}/stat")
    began = int(stat.read_text().rsplit(")", 1)[1].split()[11])
    while int(stat.read_text().rsplit(")", 1)[1].split()[11]) < began + 3:
        time.sleep(0.01)


def test_an_answer_that_is_stopped_ends_long_before_it_would(process: ModelProcess) -> None:
    endless = process.ask(_ask(1, ENDLESS), 120)
    _writing(process, 1)
    process.stop(1)
    assert isinstance(endless.result(30), Stopped)
    pid = process.pid
    assert isinstance(process.ask(_ask(2), 60).result(60), Said)
    assert process.pid == pid
