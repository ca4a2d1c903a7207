"""A funnel of steps: bars that narrow from step to step, each with what is kept, what falls and what is open."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QSizePolicy, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessible import Role
from widgets.explained import explained
from widgets.label_looks import Pattern, Sign
from widgets.label_paint import SIGN, mix, paint_sign, pattern_brush

_ROW = theme.GRID * 7
_NAME = 196
_NUMBERS = 148
_BAR = theme.GRID * 3
_PERIOD, _STROKE = 6, 1


@dataclass(frozen=True, slots=True)
class FunnelBar:
    """One step as it is shown.

    Attributes:
        entered: questions that reach it.
        rule: when a question is kept, in words.
        decides: what it does not keep goes no further than this window.
        note: in the place of numbers, for a step that drops nothing; "" for others.
    """

    key: str
    name: str
    entered: int
    kept: int
    fell: int
    open: int
    rule: str
    description: str = ""
    decides: bool = False
    note: str = ""

    def in_words(self) -> str:
        """Return it for screen readers."""
        numbers = self.note or tr("{kept} kept, {fell} fell, {open} open").format(
            kept=self.kept, fell=self.fell, open=self.open
        )
        decides = tr(" This step decides what goes on.") if self.decides else ""
        return tr("{name}: {entered} reach it, {numbers}. {rule}.{decides}").format(
            name=self.name, entered=self.entered, numbers=numbers, rule=self.rule, decides=decides
        )


class _BarButton(QAbstractButton):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = FunnelBar("", "", 0, 0, 0, 0, "")
        self.most = 1
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.notifier.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_NAME + _NUMBERS + 260, _ROW)

    def minimumSizeHint(self) -> QSize:
        return QSize(_NAME + _NUMBERS + 96, _ROW)

    def show_bar(self, bar: FunnelBar, most: int) -> None:
        """Show another step; `most` is what the widest bar of the funnel stands for."""
        self.bar, self.most = bar, max(1, most)
        self.setAccessibleName(bar.in_words())
        self.setToolTip(explained(bar.name, bar.description))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme.palette()
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.isChecked() or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.selection if self.isChecked() else colours.hover)
            painter.drawRoundedRect(area, 4, 4)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colours.accent, 1.5))
            painter.drawRoundedRect(area, 4, 4)
        self._paint_names(painter, area)
        self._paint_bar(
            painter, QRectF(area.left() + _NAME, area.top(), area.width() - _NAME - _NUMBERS, area.height())
        )
        self._paint_numbers(painter, area)
        painter.end()

    def _paint_names(self, painter: QPainter, area: QRectF) -> None:
        colours, half = theme.palette(), area.height() / 2
        left, width = area.left() + theme.GRID, _NAME - theme.GRID * 1.5
        painter.setFont(theme.font(semibold=True))
        painter.setPen(colours.text)
        name = painter.fontMetrics().elidedText(self.bar.name, Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(left, area.top() + 5, width, half - 4), Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(colours.text if self.isChecked() else colours.muted)
        first = self.bar.rule.split(", ")[0]
        told = tr("{first} · decides").format(first=first) if self.bar.decides else first
        rule = painter.fontMetrics().elidedText(told, Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(left, area.top() + half, width, half - 6), Qt.AlignmentFlag.AlignVCenter, rule)

    def _paint_bar(self, painter: QPainter, area: QRectF) -> None:
        colours, bar = theme.palette(), self.bar
        scale = area.width() / self.most
        top = area.center().y() - _BAR / 2
        left = area.center().x() - bar.entered * scale / 2
        painter.setPen(QPen(colours.border, 1))
        painter.drawLine(QPointF(area.left(), area.center().y()), QPointF(area.right(), area.center().y()))
        # What falls and what is open lie on both sides, so that the kept middle stands over the next bar.
        aside = ((bar.fell, colours.error, Pattern.HATCH), (bar.open, colours.uncertain, Pattern.DOTS))
        for count, ink, pattern in aside:
            for _side in range(2):
                width = count * scale / 2
                start = left if _side == 0 else area.center().x() * 2 - left - width
                if width > 0:
                    self._fill(painter, QRectF(start, top, width, _BAR), ink, pattern)
            left += count * scale / 2
        if bar.kept:
            self._fill(painter, QRectF(left, top, bar.kept * scale, _BAR), colours.competence, Pattern.SOLID)

    def _fill(self, painter: QPainter, area: QRectF, ink: QColor, pattern: Pattern) -> None:
        colours = theme.palette()
        ground = mix(ink, colours.panel, 0.55 if pattern is Pattern.SOLID else 0.15)
        scale = self.devicePixelRatioF()
        painter.setPen(QPen(ink, 1))
        painter.setBrush(
            pattern_brush(pattern, ground, ink, round(_PERIOD * scale), max(1, round(_STROKE * scale)), scale)
        )
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5) if area.width() > 2 else area)

    def _paint_numbers(self, painter: QPainter, area: QRectF) -> None:
        colours, bar = theme.palette(), self.bar
        left, top = area.right() - _NUMBERS + theme.GRID, area.top()
        if bar.note:
            painter.setFont(theme.font(theme.POINTS - 1))
            painter.setPen(colours.text if self.isChecked() else colours.muted)
            painter.drawText(
                QRectF(left, top, _NUMBERS - theme.GRID * 2, area.height()),
                Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap,
                bar.note,
            )
            return
        painter.setFont(theme.font(semibold=True))
        painter.setPen(colours.text)
        half = area.height() / 2
        kept = tr("{kept:,} of {entered:,}").format(kept=bar.kept, entered=bar.entered)
        painter.drawText(QRectF(left, top + 5, _NUMBERS, half - 4), Qt.AlignmentFlag.AlignVCenter, kept)
        painter.setFont(theme.font(theme.POINTS - 1))
        at = left
        for count, sign, ink in ((bar.fell, Sign.CROSS, colours.error), (bar.open, Sign.RING, colours.uncertain)):
            if not count:
                continue
            paint_sign(painter, sign, QPointF(at, top + half + (half - 6 - SIGN) / 2), ink)
            painter.setPen(colours.text if self.isChecked() else colours.muted)
            width = painter.fontMetrics().horizontalAdvance(f"{count:,}") + 2
            painter.drawText(
                QRectF(at + SIGN + 3, top + half, width, half - 6), Qt.AlignmentFlag.AlignVCenter, f"{count:,}"
            )
            at += SIGN + 3 + width + theme.GRID * 1.5


class FunnelView(QWidget):
    """Steps under one another; one of them is chosen, by mouse or with the arrow keys.

    Signals:
        chosen (str): key of the step that somebody chose.
    """

    ROLE = Role.Chart

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Funnel of questions"))
        self._buttons: list[_BarButton] = []
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._column.addStretch(1)

    def show_bars(self, bars: Sequence[FunnelBar]) -> None:
        """Show these steps; the one that is chosen stays so."""
        while len(self._buttons) < len(bars):
            button = _BarButton()
            self._buttons.append(button)
            self._group.addButton(button)
            self._column.insertWidget(len(self._buttons) - 1, button)
            button.clicked.connect(lambda _on, button=button: self.chosen.emit(button.bar.key))
        most = max((one.entered for one in bars), default=0)
        for place, button in enumerate(self._buttons):
            button.setVisible(place < len(bars))
            if place < len(bars):
                button.show_bar(bars[place], most)

    def choose(self, key: str) -> None:
        """Mark a step as chosen."""
        for button in self._buttons:
            button.setChecked(button.bar.key == key)

    def current(self) -> str:
        """Return the key of the step that is chosen, or ""."""
        return next((one.bar.key for one in self._buttons if one.isChecked()), "")

    def texts(self) -> list[str]:
        """Return what screen readers are told."""
        return [one.accessibleName() for one in self._buttons if not one.isHidden()]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the step above or below with the arrow keys."""
        move = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        shown = [one for one in self._buttons if not one.isHidden()]
        at = next((place for place, one in enumerate(shown) if one.hasFocus()), None)
        if move is None or at is None or not 0 <= at + move < len(shown):
            super().keyPressEvent(event)
            return
        shown[at + move].setFocus(Qt.FocusReason.TabFocusReason)
        shown[at + move].click()
