"""What metrics are called, in results as in published rows."""

from dataclasses import dataclass

ACCURACY, MACRO_F1 = "accuracy", "macro_f1"
EXACT_MATCH, PARTIAL_MATCH = "exact_match", "partial_match"
CHAIN_CONSISTENCY, SUBCHAIN_CONSISTENCY = "chain_consistency", "subchain_consistency"
PEARSON_R, MAE, CALIBRATION_ERROR = "pearson_r", "mae", "calibration_error"
RANDOLPH_KAPPA, PAIRWISE_AGREEMENT = "randolph_kappa", "pairwise_agreement"
FACTUALITY = "factuality"
SEPARATOR = "."
"""Between a metric and what part of the items it is about: `accuracy.mse`, `pearson_r.goal`."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a metric is, for tables and hints.

    Attributes:
        name: for tables.
        description: one sentence.
        share: it is a share, shown in percent or as 0 to 1.
        high_is_good: a higher value is better.
    """

    name: str
    description: str
    share: bool = True
    high_is_good: bool = True


MEANINGS = {
    ACCURACY: Meaning("Accuracy", "Share of the items that were answered right."),
    MACRO_F1: Meaning("Macro-F1", "Mean of the F1 of each label of the task, whether a draw has it or not."),
    EXACT_MATCH: Meaning("Exact match", "Share of the items for which just the true labels were given."),
    PARTIAL_MATCH: Meaning("Partial match", "Share of the items for which at least one true label was given."),
    CHAIN_CONSISTENCY: Meaning("Chain consistency", "Share of the chains all of whose questions were answered right."),
    SUBCHAIN_CONSISTENCY: Meaning(
        "Subchain consistency", "Share of the subchains all of whose questions were answered right."
    ),
    PEARSON_R: Meaning("Pearson's r", "Correlation with what people said.", share=False),
    MAE: Meaning("Mean absolute error", "How far from what people said, in the mean.", share=False, high_is_good=False),
    CALIBRATION_ERROR: Meaning(
        "Calibration error",
        "How far the mean answer of each bin is from what people said there, in the mean.",
        share=False,
        high_is_good=False,
    ),
    RANDOLPH_KAPPA: Meaning("Randolph's kappa", "Agreement over chance among five bins of the scale.", share=False),
    PAIRWISE_AGREEMENT: Meaning("Pairwise agreement", "Share of pairs of ratings at most two points apart."),
    FACTUALITY: Meaning("Factuality", "Share of the explanations that people found to be right."),
}
"""Key of a metric -> what it is."""


def split(key: str) -> tuple[str, str]:
    """Return the metric and the part of a key such as `accuracy.mse`; the part is "" where it is about all items."""
    metric, _, part = key.partition(SEPARATOR)
    return metric, part


def joined(metric: str, part: str) -> str:
    """Return the key of a metric over a part of the items."""
    return f"{metric}{SEPARATOR}{part}" if part else metric


def meaning_of(key: str) -> Meaning | None:
    """Return what the metric of a key is, whatever part it is about; None where it is none of these."""
    return MEANINGS.get(split(key)[0])
