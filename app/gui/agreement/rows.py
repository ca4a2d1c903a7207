"""From a report to the rows of the tables."""

from collections.abc import Mapping, Sequence

from app.core.agreement.figure_words import Words, words_of
from benchmark.agreement.figure import Figure
from benchmark.agreement.published import PublishedFigure
from benchmark.agreement.report import Report, Row
from resources.translation import tr
from widgets.agreement.figure_row import FigureRow, SplitRow
from widgets.plots.scene import Measured

_GROUPS = (
    (tr("Overlap and labels"), ("overlap_share", "verdict_agreement", "matched_agreement", "disagreement_share")),
    (tr("Above chance"), ("cohen_kappa", "alpha", "elan_kappa", "elan_kappa_matched")),
    (tr("Boundaries"), ("mean_iou", "elan_ratio")),
    (tr("Other people"), ("reviewer_agreement", "third_agreement")),
)
_F1 = tr("Share of segments that find a partner of that IoU; n: annotations.")
_F1_LABEL = tr("The same where a pair must have one label.")
_SPLITS = {"label": tr("Label"), "recording": tr("Recording"), "pair": tr("Pair"), "annotator": tr("Annotator")}


def measured(figure: Figure) -> Measured:
    """Return a figure as the tables and plots take it."""
    return Measured(figure.value, figure.n, figure.low, figure.high, figure.reason)


def main_rows(report: Report) -> list[FigureRow]:
    """Return the figures of the whole track under headings, with the published ones."""
    published = {one.published.figure: one.published for one in report.published}
    rows: list[FigureRow] = []
    for heading, keys in _GROUPS:
        rows.append(FigureRow(heading))
        rows += [_row(words_of(key), report.main[key], published.get(key)) for key in keys]
        if heading == tr("Boundaries"):
            rows += [
                _row(Words(tr("F1 at IoU {level}").format(level=level), _F1), one)
                for level, one in report.f1_iou.items()
            ]
            rows += [
                _row(Words(tr("F1 with the same label at IoU {level}").format(level=level), _F1_LABEL), one)
                for level, one in report.f1_iou_same_label.items()
            ]
    names = {label.key: label.name for label in report.labels}
    rows.append(FigureRow(tr("What was marked")))
    for key, figure in report.label_share.items():
        words = Words(
            tr("Marked as {value}").format(value=names.get(key, key).lower()),
            tr("Share of all annotations; n: annotations."),
        )
        rows.append(_row(words, figure, published.get(f"label_share.{key}")))
    fields = {field.key: field.name for field in report.fields}
    for group, where, figures in (
        ("choices_where_agreed", "agree", report.choices_where_agreed),
        ("choices_where_differing", "differ", report.choices_where_differing),
    ):
        for key, figure in figures.items():
            words = Words(
                tr("{fields} a segment where annotators {where}").format(fields=fields.get(key, key), where=where),
                tr("Mean number; n: segments."),
            )
            rows.append(_row(words, figure, published.get(f"{group}.{key}")))
    return rows


def form_rows(report: Report) -> list[FigureRow]:
    """Return the figures of the form: each field, and each of its choices."""
    rows: list[FigureRow] = []
    for field in report.fields:
        rows.append(FigureRow(field.name))
        rows += [_row(words_of(key, field=True), figure) for key, figure in field.figures.items()]
        for choice in field.choices:
            for key, figure in choice.figures.items():
                words = words_of(key, field=True)
                rows.append(_row(Words(f"{choice.name}: {_lower(words.name)}", words.means), figure))
    return rows


def splits_of(report: Report) -> dict[str, str]:
    """Return what the figures can be split by: key -> name; what has no rows is left out."""
    fields = {field.key: field.name for field in report.fields}
    return {key: _SPLITS.get(key) or fields.get(key, key) for key, rows in report.rows.items() if rows}


def split_columns(rows: Sequence[Row]) -> dict[str, Words]:
    """Return the figures that rows have, in their order."""
    return {key: words_of(key) for row in rows for key in row.figures}


def split_rows(rows: Sequence[Row], columns: Mapping[str, Words]) -> list[SplitRow]:
    """Return rows with a figure for each column."""
    return [SplitRow(row.key, row.name, tuple(_maybe(row.figures.get(key)) for key in columns)) for row in rows]


def _maybe(figure: Figure | None) -> Measured | None:
    return None if figure is None else measured(figure)


def _row(words: Words, figure: Figure, published: PublishedFigure | None = None) -> FigureRow:
    if published is None:
        return FigureRow(words.name, words.means, measured(figure))
    return FigureRow(words.name, words.means, measured(figure), published.value, published.source)


def _lower(name: str) -> str:
    """Begin a name in lower case, unless it begins with somebody's."""
    return name if name.split(" ")[0].endswith("'s") else name[0].lower() + name[1:]
