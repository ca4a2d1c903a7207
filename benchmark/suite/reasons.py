"""Why it is an error, and what would have been right: which text belongs to this error."""

import random
from typing import ClassVar

from benchmark.items.base import Candidate, Drawn, Pool, Rule
from benchmark.items.reasons import NO_TEXT
from benchmark.suite.attributes import attributes_in
from benchmark.suite.base import Round
from benchmark.suite.choices import FiveOptions
from benchmark.suite.segments import ERROR, scheme_of, values_of
from project.errors import UserError


class _OfErrors(FiveOptions):
    """Errors alone; the wrong options are what was written about errors with another set of attributes (SHREC, 3.4)."""

    label: ClassVar[str] = ERROR
    lacking: ClassVar[str] = NO_TEXT
    few: ClassVar[str] = "fewer than four errors with other attributes have another text for a wrong option"
    section: ClassVar[str] = "3.4 and appendix A.3"

    def text(self, one: Candidate) -> str:
        """Return what was filled in; "" for nothing."""
        return str(values_of(one).get(self.key) or "").strip()

    def fits(self, pool: Pool, own: Candidate, other: Candidate) -> bool:
        """Tell whether the other error is about another set of attributes."""
        return attributes_in(pool, own) != attributes_in(pool, other)

    def sample(self, pool: Pool, rule: Rule, chance: random.Random) -> Drawn:
        """Return one draw.

        Raises:
            UserError: the scheme does not ask for such a text, or there is no error that has one.
        """
        scheme = scheme_of(pool)
        if all(one.key != self.key for one in scheme.fields_of(pool.track)):
            raise UserError(f"{scheme.name} does not ask for “{self.key}”.", "Choose another task or scheme.")
        return super().sample(pool, rule, chance)


class RationaleEntry(_OfErrors):
    """Which reason was given for an error."""

    key: ClassVar[str] = "rationale"
    name: ClassVar[str] = "Rationale"
    description: ClassVar[str] = "Why is this an error?"
    rounds: ClassVar[tuple[Round, ...]] = (Round("rationale"),)


class CorrectionEntry(_OfErrors):
    """What the agent should have done instead."""

    key: ClassVar[str] = "correction"
    name: ClassVar[str] = "Correction"
    description: ClassVar[str] = "What should the agent have done instead?"
    rounds: ClassVar[tuple[Round, ...]] = (Round("correction"),)
