"""Whatever a model writes where a task is asked, it is an answer of the task's form or none, and never an exception."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmark.prompts.judge_prompt import TASKS
from models.judges.judge_interface import AnswerForm, Completion
from models.judges.structured_output.answer_parsing import parse_answer
from tests.builders.forms import form_of
from tests.builders.task_items import items_for

FORMS = [form_of(key, item) for key in TASKS for item in items_for(key)]

_NUMBERS = st.integers() | st.floats() | st.sampled_from([1e300, -0.0, 10**400, True])
_WORDS = st.text(max_size=20) | st.sampled_from(["none", "error", "1e400", "nan", "-1", "\ud800", "\x00", "x" * 20_000])
_ANYTHING = st.recursive(
    st.none() | _NUMBERS | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def answers(draw: st.DrawFn) -> tuple[AnswerForm, Any]:
    form = draw(st.sampled_from(FORMS))
    properties: Any = form.schema["properties"]
    meant = {}
    for key, schema in properties.items():
        listed = schema.get("enum") or schema.get("items", {}).get("enum") or [""]
        fitting = st.sampled_from(listed) | st.lists(st.sampled_from(listed), max_size=9)
        meant[key] = draw(fitting | _ANYTHING)
    return form, meant


@given(answers(), st.text(max_size=10))
def test_any_values_are_an_answer_or_none(asked: tuple[AnswerForm, Any], around: str) -> None:
    form, meant = asked
    for text in (json.dumps(meant), f"{around}{json.dumps(meant)}{around}"):
        reading = parse_answer(Completion(text), form)
        assert (reading.answer is None) == bool(reading.problem)
        json.dumps([reading.answer, reading.thinking, reading.problem], allow_nan=False, ensure_ascii=False).encode()
