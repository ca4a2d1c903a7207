"""A judge that knows the right answer but for what it forgot."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from models.judges.baselines import Baseline
from models.judges.judge_interface import JudgeRequest
from project.entities.study_records import Json
from project.option_limits import text_field

PLACE = "tests.builders.forgetful_judge:ForgetfulJudge"


@dataclass(frozen=True)
class ForgetfulOptions:
    """What it forgot: part of the name of an item."""

    forgot: str = text_field("", 400, "Forgot", "Part of the name of an item.")


class ForgetfulJudge(Baseline):
    """Wrong about one item, right about all others."""

    key: ClassVar[str] = "forgetful"
    name: ClassVar[str] = "Forgetful"
    description: ClassVar[str] = "Right but for what it forgot."
    options_type: ClassVar[type[ForgetfulOptions]] = ForgetfulOptions

    def answer(self, question: JudgeRequest) -> Mapping[str, Json] | None:
        right = str(question.truth["answer"])
        if self.options.forgot not in question.item:
            return {"answer": right}
        return {"answer": "A" if right != "A" else "B"}
