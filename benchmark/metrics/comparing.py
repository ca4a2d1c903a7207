"""Whether two judges differ in how often they are right."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

EXACT_BELOW = 25


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test of two judges on the same items.

    Attributes:
        first_only: items that only the first got right.
        second_only: items that only the second got right.
        p: of a difference at least as large by chance; None without items.
        exact: it is that of the binomial distribution; else of chi squared, with continuity correction.
    """

    first_only: int
    second_only: int
    p: float | None
    exact: bool


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Compare which of n items two judges got right; refused and unparsed answers are wrong.

    Each item counts once: one that stands in several draws is to be given once. Where nobody was right alone, nothing
    speaks for a difference, and p is 1.

    Raises:
        ValueError: the sequences differ in length.

    Source: McNemar (1947); the exact test below `EXACT_BELOW` items that the judges differ in (Edwards 1948).
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} items of the first, {len(second)} of the second")
    one, other = np.array(first, bool), np.array(second, bool)
    first_only, second_only = int((one & ~other).sum()), int((~one & other).sum())
    exact = first_only + second_only < EXACT_BELOW
    if not len(one):
        return McNemar(0, 0, None, exact)
    from statsmodels.stats.contingency_tables import mcnemar as test

    table = [[int((one & other).sum()), first_only], [second_only, int((~one & ~other).sum())]]
    return McNemar(first_only, second_only, float(test(table, exact=exact, correction=True).pvalue), exact)
