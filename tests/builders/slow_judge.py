"""A judge that takes its time and holds up whatever runs beside it, as a model that computes does."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from models.judges.baselines import Baseline, ConstantJudge
from models.judges.judge_interface import JudgeRequest
from project.entities.study_records import Json
from project.plugins.option_limits import limited_field

PLACE = "tests.builders.slow_judge:SlowJudge"


@dataclass(frozen=True)
class SlowOptions:
    """How slow it is."""

    seconds: float = limited_field(0.5, 0.0, 60.0, "Seconds", "That an answer takes.")


class SlowJudge(Baseline):
    """Says the same of everything, after a while."""

    key: ClassVar[str] = "slow"
    name: ClassVar[str] = "Slow"
    description: ClassVar[str] = "Answers after a while."
    options_type: ClassVar[type[SlowOptions]] = SlowOptions

    def answer(self, question: JudgeRequest) -> Mapping[str, Json]:
        time.sleep(self.options.seconds)
        return ConstantJudge().answer(question)
