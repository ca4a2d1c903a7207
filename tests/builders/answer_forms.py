"""A small form for tests: a verdict and why."""

from typing import Any

from models.judges.judge_interface import AnswerForm
from project.entities.study_records import Json

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["error", "competence", "none"]},
        "why": {"type": "string", "maxLength": 200},
    },
    "required": ["verdict"],
    "additionalProperties": False,
}


def read(found: Json) -> dict[str, Json]:
    if not isinstance(found, dict) or not set(found) <= {"verdict", "why"}:
        raise ValueError("it has other fields than verdict and why")
    if found.get("verdict") not in ("error", "competence", "none"):
        raise ValueError("the verdict is none of error, competence and none")
    return dict(found)


FORM = AnswerForm("judgment", SCHEMA, read)
THINKING = AnswerForm("judgment", SCHEMA, read, thinks=True)
