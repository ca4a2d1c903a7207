"""The seven dimensions of SOTOPIA-EVAL: their order, their ranges, and the score over all of them."""

from collections.abc import Mapping

from project.schemes.loader import load_scheme
from project.types import Json

SCHEME = "sotopia-eval"
DIMENSIONS = ("believability", "relationship", "knowledge", "secret", "social_rules", "financial", "goal")
"""In the order of the paper's instructions (SOTOPIA, appendix C); keys of fields of the scheme."""
REASON = "_reason"
"""What the key of a dimension's reason ends with."""


def ranges() -> dict[str, tuple[int, int]]:
    """Return dimension -> lowest and highest score."""
    scheme = load_scheme(SCHEME)
    fields = {key: scheme.field(key) for key in DIMENSIONS}
    return {key: (int(one.minimum), int(one.maximum)) for key, one in fields.items()}


def overall(scores: Mapping[str, Json]) -> float | None:
    """Return the mean of the seven scores (SOTOPIA, section 6); None where one is missing.

    Args:
        scores: dimension -> score.
    """
    found = [value for key in DIMENSIONS if isinstance(value := scores.get(key), int | float)]
    return sum(found) / len(found) if len(found) == len(DIMENSIONS) else None
