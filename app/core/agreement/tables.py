"""A report of agreement as plain tables."""

from collections.abc import Iterator, Mapping

from app.core.agreement.figure_words import words_of
from app.core.csv_cells import Cell
from benchmark.agreement.figure import Figure
from benchmark.agreement.report import Report

_FIGURE = ("value", "low", "high", "n", "reason")


def tables_of(report: Report) -> dict[str, tuple[tuple[str, ...], list[tuple[Cell, ...]]]]:
    """Return file name without ending -> (head, rows)."""
    found: dict[str, tuple[tuple[str, ...], list[tuple[Cell, ...]]]] = {
        "figures": (("figure", "name", *_FIGURE), list(_figures(report))),
        "form": (("field", "choice", "figure", *_FIGURE), list(_form(report))),
    }
    names = [*(label.name for label in report.labels), "unmatched"]
    pairs = report.confusion.astype(int).tolist()
    found["confusion"] = (("", *names), [(name, *row) for name, row in zip(names, pairs, strict=True)])
    if report.published:
        found["published"] = (
            ("figure", "name", "published", "source", "own", "n"),
            [
                (
                    *(one.published.figure, one.published.name, one.published.value, one.published.source),
                    *((None, None) if one.own is None else (one.own.value, one.own.n)),
                )
                for one in report.published
            ],
        )
    for split, rows in report.rows.items():
        keys = list(dict.fromkeys(key for row in rows for key in row.figures))
        head = ("key", "name", *(f"{key}.{part}" for key in keys for part in _FIGURE[:4]))
        found[f"by_{split}"] = (
            head,
            [(row.key, row.name, *(cell for key in keys for cell in _cells(row.figures.get(key))[:4])) for row in rows],
        )
    return found


def _figures(report: Report) -> Iterator[tuple[Cell, ...]]:
    for key, figure in report.main.items():
        yield (key, words_of(key).name, *_cells(figure))
    groups: dict[str, tuple[str, Mapping[str, Figure]]] = {
        "f1_iou": ("F1 at IoU", report.f1_iou),
        "f1_iou_same_label": ("F1 with the same label at IoU", report.f1_iou_same_label),
        "label_share": ("Share of annotations with label", report.label_share),
        "choices_where_agreed": ("Choices where agreed", report.choices_where_agreed),
        "choices_where_differing": ("Choices where differing", report.choices_where_differing),
    }
    for group, (name, figures) in groups.items():
        for key, figure in figures.items():
            yield (f"{group}.{key}", f"{name} {key}", *_cells(figure))


def _form(report: Report) -> Iterator[tuple[Cell, ...]]:
    for field in report.fields:
        for key, figure in field.figures.items():
            yield (field.key, "", key, *_cells(figure))
        for choice in field.choices:
            for key, figure in choice.figures.items():
                yield (field.key, choice.key, key, *_cells(figure))


def _cells(figure: Figure | None) -> tuple[Cell, ...]:
    if figure is None:
        return (None,) * len(_FIGURE)
    return (figure.value, figure.low, figure.high, figure.n, figure.reason)
