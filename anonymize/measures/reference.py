"""Thresholds to fall back on where a study has too few people to find its own."""

from anonymize.measures.figure import Figure

PEOPLE = 8
THRESHOLDS = {"mobilefacenet": 0.245}
"""Embedder -> the cosine that one in a hundred comparisons of different people exceeds, of 700 comparisons of eight
people in sharp pictures."""


def reference_threshold(embedder: str, reason: str) -> Figure | None:
    """Return the threshold of a reference set at a false match rate of 1e-2, which says that it is one; None without.

    Args:
        embedder: key of the model.
        reason: why the study has none of its own.
    """
    known = THRESHOLDS.get(embedder)
    if known is None:
        return None
    return Figure(known, 0, f"{reason} The threshold is that of a reference set of {PEOPLE} people.")
