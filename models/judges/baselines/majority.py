"""Says what is said most often."""

from collections.abc import Mapping
from typing import ClassVar

from models.judges.base import Question
from models.judges.baselines.baseline import Baseline
from models.judges.baselines.schema import answer_in, texts_in
from project.types import Json


class MajorityJudge(Baseline):
    """The answer that people gave most often, whatever is shown; of several the first. It writes no text of theirs."""

    key: ClassVar[str] = "majority"
    name: ClassVar[str] = "Majority"
    description: ClassVar[str] = "Always says what people of the study say most often."
    silent: ClassVar[str] = "Nobody of this study has answered this task yet."

    def answer(self, question: Question) -> Mapping[str, Json] | None:
        """Return the most frequent answer; fields that it leaves open stay open, and texts are no answer of most."""
        if not question.shares:
            return None
        most, _ = max(question.shares, key=lambda one: one[1])
        open_form = answer_in(question.form.schema, lambda values: None if None in values else values[0], lambda _: [])
        texts = texts_in(question.form.schema)
        return {**open_form, **{key: value for key, value in most.items() if key not in texts}}
