"""Every figure of agreement of a study, and their groups."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.agreement.figure import Figure
from benchmark.agreement.material import Named
from benchmark.agreement.published import PublishedFigure
from benchmark.agreement.types import Floats
from project.types import Json

MAIN = (
    "overlap_share",
    "verdict_agreement",
    "disagreement_share",
    "matched_agreement",
    "mean_iou",
    "cohen_kappa",
    "elan_kappa",
    "elan_kappa_matched",
    "elan_ratio",
    "alpha",
    "reviewer_agreement",
    "third_agreement",
)
"""The figures that every report has, beside F1 at several levels of IoU, in the order they are shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one label, choice, recording, annotator or pair."""

    key: str
    name: str
    figures: Mapping[str, Figure]

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it."""
        return {"key": self.key, "name": self.name, **as_json(self.figures)}


@dataclass(frozen=True, slots=True)
class FieldReport:
    """The figures of one field of the form over matched segments, and those of each choice."""

    key: str
    name: str
    figures: Mapping[str, Figure]
    choices: tuple[Row, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it."""
        own: dict[str, Json] = {"name": self.name, **as_json(self.figures)}
        return own | ({"choices": [row.to_json() for row in self.choices]} if self.choices else {})


@dataclass(frozen=True, slots=True)
class Beside:
    """A published figure and the study's own; `own` is None where this study has no such figure."""

    published: PublishedFigure
    own: Figure | None

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it."""
        there = self.published
        return {
            "figure": there.figure,
            "name": there.name,
            "published": there.value,
            "source": there.source,
            "own": None if self.own is None else self.own.to_json(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What `greenroom agreement` prints and the page draws.

    Attributes:
        settings: what was asked for, and who and what was counted.
        main: figure -> value, those of `MAIN`.
        f1_iou: IoU as text -> F1 of the boundaries.
        f1_iou_same_label: the same where matched segments must have the same label.
        label_share: label -> its share of all annotations.
        choices_where_agreed: field -> choices a segment where both sides chose the same.
        choices_where_differing: the same where they did not.
        labels: the labels, in the order of `confusion`.
        confusion: (labels + 1, labels + 1) matched pairs, the first annotator of each pair down; the last is unmatched.
        rows: what the figures are split by (`label`, a field's key, `recording`, `pair`, `annotator`) -> its rows.
        fields: the form.
        published: beside the study's own.
    """

    settings: Mapping[str, Json]
    main: Mapping[str, Figure]
    f1_iou: Mapping[str, Figure]
    f1_iou_same_label: Mapping[str, Figure]
    label_share: Mapping[str, Figure]
    choices_where_agreed: Mapping[str, Figure]
    choices_where_differing: Mapping[str, Figure]
    labels: tuple[Named, ...]
    confusion: Floats
    rows: Mapping[str, tuple[Row, ...]]
    fields: tuple[FieldReport, ...]
    published: tuple[Beside, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """Return it as one JSON object; figures that are undefined are null with a reason."""
        names: list[Json] = [*(label.key for label in self.labels), "unmatched"]
        found: dict[str, Json] = as_json(self.main)
        found |= {
            "f1_iou": as_json(self.f1_iou),
            "f1_iou_same_label": as_json(self.f1_iou_same_label),
            "label_share": as_json(self.label_share),
            "choices_where_agreed": as_json(self.choices_where_agreed),
            "choices_where_differing": as_json(self.choices_where_differing),
            "confusion": {"labels": names, "pairs": self.confusion.astype(int).tolist()},
            "fields": {field.key: field.to_json() for field in self.fields},
            "by": {split: [row.to_json() for row in rows] for split, rows in self.rows.items()},
            "published": [one.to_json() for one in self.published],
            "settings": dict(self.settings),
        }
        return found


def as_json(figures: Mapping[str, Figure]) -> dict[str, Json]:
    """Return each figure as JSON holds it."""
    return {key: figure.to_json() for key, figure in figures.items()}
