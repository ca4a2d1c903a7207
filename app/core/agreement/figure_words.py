"""The figures of agreement in plain words, for people who read a table of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """What a figure is called, and what it means in one line."""

    name: str
    means: str


_WORDS = {
    "overlap_share": Words(
        "Annotations that overlap another annotator's", "Share that has a counterpart; n: annotations."
    ),
    "verdict_agreement": Words("Same label among overlapping ones", "Share of overlapping pairs; n: pairs."),
    "disagreement_share": Words(
        "In disagreement", "Reviewed annotations disagreed with; without reviews, pairs that differ."
    ),
    "matched_agreement": Words("Same label among matched segments", "Each segment counts once; n: matched pairs."),
    "mean_iou": Words(
        "IoU of matched segments", "Time that both cover over the time that either covers; 1 is identical."
    ),
    "cohen_kappa": Words(
        "Cohen's kappa on the time grid", "Agreement above chance, weighted by time; 0 is chance; n: instants."
    ),
    "elan_kappa": Words(
        "Modified kappa (Holle and Rein)", "Above chance, on whole segments; counts those without a partner."
    ),
    "elan_kappa_matched": Words("Modified kappa of linked segments alone", "Labels only, where both marked a segment."),
    "elan_ratio": Words("ELAN's overlap ratio", "Mean IoU in which a segment without a partner counts as 0."),
    "alpha": Words(
        "Krippendorff's alpha, time-weighted", "As kappa, for any number of annotators; n: instants of two or more."
    ),
    "reviewer_agreement": Words("Reviews that agree", "Share of reviews by somebody else than the author; n: reviews."),
    "third_agreement": Words(
        "Third annotator against the others", "Same label where the third overlaps one of the others; n: pairs."
    ),
    "same": Words("Filled in the same", "Share of matched pairs with exactly the same choice or set; n: pairs."),
    "jaccard": Words("Choices in common", "Choices that both made over choices that either made, on average."),
    "chosen_by_both": Words("Chosen by both", "Of the pairs in which either made the choice; n: those pairs."),
    "alpha_ordinal": Words("Krippendorff's alpha, ordinal", "Agreement above chance on the order of ratings."),
    "alpha_interval": Words("Krippendorff's alpha, interval", "Agreement above chance by squared differences."),
    "randolph_kappa": Words("Randolph's kappa", "Agreement above blind choice among bins of equal width."),
    "weighted_kappa": Words("Weighted kappa", "Cohen's kappa with quadratic weights."),
    "pearson_r": Words("Pearson's r", "Whether both rise and fall together; blind to one being stricter."),
    "mean_difference": Words("Mean difference", "First minus second annotator; 0 where neither is stricter."),
}
_FIELDS = {
    "cohen_kappa": Words("Cohen's kappa", "Agreement above chance over matched pairs; 0 is chance; n: pairs."),
    "alpha": Words("Krippendorff's alpha", "Agreement above chance, for any number of annotators; n: pairs."),
}


def words_of(key: str, *, field: bool = False) -> Words:
    """Return the words for a figure of the whole track, or for one of a field of the form."""
    found = (_FIELDS.get(key) if field else None) or _WORDS.get(key)
    return found or Words(key.replace("_", " ").capitalize(), "")
