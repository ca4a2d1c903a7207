"""A matplotlib figure that is laid out in pixels: text, legends, bars and axes in the program's colours and typeface.

Importing this module imports matplotlib, so callers import it when they draw.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Outline
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, ScalarFormatter, StrMethodFormatter
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QTextLayout

from project.schemes.scheme import Pattern
from project.text_format import escape_unprintable
from resources import resource
from widgets import theme
from widgets.labels import SIGN_LINES, SIGN_PX, LabelLook, label_ink, mix
from widgets.plots.plot_layout import MARGIN, ROW_HEIGHT, SMALL, TITLE, Entry, legend_rows, plot_font, text_width

PX = 0.75
"""Points in a pixel: matplotlib measures type and lines in points."""
DPI = 96
_BUTTONS_WIDTH = 68
"""What the buttons of a plot on the screen take of its first line; kept free in files, too, so that both look alike."""
_HATCHES = {
    Pattern.SOLID: "",
    Pattern.HATCH: "///",
    Pattern.DOTS: "...",
    Pattern.BACK_HATCH: "\\\\\\",
    Pattern.BARS: "---",
    Pattern.POSTS: "|||",
    Pattern.GRID: "+++",
}
# A user's own settings of matplotlib are not those of the program.
mpl.rcdefaults()
mpl.rcParams.update(
    {
        "font.family": theme.FAMILY,
        "text.parse_math": False,
        "axes.unicode_minus": False,
        "axes.formatter.useoffset": False,
        "axes.axisbelow": True,
        "axes.facecolor": "none",
        "hatch.linewidth": 1.6 * PX,
        "path.simplify": False,
        "svg.fonttype": "none",
        "svg.hashsalt": "plot",
        "axes.spines.left": False,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.spines.bottom": False,
    }
)
for _name in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
    fontManager.addfont(str(resource("fonts", _name)))


@dataclass(frozen=True, slots=True)
class PlotHotspot:
    """A part of a plot and what it says."""

    area: QRectF
    text: str


@cache
def export_palette() -> theme.Palette:
    """Return the colours of what is saved: the light theme on white."""
    white = QColor("white")
    return replace(theme.load("light"), field=white, lane=white)


@lru_cache(maxsize=512)
def _font_families(text: str) -> list[str]:
    """Return our typeface and those that Qt takes for letters it does not have, as far as matplotlib knows them."""
    layout = QTextLayout(text, plot_font(SMALL))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    known = set(fontManager.get_font_names())
    used = dict.fromkeys(run.rawFont().familyName() for run in layout.glyphRuns())
    return [theme.FAMILY, *(family for family in used if family in known - {theme.FAMILY})]


def round_ticks(values: Iterable[float | None], most: int = 5, *, whole: bool = False) -> NDArray[np.float64]:
    """Return at most `most` round steps that cover zero and all values; what is missing or infinite is passed over."""
    known = [0.0, *(value for value in values if value is not None and math.isfinite(value))]
    low, high = min(known), max(known)
    if whole:
        low, high = math.floor(low), math.ceil(high)
    locator = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=whole)
    return np.asarray(locator.tick_values(low, high if high > low else low + 1))


class PlotFigure:
    """A figure of some pixels with a title and a note; remembers what has a tool tip."""

    def __init__(self, title: str, note: str, width: float, height: float, colours: theme.Palette) -> None:
        self.figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor="none")
        self.width, self.height, self.colours = width, height, colours
        self.hotspots: list[PlotHotspot] = []
        inches = Affine2D().scale(1 / DPI, -1 / DPI).translate(0, height / DPI)
        self._pixels = inches + self.figure.dpi_scale_trans
        room = width - 2 * MARGIN
        self.text(title, MARGIN, MARGIN + 7, room - _BUTTONS_WIDTH, size=TITLE, semibold=True)
        if text_width(title, TITLE, semibold=True) > room - _BUTTONS_WIDTH:
            self.hotspots.append(PlotHotspot(QRectF(MARGIN, MARGIN - 4, room - _BUTTONS_WIDTH, 22), title))
        self.text(note, MARGIN, MARGIN + 27, room, colour=colours.muted)

    def ink(self, look: LabelLook | None) -> QColor:
        """Return the colour of a series."""
        return self.colours.accent if look is None else label_ink(look, self.colours)

    def text(
        self,
        text: str,
        x: float,
        y: float,
        room: float,
        align: str = "left",
        size: int = SMALL,
        colour: QColor | None = None,
        semibold: bool = False,
    ) -> Text:
        """Write one line around a height, shortened where it is wider than its room."""
        # What cannot be printed makes an SVG that no program reads.
        metrics = QFontMetricsF(plot_font(size, semibold))
        short = metrics.elidedText(escape_unprintable(text), Qt.TextElideMode.ElideRight, room + 1)
        return self.figure.text(
            x,
            y,
            short,
            transform=self._pixels,
            horizontalalignment=align,
            verticalalignment="center",
            fontsize=size * PX,
            fontfamily=_font_families(short),
            fontweight=600 if semibold else 400,
            color=(colour or self.colours.text).name(),
        )

    def line(self, points: Sequence[tuple[float, float]], width: float, dashes: object = "-") -> None:
        """Draw a line through points, in the colour of text."""
        x, y = zip(*points, strict=True)
        colour = self.colours.text.name()
        self.figure.add_artist(
            Line2D(x, y, transform=self._pixels, color=colour, linewidth=width * PX, linestyle=dashes)  # type: ignore[arg-type]
        )

    def box(
        self,
        area: QRectF,
        look: LabelLook | None,
        says: str = "",
        axes: Axes | None = None,
        ground: QColor | None = None,
    ) -> None:
        """Fill a rectangle, of pixels or of the data of axes, with a label's colour and pattern, or with a colour."""
        ink = self.ink(look)
        fill = ground or mix(ink, self.colours.field, 0.72 if look is None else 0.5)
        patch = Rectangle(
            (area.x(), area.y()),
            area.width(),
            area.height(),
            transform=self._pixels if axes is None else axes.transData,
            facecolor=fill.name(),
            edgecolor="none" if look is None else ink.name(),
            hatch=None if look is None else _HATCHES[look.pattern],
            linewidth=0 if look is None else PX,
        )
        (self.figure.add_artist if axes is None else axes.add_patch)(patch)
        if says:
            self.add_hotspot(area, says, axes)

    def add_hotspot(self, area: QRectF, says: str, axes: Axes | None = None) -> None:
        """Give a rectangle, of pixels or of the data of axes, a tool tip."""
        if axes is not None:
            corners = [self.pixel(axes, x, y) for x, y in ((area.left(), area.top()), (area.right(), area.bottom()))]
            (left, top), (right, bottom) = np.min(corners, 0), np.max(corners, 0)
            area = QRectF(left, top, right - left, bottom - top)
        self.hotspots.append(PlotHotspot(area, says))

    def pixel(self, axes: Axes, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the data of axes lies."""
        across, up = axes.transData.transform((x, y))
        return float(across), self.height - float(up)

    def sign(self, look: LabelLook | None, x: float, y: float) -> None:
        """Draw a label's sign around a point."""
        if look is None:
            return
        corner = np.array((x, y)) - SIGN_PX / 2
        lines = [corner + line for line in SIGN_LINES[look.sign]]
        self.figure.add_artist(
            PathPatch(
                Outline.make_compound_path(*map(Outline, lines)),
                transform=self._pixels,
                facecolor="none",
                edgecolor=self.ink(look).name(),
                linewidth=1.8 * PX,
                capstyle="round",
                joinstyle="round",
                snap=False,
            )
        )

    def legend(self, entries: Sequence[Entry], top: float) -> float:
        """Draw a swatch, a sign and a name for each; returns where it ends."""
        for row in legend_rows(entries, self.width):
            x = float(MARGIN)
            for name, look in row:
                self.box(QRectF(x, top + 4, 22, 12), look)
                self.sign(look, x + 31, top + 10)
                self.text(name, x + 42, top + 10, text_width(name) + 4)
                x += 56 + text_width(name)
            top += ROW_HEIGHT
        return top

    def axes(self, area: QRectF, projection: str | None = None) -> Any:
        """Return axes in a rectangle of pixels, with lines at their ticks."""
        rect = (area.left() / self.width, 1 - area.bottom() / self.height)
        share = area.width() / self.width, area.height() / self.height
        axes = self.figure.add_axes((*rect, *share), projection=projection)
        axes.grid(True, color=self.colours.border.name(), linewidth=PX)
        muted = self.colours.muted.name()
        axes.tick_params(labelsize=SMALL * PX, labelcolor=muted, color=self.colours.border.name(), length=4 * PX, pad=3)
        return axes

    def scale(
        self, axes: Axes, side: str, ticks: NDArray[np.float64], whole: bool = False, high: float | None = None
    ) -> None:
        """Let an axis (`x` or `y`) reach from the first tick to the last, or to `high`; zero gets a stronger line."""
        axis = axes.xaxis if side == "x" else axes.yaxis
        axis.set_ticks(ticks.tolist())
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}") if whole else ScalarFormatter())
        (axes.set_xlim if side == "x" else axes.set_ylim)(ticks[0], max(ticks[-1], ticks[-1] if high is None else high))
        (axes.axvline if side == "x" else axes.axhline)(
            0, color=self.colours.outline.name(), linewidth=PX, zorder=0.9, clip_on=False
        )

    def axis_title(self, text: str, area: QRectF) -> None:
        """Write what the axis under an area shows."""
        middle = area.center().x()
        room = 2 * min(middle - MARGIN, self.width - MARGIN - middle)
        self.text(text, middle, area.bottom() + 31, room, "center")

    def whiskers(
        self, axes: Axes, at: Sequence[float], low: Sequence[float], high: Sequence[float], *, upright: bool = False
    ) -> None:
        """Draw intervals with caps, on a halo so that they are seen over bars."""
        middle, half = np.add(low, high) / 2, np.subtract(high, low) / 2
        x, y = (at, middle) if upright else (middle, at)
        for colour, width in ((self.colours.field, 4), (self.colours.text, 1.5)):
            axes.errorbar(
                x,
                y,
                **{"yerr" if upright else "xerr": half},  # type: ignore[arg-type]
                fmt="none",
                ecolor=colour.name(),
                elinewidth=width * PX,
                capsize=4 * PX,
                capthick=width * PX,
            )

    def diamonds(self, x: Sequence[float], y: Sequence[float], axes: Axes | None = None) -> None:
        """Draw marks for reference values, at pixels or at data of axes."""
        marks = Line2D(
            x,
            y,
            transform=self._pixels if axes is None else axes.transData,
            linestyle="none",
            marker="D",
            markersize=7.5 * PX,
            markeredgecolor=self.colours.text.name(),
            markerfacecolor=self.colours.field.name(),
            markeredgewidth=1.5 * PX,
        )
        (self.figure.add_artist if axes is None else axes.add_line)(marks)
