"""Is right with a chance that is set."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from models.judges.base import Question
from models.judges.baselines.baseline import Baseline
from models.judges.baselines.schema import answer_in
from project.limits import hold_to_limits, limited
from project.types import Json


@dataclass(frozen=True)
class ReliableOptions:
    """How often it is right.

    Attributes:
        right: chance that an answer is the right one, from 0 to 1; each item apart from all others.
    """

    right: float = limited(0.9, 0.0, 1.0, "Right", "How often it is right, from 0 to 1.")

    def __post_init__(self) -> None:
        hold_to_limits(self)


class ReliableJudge(Baseline):
    """What people said, with a chance that is set; else another of the values that could be said, never the right one.

    So its accuracy is known beforehand, and its consistency over n questions is that chance to the power of n. Seed and
    item decide when it is wrong: the same item is answered alike in whatever order items come.
    """

    key: ClassVar[str] = "reliable"
    name: ClassVar[str] = "Reliable"
    description: ClassVar[str] = "Is right with a chance that you set: a metric must find just that."
    options_type: ClassVar[type[ReliableOptions]] = ReliableOptions
    silent: ClassVar[str] = "Nobody has said what is right here."

    def answer(self, question: Question) -> Mapping[str, Json] | None:
        """Return what is right, or with every value that has another one changed for that."""
        if not question.truth:
            return None
        said = f"reliable {question.sampling.seed} {question.item} {question.form.name}"
        draw = random.Random(hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest())
        open_form = answer_in(question.form.schema, lambda values: None if None in values else values[0], lambda _: [])
        right = {**open_form, **question.truth}
        if draw.random() < self.options.right:
            return right
        properties = question.form.schema.get("properties", {})
        assert isinstance(properties, dict)
        return {key: _other(key, schema, right.get(key), draw) for key, schema in properties.items()}


def _other(key: str, schema: Json, right: Json, draw: random.Random) -> Json:
    """Return another value than the right one, where a field has one."""

    def choose(values: Sequence[Json]) -> Json:
        return draw.choice([one for one in values if one != right] or values)

    def several(items: Sequence[Json]) -> list[Json]:
        return [one for one in items if one not in (right if isinstance(right, list) else [])]

    return answer_in({"properties": {key: schema}}, choose, several)[key]
