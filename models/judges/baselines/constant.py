"""Says the same whatever is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from models.judges.base import Question
from models.judges.baselines.baseline import Baseline
from models.judges.baselines.schema import answer_in
from project.limits import hold_to_limits, written
from project.types import Json


@dataclass(frozen=True)
class ConstantOptions:
    """What is always said.

    Attributes:
        says: keys of choices, or numbers, joined by commas: each is said wherever it can be.
    """

    says: str = written("", 400, "Says", "What it always says, such as “error, norms”; the first choice where empty.")

    def __post_init__(self) -> None:
        hold_to_limits(self)


class ConstantJudge(Baseline):
    """One answer for everything: wherever one of its words is a choice, that one; else the first choice."""

    key: ClassVar[str] = "constant"
    name: ClassVar[str] = "Constant"
    description: ClassVar[str] = "Always gives the same answer."
    options_type: ClassVar[type[ConstantOptions]] = ConstantOptions

    def answer(self, question: Question) -> Mapping[str, Json]:
        """Return what it says, in this form."""
        words = [word.strip() for word in self.options.says.split(",")]

        def said(values: Sequence[Json]) -> list[Json]:
            return [value for word in words for value in values if value is not None and str(value) == word]

        def chosen(values: Sequence[Json]) -> Json:
            return (said(values) or [None if None in values else values[0]])[0]

        return answer_in(question.form.schema, chosen, lambda items: list(dict.fromkeys(map(str, said(items)))))
