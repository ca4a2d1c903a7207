"""Objects are found in whatever a model wrote, and nothing in it has any power."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.prompts.judge_prompt import TASKS
from models.judges.judge_interface import AnswerForm, Completion
from models.judges.structured_output.answer_parsing import (
    find_objects,
    parse_answer,
    parse_whole,
    replace_unstorable,
    split_thoughts,
)
from tests.builders.forms import form_of
from tests.builders.task_items import items_for

_PLAIN = st.text(st.characters(exclude_categories=["Cs"]))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | _PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_PLAIN, inner, max_size=4),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(_PLAIN, _VALUES, max_size=5)
# Braces in prose begin no object of their own as long as no quote or brace follows them.
_PROSE = st.lists(
    st.text(st.characters(exclude_characters="{}", exclude_categories=["Cs"]))
    | st.sampled_from(["{ not this", "}", "{a: 1} "]),
    max_size=4,
).map(" ".join)
_FENCES = st.sampled_from(
    [("", ""), ("```json\n", "\n```"), ("```\n", "\n```"), ("**", "**"), ("<answer>", "</answer>")]
)


def _fit(value: Any) -> Any:
    return json.loads(json.dumps(value).replace("\\u0000", "\\ufffd"))


@given(_OBJECTS, _PROSE, _PROSE, _FENCES, st.booleans())
def test_an_object_is_found_in_any_prose(
    value: dict[str, Any], before: str, after: str, fence: tuple[str, str], ascii_only: bool
) -> None:
    text = f"{before} {fence[0]}{json.dumps(value, ensure_ascii=ascii_only)}{fence[1]} {after}"
    found = [(text[start:end], each) for start, end, each in find_objects(text)]
    assert [each for _, each in found] == [_fit(value)]
    assert json.loads(found[0][0], strict=False) == value


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    for _, _, found in find_objects(text):
        json.dumps(found, ensure_ascii=False).encode()
    thoughts, rest = split_thoughts(text)
    parse_whole(text)
    assert len(thoughts) + len(rest) <= len(text)


@given(_OBJECTS)
def test_an_object_alone_is_whole_whatever_is_in_its_strings(value: dict[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert parse_whole(f" \n{text}\t") == _fit(value)
    assert split_thoughts(text) == ("", text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": [1, 2,], "b": "x,}",\n}', {"a": [1, 2], "b": "x,}"}),
        ("{'a': 'it\\'s \"so\"', 'b': None, 'c': [True, False,]}", {"a": 'it\'s "so"', "b": None, "c": [True, False]}),
        ("It's {'a': \"it's\"} isn't it", {"a": "it's"}),
    ],
)
def test_an_object_as_python_writes_it_or_with_a_comma_at_the_end_is_found(text: str, found: dict[str, Any]) -> None:
    assert [each for _, _, each in find_objects(text)] == [found]
    assert parse_whole(text) is None


@pytest.mark.parametrize("text", ["{'a': 'he's late'}", '{"a": 1, "a": 2}'])
def test_what_can_be_read_in_two_ways_is_no_object(text: str) -> None:
    assert list(find_objects(text)) == []


@pytest.mark.parametrize("number", ["NaN", "1e999", "9" * 5000])
def test_what_no_file_can_hold_is_no_object(number: str) -> None:
    assert parse_whole(f'{{"score": {number}}}') is None
    assert list(find_objects(f'see {{"score": {number}}}')) == []


def test_halves_of_surrogate_pairs_and_nul_are_replaced() -> None:
    assert parse_whole('{"why": "\\ud83d x \\u0000", "\\udc00": [1, "\\ud800"]}') == {
        "why": "\ufffd x \ufffd",
        "\ufffd": [1, "\ufffd"],
    }
    assert replace_unstorable("a\x00b\ud800") == "a\ufffdb\ufffd"


@pytest.mark.parametrize(
    "text",
    [
        '{"' * 50_000,
        '{"a":1,' * 12_000,
        '{"a":[' * 20_000 + "1," * 10_000,
        "{'" * 50_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    assert list(find_objects(text)) == []
    assert parse_whole(text) is None


@pytest.mark.parametrize(
    ("text", "thoughts", "rest"),
    [
        ('<think>a {"b": 1}</think>{"c": 2}', 'a {"b": 1}', '{"c": 2}'),
        ('a</think>{"c": 2}', "a", '{"c": 2}'),
        ("<think>never ends", "never ends", ""),
        ('{"why": "he said </think> aloud"}', "", '{"why": "he said </think> aloud"}'),
        (
            '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>{"c": 2}',
            None,
            '{"c": 2}',
        ),
    ],
)
def test_marked_thoughts_are_kept_apart(text: str, thoughts: str | None, rest: str) -> None:
    found = split_thoughts(text)
    assert found[1] == rest
    if thoughts is None:
        assert "a" in found[0]
        assert "<|" not in found[0]
    else:
        assert found[0] == thoughts


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
