"""How many items of each class a draw has, and of each collection."""

from collections.abc import Mapping
from fractions import Fraction

from project.errors import UserError


def quotas(size: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Return how many of `size` items each class gets, by largest remainder: never one or more off its exact share.

    Args:
        size: items in all.
        shares: class -> weight, 0 or more; they need not add up to 1. Of equal remainders the first class wins.

    Raises:
        ValueError: no class has a weight.
    """
    weights = {key: Fraction(str(weight)) for key, weight in shares.items()}
    total = sum(weights.values())
    if total <= 0:
        raise ValueError("no class has a share")
    exact = {key: size * weight / total for key, weight in weights.items()}
    found = {key: int(value) for key, value in exact.items()}
    left = sorted(exact, key=lambda key: found[key] - exact[key])
    for key in left[: size - sum(found.values())]:
        found[key] += 1
    return found


def largest(size: int, shares: Mapping[str, float], there: Mapping[str, int]) -> dict[str, int]:
    """Return the quotas of the largest draw of at most `size` items for which there are enough of every class.

    A draw for which a class is too small becomes smaller as a whole, so that its balance stays what it was to be.

    Args:
        size: items in all; 0 for as many as there are.
        shares: class -> weight.
        there: class -> how many could be drawn.
    """
    most = min(size, sum(there.values())) if size else sum(there.values())
    for total in range(most, 0, -1):
        found = quotas(total, shares)
        if all(number <= there.get(key, 0) for key, number in found.items()):
            return found
    return dict.fromkeys(shares, 0)


def even_size(size: int, collections: int) -> int:
    """Return how many items each of so many collections gives at most, of `size` in all; 0 for as many as can be.

    Raises:
        UserError: there are fewer items than collections.
    """
    if size and size < collections:
        raise UserError(
            f"A draw of {size:,} cannot have the same number of items of each of {collections:,} collections.",
            f"Ask for {collections:,} or more, or for a draw that does not look at collections.",
        )
    return size // collections


def even_sizes(size: int, there: Mapping[str, int]) -> dict[str, int]:
    """Return how many items each collection gives, the same number each, of `size` in all; 0 for as many as can be.

    Args:
        size: items in all.
        there: collection -> how many it could give.

    Raises:
        UserError: there are fewer items than collections.
    """
    if not there:
        return {}
    each = min(there.values())
    return dict.fromkeys(there, min(each, even_size(size, len(there)) or each))
