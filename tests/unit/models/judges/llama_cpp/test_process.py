"""The process of a model: stopped, killed, crashed, left behind."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from models.judges.judge_interface import Completion, Message, Reply, Role, SamplingParameters
from models.judges.llama_cpp import model_process as sharing
from models.judges.llama_cpp.llama_judge import LlamaJudge
from models.judges.llama_cpp.model_process import ModelProcess
from models.judges.llama_cpp.process_messages import (
    CompletionRequest,
    ModelSignal,
    RequestFailure,
)
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from tests.builders.local_judge import Made, asked, loading_of, long_ask, question
from tests.builders.tiny_gguf import TinyModel
from tests.builders.waiting import HANG_S

pytest.importorskip("llama_cpp")

SHORT: dict[str, Json] = {"type": "object", "properties": {"a": {"enum": [1]}}, "required": ["a"]}
_ROOT = Path(__file__).resolve().parents[5]
_ASK_FOR_EVER = """
import sys
from tests.builders.local_judge import loading_of, long_ask
from models.judges.llama_cpp.model_process import ModelProcess
if __name__ == "__main__":
    process = ModelProcess(loading_of(sys.argv[1]))
    answer = process.ask(long_ask(1), 600)
    process.wait_until_answering(300)
    print(process.pid, flush=True)
    answer.result()
"""


def short_ask(number: int) -> CompletionRequest:
    return CompletionRequest(number, (Message(Role.USER, "?"),), SHORT, SamplingParameters(0.0, 1, 100))


@pytest.fixture(autouse=True)
def none_left() -> Iterator[None]:
    yield
    sharing.end_all_processes()


@pytest.fixture
def process(tiny_gguf: TinyModel) -> Iterator[ModelProcess]:
    made = ModelProcess(loading_of(str(tiny_gguf.model)))
    yield made
    made.end()


def until_it_writes(process: ModelProcess) -> int:
    """Wait until the model computes an answer; return its process."""
    assert process.wait_until_answering(HANG_S)
    pid = process.pid
    assert pid is not None
    began = _computed(pid)
    moment = Event()
    while _computed(pid) < began + 2:
        moment.wait(0.005)
    return pid


def _computed(pid: int) -> int:
    """Return the processor time of a process, in ticks."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


def test_an_answer_that_is_stopped_or_takes_too_long_ends_and_the_model_goes_on(process: ModelProcess) -> None:
    long = process.ask(long_ask(1), 600)
    pid = until_it_writes(process)
    waits, last = process.ask(long_ask(3), 600), process.ask(short_ask(2), 600)
    assert waits.cancel()
    process.stop(1)
    assert long.result(HANG_S) is ModelSignal.STOPPED
    after = last.result(HANG_S)
    assert isinstance(after, Completion)
    assert after.text.replace(" ", "") == '{"a":1}'
    assert process.pid == pid
    late = process.ask(long_ask(4), 0.1).result(HANG_S)
    assert late == RequestFailure("The model gave no answer within 0.1 s: allow it more time.")


def test_a_process_that_dies_costs_one_answer_and_is_started_again(process: ModelProcess) -> None:
    long, waits = process.ask(long_ask(1), 600), process.ask(short_ask(2), 600)
    pid = until_it_writes(process)
    os.kill(pid, signal.SIGKILL)
    lost = long.result(HANG_S)
    assert isinstance(lost, RequestFailure)
    assert "\n" not in lost.line
    assert "too little memory" in lost.line
    assert isinstance(waits.result(HANG_S), Completion)
    assert process.pid not in {pid, None}


def test_who_waits_for_a_model_that_is_put_away_is_told(process: ModelProcess) -> None:
    long, waits = process.ask(long_ask(1), 600), process.ask(short_ask(2), 600)
    pid = until_it_writes(process)
    process.end()
    assert isinstance(long.result(HANG_S), RequestFailure)
    assert isinstance(waits.result(HANG_S), RequestFailure)
    assert isinstance(process.ask(short_ask(3), 600).result(HANG_S), RequestFailure)
    assert not Path(f"/proc/{pid}").exists()


def test_nothing_is_left_behind_when_whoever_asked_is_killed(tiny_gguf: TinyModel, tmp_path: Path) -> None:
    program = tmp_path / "asks.py"
    program.write_text(_ASK_FOR_EVER)
    asking = subprocess.Popen(
        [sys.executable, str(program), str(tiny_gguf.model)],
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    model = os.pidfd_open(int(asking.stdout.readline()))
    asking.kill()
    asking.wait()
    asking.stdout.close()
    # Readable once the process has ended.
    assert _ends(model)


def _ends(pidfd: int) -> bool:
    import select

    try:
        return bool(select.select([pidfd], [], [], 60)[0])
    finally:
        os.close(pidfd)


def test_who_stops_waiting_stops_the_model(make_judge: Made) -> None:
    async def give_up(judge: LlamaJudge) -> Reply:
        process = sharing.borrow_process(judge._loading)
        process.ask(short_ask(10**9), 600).result(HANG_S)
        asking = asyncio.create_task(judge.ask(question(max_tokens=2500, temperature=2.0)))
        assert await asyncio.to_thread(process.wait_until_answering, 60)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        pid = process.pid
        reply = await judge.ask(question())
        assert process.pid == pid
        return reply

    assert asyncio.run(give_up(make_judge())).status is JudgmentStatus.OK


def test_a_model_is_kept_for_the_next_job_and_makes_room_for_another(make_judge: Made) -> None:
    llama_judge = make_judge()
    asked(llama_judge, question())
    kept = sharing.borrow_process(llama_judge._loading)
    pid = kept.pid
    sharing.return_process(llama_judge._loading)
    asked(make_judge(temperature=0.3), question())
    assert kept.pid == pid
    asked(make_judge(context=2048), question(max_tokens=500))
    assert kept.pid is None


def test_a_model_that_nobody_uses_any_more_goes(make_judge: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "IDLE_S", 0.0)
    judge = make_judge()
    process = sharing.borrow_process(judge._loading)
    process.ask(short_ask(1), 600).result(HANG_S)
    assert process.pid is not None
    model = os.pidfd_open(process.pid)
    sharing.return_process(judge._loading)
    assert _ends(model)
