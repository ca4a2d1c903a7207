"""Forms made of a task's form: with room for thoughts before the answer, and for a second model that coerces."""

from collections.abc import Mapping

from models.judges.base import AnswerForm
from models.judges.ladder.completion import Shape
from project.types import Json

THOUGHTS = "thoughts"
ANSWER = "answer"
SAYS = "gives_an_answer"
_LONGEST_THOUGHTS = 8000


def shape_of(form: AnswerForm) -> Shape:
    """Return what the model is held to: the form's schema, after room for thoughts where it thinks first."""
    if not form.thinks:
        return Shape(form.name, form.schema)
    thoughts: dict[str, Json] = {"type": "string", "maxLength": _LONGEST_THOUGHTS}
    return Shape(form.name, _around(form.schema, {THOUGHTS: thoughts}))


def thoughts_in(form: AnswerForm, found: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
    """Return the thoughts in an object of `shape_of(form)`, and the object that the form reads."""
    inner = found.get(ANSWER)
    if form.thinks and isinstance(inner, dict) and set(found) <= {THOUGHTS, ANSWER}:
        thoughts = found.get(THOUGHTS, "")
        return thoughts if isinstance(thoughts, str) else "", inner
    return "", found


def coercing(form: AnswerForm) -> AnswerForm:
    """Return the form in which a second model says what a free answer amounts to, and whether it is one at all."""

    def read(found: Json) -> dict[str, Json]:
        if not isinstance(found, dict) or found.get(SAYS) is not True:
            raise ValueError("the text gives no answer")
        return form.read(found.get(ANSWER))

    return AnswerForm(f"{form.name}_coerced", _around(form.schema, {SAYS: {"type": "boolean"}}), read)


def _around(schema: Mapping[str, Json], first: Mapping[str, Json]) -> dict[str, Json]:
    inner = {key: value for key, value in schema.items() if key not in ("$defs", "$schema")}
    outer: dict[str, Json] = {
        "type": "object",
        "properties": {**first, ANSWER: inner},
        "required": [*first, ANSWER],
        "additionalProperties": False,
    }
    if "$defs" in schema:
        outer["$defs"] = schema["$defs"]
    return outer
