"""The server that llama-cpp-python brings, on loopback with the tiny model: a peer that speaks OpenAI's language."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.builders.tiny_gguf import TinyModel

_CONTEXT = 8192
_READY = re.compile(r"Uvicorn running on (http://127\.0\.0\.1:\d+)")


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """Where it listens.

    Attributes:
        url: base of its addresses, ending in `/v1`.
        model: the name that it gives its model.
    """

    url: str
    model: str = "tiny"


@contextmanager
def run_llama_server(files: TinyModel) -> Iterator[LlamaServer]:
    """Start it on a free port, wait until it listens, and kill it afterwards.

    It answers one request at a time. A `response_format` of type `json_schema` is an error 500 to it; `json_object`
    with a `schema` constrains.
    """
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(files.model), "--model_alias", "tiny"]
    command += ["--chat_format", "mtmd", "--clip_model_path", str(files.projector), "--n_ctx", str(_CONTEXT)]
    command += ["--logits_all", "false", "--interrupt_requests", "false", "--verbose", "false"]
    process = subprocess.Popen(
        command,
        env={**os.environ, "HOST": "127.0.0.1", "PORT": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    # Whatever it goes on to write is read, or it would block at a full pipe.
    drain = threading.Thread(target=process.stderr.read)
    try:
        url = _listening(process.stderr)
        drain.start()
        yield LlamaServer(f"{url}/v1")
    finally:
        process.kill()
        process.wait()
        if drain.ident is not None:
            drain.join()
        process.stderr.close()


def _listening(written: Iterable[str]) -> str:
    said: list[str] = []
    for line in written:
        if ready := _READY.search(line):
            return ready[1]
        said.append(line)
    raise RuntimeError("llama_cpp.server did not start:\n" + "".join(said))
