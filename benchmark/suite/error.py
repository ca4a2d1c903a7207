"""Error or no error."""

import random
from collections.abc import Mapping
from typing import ClassVar

from benchmark.items.base import Drawn, Pool, Rule
from benchmark.suite.base import Round
from benchmark.suite.segments import ERROR, all_labels, scheme_of, yes_and_no
from benchmark.suite.verdict import VerdictEntry
from project.errors import UserError
from project.types import Json


class ErrorEntry(VerdictEntry):
    """The same samples as for the verdict, asked whether there is an error (SHREC, 3.1 and appendix A.1)."""

    key: ClassVar[str] = "error"
    name: ClassVar[str] = "Error or not"
    description: ClassVar[str] = "Does the segment show an error?"
    rounds: ClassVar[tuple[Round, ...]] = (Round("error"),)
    answer: ClassVar[str] = "yes or no"
    task: ClassVar[str] = "error"
    field: ClassVar[str] = "error"

    def sample(self, pool: Pool, rule: Rule, chance: random.Random) -> Drawn:
        """Return one balanced draw.

        Raises:
            UserError: the scheme has no label for errors, or a label is missing.
        """
        if ERROR not in all_labels(pool):
            raise UserError(
                f"{scheme_of(pool).name} has no label “{ERROR}” for “{pool.track}”.", "Choose another task or scheme."
            )
        return super().sample(pool, rule, chance)

    def _traits(self, pool: Pool) -> Mapping[str, Json]:  # noqa: ARG002
        return yes_and_no()
