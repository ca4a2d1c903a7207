"""A judge that takes its time and holds up whatever runs beside it, as a model that computes does."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from models.judges.base import Question
from models.judges.baselines.baseline import Baseline
from models.judges.baselines.constant import ConstantJudge
from project.limits import limited
from project.types import Json

PLACE = "tests.fakes.slow_judge:SlowJudge"


@dataclass(frozen=True)
class SlowOptions:
    """How slow it is."""

    seconds: float = limited(0.5, 0.0, 60.0, "Seconds", "That an answer takes.")


class SlowJudge(Baseline):
    """Says the same of everything, after a while."""

    key: ClassVar[str] = "slow"
    name: ClassVar[str] = "Slow"
    description: ClassVar[str] = "Answers after a while."
    options_type: ClassVar[type[SlowOptions]] = SlowOptions

    def answer(self, question: Question) -> Mapping[str, Json]:
        time.sleep(self.options.seconds)
        return ConstantJudge().answer(question)
