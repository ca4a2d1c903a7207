"""Rows of the tables of figures."""

from dataclasses import dataclass

from widgets.plots.scene import Measured


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A figure with its name and meaning; a heading where `figure` is None.

    Attributes:
        reference: the published figure to compare with, from `source`.
    """

    name: str
    means: str = ""
    figure: Measured | None = None
    reference: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class SplitRow:
    """The figures of one label, choice, recording, pair or annotator, in the order of the columns."""

    key: str
    name: str
    figures: tuple[Measured | None, ...]
