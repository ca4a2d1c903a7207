"""How plausible a statement is by two explanations, one for and one against it (SocialNLI, section 4.1)."""

from typing import NamedTuple

UNDECIDED = 0.5


class Posterior(NamedTuple):
    """That a statement is true; `defined` is False where the formula is 0 over 0, and the value then the prior."""

    value: float
    defined: bool


def posterior(plus: float, minus: float) -> Posterior:
    """Return s+ (1 - s-) / (s+ (1 - s-) + (1 - s+) s-), under equal priors and independent explanations.

    Both terms are 0 where both scores are 0 (neither explanation could be) or both are 1 (both have to be): then
    nothing was learned, and what was assumed beforehand, 0.5, stands.

    Args:
        plus: how likely the supporting explanation is where the statement is true, 0 to 1.
        minus: how likely the opposing one is where it is false, 0 to 1.

    Raises:
        ValueError: a score is outside 0 to 1.
    """
    if not (0 <= plus <= 1 and 0 <= minus <= 1):
        raise ValueError(f"scores of {plus} and {minus} are not from 0 to 1")
    true, false = plus * (1 - minus), (1 - plus) * minus
    return Posterior(true / (true + false), True) if true + false > 0 else Posterior(UNDECIDED, False)
