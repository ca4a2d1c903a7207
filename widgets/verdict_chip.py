"""How a verdict looks: never by colour alone, but also by its sign and its pattern."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from project.types import Verdict
from widgets import theme
from widgets.icons import paint_icon

ICONS: dict[str, str] = {Verdict.ERROR: "x", Verdict.COMPETENCE: "check", Verdict.NONE: "circle-dashed"}
NAMES: dict[str, str] = {Verdict.ERROR: "Error", Verdict.COMPETENCE: "Competence", Verdict.NONE: "None"}


def verdict_colour(verdict: str) -> QColor:
    """Return the colour of a verdict in the theme in use."""
    colours = theme.palette()
    known: dict[str, QColor] = {Verdict.ERROR: colours.error, Verdict.COMPETENCE: colours.competence}
    return known.get(verdict, colours.muted)


class VerdictChip(QWidget):
    """A plate with the sign, the name and the pattern of a verdict: an error is hatched."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._verdict: str = Verdict.NONE
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.notifier.changed.connect(self.update)
        self.set_verdict(Verdict.NONE)

    def set_verdict(self, verdict: str) -> None:
        """Show another verdict."""
        self._verdict = verdict
        self.setAccessibleName(f"Verdict: {NAMES[verdict]}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(theme.font(semibold=True))
        return QSize(round(metrics.horizontalAdvance(NAMES[self._verdict])) + 40, theme.GRID * 3)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colour = verdict_colour(self._verdict)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        plate = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        wash = QColor(colour)
        wash.setAlphaF(0.16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(wash)
        painter.drawRoundedRect(plate, 4, 4)
        if self._verdict == Verdict.ERROR:
            painter.setBrush(QBrush(wash, Qt.BrushStyle.BDiagPattern))
            painter.drawRoundedRect(plate, 4, 4)
        line = Qt.PenStyle.DotLine if self._verdict == Verdict.NONE else Qt.PenStyle.SolidLine
        painter.setPen(QPen(colour, 1, line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(plate, 4, 4)
        paint_icon(painter, ICONS[self._verdict], QRectF(8, (self.height() - 14) / 2, 14, 14), colour)
        painter.setPen(colour)
        painter.setFont(theme.font(semibold=True))
        painter.drawText(plate.adjusted(28, 0, -4, 0), Qt.AlignmentFlag.AlignVCenter, NAMES[self._verdict])
