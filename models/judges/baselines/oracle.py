"""Says what people said."""

from collections.abc import Mapping
from typing import ClassVar

from models.judges.base import Question
from models.judges.baselines.baseline import Baseline
from models.judges.baselines.schema import answer_in
from project.types import Json


class OracleJudge(Baseline):
    """The answer that the segment's own label and values stand for: always right, so a metric has to say so."""

    key: ClassVar[str] = "oracle"
    name: ClassVar[str] = "Oracle"
    description: ClassVar[str] = "Gives the answer that people gave: a metric must find it right everywhere."
    silent: ClassVar[str] = "Nobody has said what is right here."

    def answer(self, question: Question) -> Mapping[str, Json] | None:
        """Return what is right; fields that people left open stay open."""
        if not question.truth:
            return None
        open_form = answer_in(question.form.schema, lambda values: None if None in values else values[0], lambda _: [])
        return {**open_form, **question.truth}
