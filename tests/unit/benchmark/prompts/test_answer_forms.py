"""Forms of answers: schemas that grammars can hold a model to, and what is read back."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from benchmark.prompts.answer_form import (
    AnswerField,
    FormSpec,
    answer_form,
)
from benchmark.prompts.judge_prompt import TASKS, PromptSubject
from models.judges.judge_interface import Completion
from models.judges.structured_output.answer_parsing import parse_answer
from project.errors import UserError
from project.schemes.scheme import Field, FieldChoice, FieldKind, Label, Scheme, Track
from tests.builders.forms import form_of
from tests.builders.task_items import PEOPLE, every_item, items_for, shrec

ZEROS = dict.fromkeys(("goal", "believability", "knowledge", "secret", "relationship", "social_rules", "financial"), 0)


@cache
def everything_asked() -> list[tuple[str, PromptSubject]]:
    return [(key, item) for key in TASKS for item in items_for(key)]


def parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for each in schema.values():
            yield from parts(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from parts(each)


def test_every_schema_says_what_grammars_need() -> None:
    asked = everything_asked()
    assert {key for key, _ in asked} == set(TASKS)
    for key, item in asked:
        schema = form_of(key, item).schema
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert schema["required"] == [*schema["properties"]]
        for part in parts(schema):
            if part.get("type") == "string" and "enum" not in part and "const" not in part:
                assert part["maxLength"] > 0
            if part.get("type") in ("integer", "number"):
                assert part["enum"]
            if part.get("type") == "array":
                assert part["maxItems"]
            assert "$ref" not in part
            assert "title" not in part or isinstance(part["title"], dict)
    json.dumps([form_of(key, item).schema for key, item in asked])


def test_what_is_true_is_read_as_it_is_and_can_be_stored() -> None:
    for key, item in everything_asked():
        truth = TASKS.make(key).truth(item)
        if not truth:
            continue
        read = form_of(key, item).parse(json.loads(json.dumps(truth)))
        assert read == truth
        for name, value in read.items():
            if name in {field.key for field in item.scheme.fields} and key in ("assess", "attributes"):
                assert item.scheme.check_value(name, value) == value


def test_choices_and_no_others_are_labels() -> None:
    form = form_of("verdict", shrec())
    assert form.schema["properties"]["label"]["enum"] == ["error", "competence", "none"]
    assert form.parse({"label": "competence"}) == {"label": "competence"}
    for wrong in ({}, {"label": None}, {"label": "both"}, {"label": ["error"]}, {"label": True}, [], "error", None, 3):
        with pytest.raises(ValueError, match=r"label|object"):
            form.parse(wrong)


OPTIONS = dict(zip("ABCD", ("She goes.", "He waits.", "A man waits.", "None"), strict=True))
LETTER = Field("answer", FieldKind.CHOICE, "Answer", "", tuple(FieldChoice(*option) for option in OPTIONS.items()))


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        *((text, "B") for text in ("B", "(b)", "**B**", "B. He waits.", "B) because he stands", "He waits")),
        *((text, "B") for text in ("B\n\nHe stands.", "The answer is (B).", "Option B: He waits.")),
        *((text, "") for text in ("A man stands.", "B or C", "A. He waits.", "B. Not A", "E", "Based on it", "")),
    ],
)
def test_a_letter_is_read_however_it_is_written_and_never_guessed(text: str, letter: str) -> None:
    form = answer_form(FormSpec("answer", (AnswerField(LETTER, True),)))
    for written in (text, json.dumps({"answer": text})):
        assert parse_answer(Completion(written), form).answer == ({"answer": letter} if letter else None)


def test_a_span_may_be_of_no_label_and_a_rated_recording_may_not() -> None:
    labels = {}
    for item in every_item():
        labels[item.scheme.key, item.track] = TASKS.make("verdict").spec(item).fields[0].field.choices
    assert [label.key for label in labels["plain", "marks"]] == ["mark", "question", "none"]
    assert [label.key for label in labels["shrec", "segments"]].count("none") == 1
    assert [label.key for label in labels["socialnli", "inferences"]] == ["reality", "belief", "emotion"]


def test_what_is_plainly_meant_is_read() -> None:
    form = form_of("assess", shrec())
    read = form.parse(
        {
            "label": " Error ",
            "attributes": ["Emotions", "NORMS", "norms"],
            "channel": "",
            "rationale": "  It laughs. ",
            "note": "something that nobody asked for",
        }
    )
    assert read == {"label": "error", "attributes": ["emotions", "norms"], "rationale": "It laughs."}
    assert form.parse({"label": "error", "attributes": "norms"})["attributes"] == ["norms"]
    ratings = form_of("ratings", shrec())
    filled = dict.fromkeys(ratings.schema["properties"], "0")
    assert ratings.parse({**filled, "goal": 7.0, "secret": "-3"}) == {**filled, **ZEROS, "goal": 7, "secret": -3}


def test_a_correction_belongs_to_an_error_and_a_long_text_is_read_up_to_a_limit() -> None:
    form = form_of("assess", shrec())
    said = {"attributes": [], "rationale": "x" * 900, "correction": "Wait.", "channel": None}
    assert form.parse({"label": "error", **said}) == {"label": "error", "rationale": "x" * 900, "correction": "Wait."}
    assert form.parse({"label": "none", **said}) == {"label": "none", "rationale": "x" * 900}
    with pytest.raises(ValueError, match="rationale"):
        form.parse({"label": "error", "rationale": "x" * 1_000_000})


def test_what_is_out_of_range_or_nobody_is_refused() -> None:
    form = form_of("ratings", shrec())
    for value in (11, 3.5, "many", True, None):
        with pytest.raises(ValueError, match="goal"):
            form.parse({**ZEROS, "goal": value})
    form = answer_form(FormSpec("people", (AnswerField(Field("who", FieldKind.PARTICIPANT, "Who")),), PEOPLE))
    assert form.parse({"who": "user"}) == form.parse({"who": "p2"}) == {"who": "p2"}
    with pytest.raises(ValueError, match="who"):
        form.parse({"who": "p3"})


def test_fine_sliders_are_listed_and_endless_ones_are_bounded() -> None:
    fine = Field("fine", FieldKind.SLIDER, "Fine", minimum=0, maximum=1, step=0.1)
    endless = Field("endless", FieldKind.SLIDER, "Endless", minimum=-1000, maximum=1000, step=0.01)
    form = answer_form(FormSpec("numbers", (AnswerField(fine, True), AnswerField(endless))))
    assert form.schema["properties"]["fine"]["enum"][3] == 0.3
    assert form.parse({"fine": 0.3, "endless": 12.34}) == {"fine": 0.3, "endless": 12.34}
    with pytest.raises(ValueError, match="endless"):
        form.parse({"fine": 0.3, "endless": 1000.5})


def test_tasks_say_why_they_cannot_be_asked() -> None:
    plain = PromptSubject(Scheme("odd", "Odd", 1, (Track("t", "T", (Label("a", "A"),)),), ()), "t", "a")
    for task, item, says in (
        ("attributes", shrec(""), "Attributes are asked for where a label is known"),
        ("error", plain, "Odd has no label “error” for “t”."),
        ("multiple", plain, "Odd has no field with several choices."),
        ("ratings", plain, "Nobody is known to take part"),
        ("verdict", PromptSubject(plain.scheme, "gone", "a"), "Odd has no labels for “gone” any more."),
    ):
        assert TASKS.make(task).inapplicable_reason(item).startswith(says)
    with pytest.raises(UserError, match="no task “guess”"):
        TASKS.make("guess")
