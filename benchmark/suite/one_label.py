"""What tasks share whose answer is one label."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from benchmark.metrics.chance import accuracy_by_chance, macro_f1_by_chance
from benchmark.metrics.classification import accuracy, macro_f1
from benchmark.metrics.names import ACCURACY, MACRO_F1
from benchmark.suite.base import Metric, Said
from benchmark.suite.said import given_values, label_answers, label_truths, labels_of, metrics


class OneLabel:
    """Accuracy and macro-F1 over the labels of the task, which its items have as the trait `labels`.

    Attributes:
        task: key of the task that judges are asked.
        field: of its answer.
    """

    task: ClassVar[str]
    field: ClassVar[str]
    metrics: ClassVar[tuple[Metric, ...]] = metrics(ACCURACY, MACRO_F1)

    def score(self, said: Sequence[Said]) -> Mapping[str, float | None]:
        """Return accuracy and macro-F1; None without items."""
        truth, given = label_truths(said, self.task, self.field), label_answers(said, self.task, self.field)
        return {ACCURACY: accuracy(truth, given), MACRO_F1: macro_f1(truth, given, labels_of(said))}

    def chance(self, said: Sequence[Said]) -> Mapping[str, float]:
        """Return what a guess among the labels comes to."""
        labels = labels_of(said)
        guessed = accuracy_by_chance(len(said), len(labels)) if labels else None
        f1 = macro_f1_by_chance(label_truths(said, self.task, self.field), labels) if labels else None
        return given_values({ACCURACY: guessed.value if guessed else None, MACRO_F1: f1})
