"""Widgets of the filter window: the funnel's bars, the questions of a step, and proposed wrong options."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QLabel,
    QSizePolicy,
    QWidget,
)

from project.entities.questions import WrongOption
from project.schemes.scheme import Pattern
from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.form.controls import check_box, push_button
from widgets.form.layouts import make_column, make_panel, make_row
from widgets.form.wheel_guard import ComboBox
from widgets.labels import SIGN_PX, Sign, mix, paint_sign, pattern_brush
from widgets.table.record_table import RecordColumn
from widgets.text_labels import PlainLabel, definition_tooltip, describe, escape_control_chars, plain_tip

_ROW_HEIGHT = theme.GRID * 7
_NAME_WIDTH = 196
_NUMBERS_WIDTH = 148
_BAR_HEIGHT = theme.GRID * 3
_PATTERN_PERIOD, _PATTERN_STROKE = 6, 1


@dataclass(frozen=True, slots=True)
class FunnelBar:
    """One step as it is shown.

    Attributes:
        entered: questions that reach it.
        rule: when a question is kept, in words.
        is_deciding: what it does not keep goes no further than this window.
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
    is_deciding: bool = False
    note: str = ""

    def accessible_text(self) -> str:
        """Return it for screen readers."""
        numbers = self.note or tr("{kept} kept, {fell} fell, {open} open").format(
            kept=self.kept, fell=self.fell, open=self.open
        )
        decides = tr(" This step decides what goes on.") if self.is_deciding else ""
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
        theme.notifier.changed.connect(self.updateGeometry)
        theme.notifier.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(_NAME_WIDTH) + theme.scaled(_NUMBERS_WIDTH) + 260, theme.scaled(_ROW_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.scaled(_NAME_WIDTH) + theme.scaled(_NUMBERS_WIDTH) + 96, theme.scaled(_ROW_HEIGHT))

    def show_bar(self, bar: FunnelBar, most: int) -> None:
        """Show another step; `most` is what the widest bar of the funnel stands for."""
        self.bar, self.most = bar, max(1, most)
        describe(self, bar.accessible_text(), definition_tooltip(bar.name, bar.description))
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
            painter,
            QRectF(
                area.left() + theme.scaled(_NAME_WIDTH),
                area.top(),
                area.width() - theme.scaled(_NAME_WIDTH) - theme.scaled(_NUMBERS_WIDTH),
                area.height(),
            ),
        )
        self._paint_numbers(painter, area)
        painter.end()

    def _paint_names(self, painter: QPainter, area: QRectF) -> None:
        colours, half = theme.palette(), area.height() / 2
        left, width = area.left() + theme.GRID, theme.scaled(_NAME_WIDTH) - theme.GRID * 1.5
        painter.setFont(theme.font(semibold=True))
        painter.setPen(colours.text)
        name = painter.fontMetrics().elidedText(self.bar.name, Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(left, area.top() + 5, width, half - 4), Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(colours.text if self.isChecked() else colours.muted)
        first = self.bar.rule.split(", ")[0]
        told = tr("{first} · decides").format(first=first) if self.bar.is_deciding else first
        rule = painter.fontMetrics().elidedText(told, Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(left, area.top() + half, width, half - 6), Qt.AlignmentFlag.AlignVCenter, rule)

    def _paint_bar(self, painter: QPainter, area: QRectF) -> None:
        colours, bar = theme.palette(), self.bar
        scale = area.width() / self.most
        top = area.center().y() - _BAR_HEIGHT / 2
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
                    self._fill(painter, QRectF(start, top, width, _BAR_HEIGHT), ink, pattern)
            left += count * scale / 2
        if bar.kept:
            self._fill(painter, QRectF(left, top, bar.kept * scale, _BAR_HEIGHT), colours.competence, Pattern.SOLID)

    def _fill(self, painter: QPainter, area: QRectF, ink: QColor, pattern: Pattern) -> None:
        colours = theme.palette()
        ground = mix(ink, colours.panel, 0.55 if pattern is Pattern.SOLID else 0.15)
        scale = self.devicePixelRatioF()
        painter.setPen(QPen(ink, 1))
        painter.setBrush(
            pattern_brush(
                pattern, ground, ink, round(_PATTERN_PERIOD * scale), max(1, round(_PATTERN_STROKE * scale)), scale
            )
        )
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5) if area.width() > 2 else area)

    def _paint_numbers(self, painter: QPainter, area: QRectF) -> None:
        colours, bar = theme.palette(), self.bar
        left, top = area.right() - theme.scaled(_NUMBERS_WIDTH) + theme.GRID, area.top()
        if bar.note:
            painter.setFont(theme.font(theme.POINTS - 1))
            painter.setPen(colours.text if self.isChecked() else colours.muted)
            painter.drawText(
                QRectF(left, top, theme.scaled(_NUMBERS_WIDTH) - theme.GRID * 2, area.height()),
                Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap,
                bar.note,
            )
            return
        painter.setFont(theme.font(semibold=True))
        painter.setPen(colours.text)
        half = area.height() / 2
        kept = tr("{kept:,} of {entered:,}").format(kept=bar.kept, entered=bar.entered)
        painter.drawText(
            QRectF(left, top + 5, theme.scaled(_NUMBERS_WIDTH), half - 4), Qt.AlignmentFlag.AlignVCenter, kept
        )
        painter.setFont(theme.font(theme.POINTS - 1))
        at = left
        for count, sign, ink in ((bar.fell, Sign.CROSS, colours.error), (bar.open, Sign.RING, colours.uncertain)):
            if not count:
                continue
            paint_sign(painter, sign, QPointF(at, top + half + (half - 6 - SIGN_PX) / 2), ink)
            painter.setPen(colours.text if self.isChecked() else colours.muted)
            width = painter.fontMetrics().horizontalAdvance(f"{count:,}") + 2
            painter.drawText(
                QRectF(at + SIGN_PX + 3, top + half, width, half - 6), Qt.AlignmentFlag.AlignVCenter, f"{count:,}"
            )
            at += SIGN_PX + 3 + width + theme.GRID * 1.5


class FunnelView(QWidget):
    """Steps under one another; one of them is chosen, by mouse or with the arrow keys.

    Signals:
        step_chosen (str): key of the step that somebody chose.
    """

    ROLE = Role.Chart

    step_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Funnel of questions"))
        self._buttons: list[_BarButton] = []
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._column = make_column(None, spacing=2)
        self.setLayout(self._column)

    def show_bars(self, bars: Sequence[FunnelBar]) -> None:
        """Show these steps; the one that is chosen stays so."""
        while len(self._buttons) < len(bars):
            button = _BarButton()
            self._buttons.append(button)
            self._group.addButton(button)
            self._column.insertWidget(len(self._buttons) - 1, button)
            button.clicked.connect(lambda _on, button=button: self.step_chosen.emit(button.bar.key))
        most = max((bar.entered for bar in bars), default=0)
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
        return next((button.bar.key for button in self._buttons if button.isChecked()), "")

    def texts(self) -> list[str]:
        """Return what screen readers are told."""
        return [button.accessibleName() for button in self._buttons if not button.isHidden()]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the step above or below with the arrow keys."""
        move = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        shown = [button for button in self._buttons if not button.isHidden()]
        at = next((place for place, bar_button in enumerate(shown) if bar_button.hasFocus()), None)
        if move is None or at is None or not 0 <= at + move < len(shown):
            super().keyPressEvent(event)
            return
        shown[at + move].setFocus(Qt.FocusReason.TabFocusReason)
        shown[at + move].click()


@dataclass(frozen=True, slots=True)
class JudgeProposal:
    """What one judge proposes; `why_not` says why all of it cannot be taken over, "" where it can."""

    key: str
    judge: str
    wrong: tuple[WrongOption, ...]
    why_not: str


class ProposalView(QWidget):
    """Two columns, a row for each pair; ticked rows are taken over.

    Signals:
        adopt_requested (str, tuple): key of the proposal, and the wrong options that the question is to have.
    """

    adopt_requested = Signal(str, tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._now: tuple[WrongOption, ...] = ()
        self._proposed: tuple[JudgeProposal, ...] = ()
        self._writable = False
        self.ticks: list[QCheckBox] = []
        self.judge = ComboBox()
        self.judge.setAccessibleName(tr("Judge whose options are shown"))
        self.judge.currentIndexChanged.connect(lambda _at: self._show())
        self.told = PlainLabel(wordWrap=True)
        self.take = push_button(
            tr(" Take over"),
            tr("Give the question the ticked options; its scores and verifications count no more then"),
            self._request_adoption,
            icon="check",
        )
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(theme.GRID * 2)
        self._grid.setVerticalSpacing(theme.GRID // 2)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        self.setLayout(make_column(make_row(self.judge, self.told, 1, self.take), self._grid, spacing=theme.GRID // 2))

    def show_proposals(self, now: Sequence[WrongOption], proposed: Sequence[JudgeProposal], *, writable: bool) -> None:
        """Show what a question has, and what judges propose for it."""
        self._now, self._proposed, self._writable = tuple(now), tuple(proposed), writable
        chosen = self.judge.currentText()
        self.judge.blockSignals(True)
        self.judge.clear()
        self.judge.addItems([proposal.judge for proposal in proposed])
        self.judge.setCurrentIndex(max(0, self.judge.findText(chosen)))
        self.judge.blockSignals(False)
        self._show()

    def selected_options(self) -> tuple[WrongOption, ...]:
        """Return the wrong options that the question would have with what is ticked."""
        shown = self._current_proposal()
        if shown is None:
            return self._now
        pairs = zip(self._now, shown.wrong, self.ticks, strict=False)
        changed = [new if tick.isChecked() else old for old, new, tick in pairs]
        return (*changed, *self._now[len(changed) :])

    def _current_proposal(self) -> JudgeProposal | None:
        at = self.judge.currentIndex()
        return self._proposed[at] if 0 <= at < len(self._proposed) else None

    def _show(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (gone := item.widget()) is not None:
                gone.setParent(None)
                gone.deleteLater()
        self.ticks = []
        shown = self._current_proposal()
        self.judge.setVisible(shown is not None)
        self.take.setVisible(shown is not None)
        self.told.setText(
            tr("No judge proposed anything for this question as it is now.") if shown is None else shown.why_not
        )
        if shown is None:
            return
        for column, title in enumerate((tr("It has"), tr("{judge} proposes").format(judge=shown.judge))):
            label = PlainLabel(title, font=theme.font(semibold=True))
            self._grid.addWidget(label, 0, column)
        for row, (old, new) in enumerate(zip(self._now, shown.wrong, strict=False), 1):
            self._grid.addWidget(_option_label(old), row, 0)
            tick = check_box(
                "",
                tr("Take this one over in the place of the one on its left"),
                name=tr("Take over: {text}").format(text=escape_control_chars(new.text)),
                checked=not shown.why_not,
                enabled=self._writable,
            )
            tick.toggled.connect(lambda _on: self._enable())
            line = make_row((tick, Qt.AlignmentFlag.AlignTop), _option_label(new), 1)
            self._grid.addWidget(make_panel(line), row, 1)
            self.ticks.append(tick)
        self._enable()

    def _enable(self) -> None:
        self.take.setEnabled(self._writable and any(tick.isChecked() for tick in self.ticks))

    def _request_adoption(self) -> None:
        shown = self._current_proposal()
        if shown is not None:
            self.adopt_requested.emit(shown.key, self.selected_options())


def _option_label(wrong_option: WrongOption) -> QLabel:
    likely = "" if wrong_option.plausibility is None else f" ({wrong_option.plausibility})"
    label = PlainLabel(f"{escape_control_chars(wrong_option.text)}{likely}", wordWrap=True)
    if wrong_option.plausibility is not None:
        label.setToolTip(
            plain_tip(tr("Plausibility {plausibility} of 100").format(plausibility=wrong_option.plausibility))
        )
    return label


_VERDICT_ICONS = {"kept": "circle-check", "fell": "circle-x", "open": "circle-dashed"}


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One question: `verdict` is `kept`, `fell` or `open`; texts hold nothing that acts."""

    key: str
    verdict: str
    reason: str
    kind: str
    text: str


VERDICT_COLUMNS: list[RecordColumn[VerdictRow]] = [
    RecordColumn("", lambda row: row.verdict, width=72, icon=lambda row: _VERDICT_ICONS[row.verdict]),
    RecordColumn(tr("Why"), lambda row: row.reason, width=200),
    RecordColumn(tr("Kind"), lambda row: row.kind, width=64),
    RecordColumn(tr("Question"), lambda row: row.text, stretch=True),
]
