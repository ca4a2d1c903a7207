"""Guesses."""

import hashlib
import random
from collections.abc import Mapping
from typing import ClassVar

from models.judges.base import Question
from models.judges.baselines.baseline import Baseline
from models.judges.baselines.schema import answer_in
from project.types import Json


class RandomJudge(Baseline):
    """Each value of a list with the same chance, each item of several by the toss of a coin.

    So it is right in 1 of k answers of k kinds, and in 1 of 2^n sets of n. Seed and item decide what it draws: the same
    item is answered alike in whatever order items come.
    """

    key: ClassVar[str] = "random"
    name: ClassVar[str] = "Random"
    description: ClassVar[str] = "Guesses: what a judge has to beat."

    def answer(self, question: Question) -> Mapping[str, Json]:
        """Return what is drawn for the item."""
        said = f"{question.sampling.seed} {question.item} {question.form.name}"
        draw = random.Random(hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest())
        return answer_in(question.form.schema, draw.choice, lambda items: [one for one in items if draw.random() < 0.5])
