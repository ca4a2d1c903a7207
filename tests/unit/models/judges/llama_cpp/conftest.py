"""What the tests of local models share."""

from collections.abc import Iterator
from functools import partial

import pytest

from models.judges.llama_cpp import model_process as sharing
from tests.builders.local_judge import Made, tiny_judge
from tests.builders.tiny_gguf import TinyModel


@pytest.fixture(scope="module")
def make_judge(tiny_gguf: TinyModel) -> Iterator[Made]:
    """Makes judges of the tiny model, which share its process from one test to the next."""
    pytest.importorskip("llama_cpp")
    yield partial(tiny_judge, tiny_gguf)
    sharing.end_all_processes()
