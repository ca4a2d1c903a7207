"""A schema becomes a grammar that llama.cpp takes, with the bounds that it would leave out by itself."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("llama_cpp")

from models.judges.llama_cpp.llama_prompts import schema_to_grammar
from project.entities.study_records import Json
from tests.builders.tiny_gguf import TinyModel


def _schema(**properties: Json) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


@pytest.mark.parametrize("length", [99, 101, 20_000])
def test_llama_cpp_takes_a_text_of_any_length(tiny_gguf: TinyModel, vocabulary: Any, length: int) -> None:
    rules = schema_to_grammar(_schema(text={"type": "string", "maxLength": length}, short={"type": "string"}), 20_000)
    assert _taken(vocabulary, rules)


@given(st.integers(-50, 50), st.integers(0, 40), st.booleans(), st.booleans())
def test_whole_numbers_keep_their_bounds(low: int, span: int, above: bool, below: bool) -> None:
    number: dict[str, Json] = {"type": "integer"}
    number["exclusiveMinimum" if above else "minimum"] = low - above
    number["exclusiveMaximum" if below else "maximum"] = low + span + below
    line = next(line for line in schema_to_grammar(_schema(n=number), 100).splitlines() if line.startswith("n ::="))
    listed = [json.loads(part.strip().strip('"')) for part in line.removeprefix("n ::=").replace('"', "").split("|")]
    assert listed == [*range(low, low + span + 1)]


def _taken(vocabulary: Any, rules: str) -> bool:
    import llama_cpp

    sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, rules.encode(), b"root")
    if sampler:
        llama_cpp.llama_sampler_free(sampler)
    return bool(sampler)


@pytest.fixture(scope="module")
def vocabulary(tiny_gguf: TinyModel) -> Any:
    import llama_cpp

    llama = llama_cpp.Llama(str(tiny_gguf.model), vocab_only=True, verbose=False)
    yield llama._model.vocab
    llama.close()
