"""A question of one of the five dimensions of emotional and social intelligence, worded."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.esi_dimensions import DIMENSIONS, OPTIONS, esi_part_from
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.recordings import OfRecordings
from benchmark.tasks.worded import asked_question
from project.schemes.scheme import Choice, Field, FieldKind

KEY = "esi_question"
DIMENSION = "dimension"


class EsiQuestion(OfRecordings):
    """A question of a stated dimension, with answer and wrong options (ESI-Bench, sections 3 and A.1.3).

    It is made from the meta information of the recording and its frames. How it is put differs from question to
    question, as the templates of ESI-Bench (appendix A.8) have it, in words of our own.
    """

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Word an ESI question"
    description: ClassVar[str] = "A question of one of five dimensions, its answer and its wrong options."
    prompt: ClassVar[str] = KEY
    material: ClassVar[tuple[str, ...]] = ("looks", "scenes", "words summary", "frames summary", "contradictions")

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: the part names no question of the series."""
        return "" if esi_part_from(item.part) else "Name round, number and dimension, such as 1:3:EBR."

    def spec(self, item: Item) -> FormSpec:
        """Return dimension, question, answer and wrong options."""
        part = esi_part_from(item.part)
        assert part is not None
        one = DIMENSIONS[part.dimension]
        choices = (Choice(one.key, one.name, one.meaning),)
        dimension = Asked(Field(DIMENSION, FieldKind.CHOICE, "Dimension", "", choices), True)
        return FormSpec(KEY, (dimension, *asked_question(OPTIONS - 1, f"In this manner: {part.way}")))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return which question of the series it is, and the meta information."""
        part = esi_part_from(item.part)
        assert part is not None
        return {"Place in a series": f"number {part.number} of round {part.round}", **super().given(item)}
