"""The fakes themselves: files that are the same each time, and a server that is a real one."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.builders.llama_server import LlamaServer
from tests.builders.tiny_gguf import TinyModel, write_tiny_model
from tests.builders.waiting import HANG_S

pytest.importorskip("llama_cpp")


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tiny_gguf: TinyModel, tmp_path: Path) -> None:
    again, other = write_tiny_model(tmp_path / "a"), write_tiny_model(tmp_path / "b", seed=7)
    assert again.model.read_bytes() == tiny_gguf.model.read_bytes() != other.model.read_bytes()
    assert again.projector.read_bytes() == tiny_gguf.projector.read_bytes() != other.projector.read_bytes()


def test_the_server_answers_by_a_schema(llama_server: LlamaServer) -> None:
    schema = {"type": "object", "properties": {"label": {"enum": ["a", "b"]}}, "required": ["label"]}
    asked = {
        "model": llama_server.model,
        "messages": [{"role": "user", "content": "a or b?"}],
        "response_format": {"type": "json_object", "schema": schema},
        "max_tokens": 40,
    }
    request = urllib.request.Request(
        f"{llama_server.url}/chat/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=HANG_S) as answer:
        said = json.load(answer)
    assert json.loads(said["choices"][0]["message"]["content"])["label"] in {"a", "b"}
    assert said["model"] == "tiny"
