"""More than one attribute, or a single one."""

from typing import ClassVar

from benchmark.items.base import Pool
from benchmark.suite.attributes import AttributeSamples
from benchmark.suite.base import Round
from benchmark.suite.one_label import OneLabel
from benchmark.tasks.labels import YES_NO
from project.types import Json


class MultipleEntry(OneLabel, AttributeSamples):
    """The same samples as for the attributes, asked whether there is more than one (SHREC, 3.2 and appendix A.2)."""

    key: ClassVar[str] = "multiple"
    name: ClassVar[str] = "Several attributes"
    description: ClassVar[str] = "Is the segment about more than one attribute?"
    rounds: ClassVar[tuple[Round, ...]] = (Round("multiple"),)
    answer: ClassVar[str] = "yes or no"
    task: ClassVar[str] = "multiple"
    field: ClassVar[str] = "multiple"

    def _labels(self, pool: Pool) -> list[Json]:  # noqa: ARG002
        return [one.key for one in YES_NO]
