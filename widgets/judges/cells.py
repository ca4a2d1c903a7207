"""One answer of one column: a verdict, chips, or words. Nothing of it is ever read as HTML."""

from textwrap import fill

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QTextOption
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.judges.plain_text import plainly
from widgets.judges.shown import Cell, Chip, Chips, Verdict, Words
from widgets.label_chip import LabelChip
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.segments.flow import FlowLayout

DIFFERS = "≠"
AGREES = "="
TALLEST = 176
"""Pixels of a text; longer ones scroll within their column."""
_CHIP = 20
"""Letters of a chip; longer ones take a second line."""
_MANY = 3_000
"""Characters from which on a text is as tall as it may be, without being measured."""


class WordsCell(QPlainTextEdit):
    """Plain text that wraps, scrolls, and can be selected and copied; nothing in it can be clicked."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setStyleSheet("QPlainTextEdit { border: none; border-radius: 0; padding: 0; background: transparent; }")
        self.document().setDocumentMargin(0)
        self.show_text(text)
        self.setAccessibleName(name)

    def show_text(self, text: str) -> None:
        """Show another text."""
        self.setPlainText(plainly(text))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        text = self.toPlainText()
        if len(text) > _MANY:
            return TALLEST
        flags = Qt.TextFlag.TextWrapAnywhere if " " not in text else Qt.TextFlag.TextWordWrap
        needed = self.fontMetrics().boundingRect(0, 0, max(40, width - 12), 100_000, int(flags), text).height()
        return min(TALLEST, needed + 6)

    def sizeHint(self) -> QSize:
        return QSize(160, self.heightForWidth(160))


class _ChipLabel(PlainLabel):
    """A choice; one that most people did not make has a broken edge and a sign."""

    def __init__(self, chip: Chip) -> None:
        super().__init__(fill(plainly(chip.text if chip.shared else f"{DIFFERS} {chip.text}", 200), _CHIP))
        self._shared = chip.shared
        self.setContentsMargins(7, 2, 7, 2)
        self.setFont(theme.font(theme.POINTS - 0.5, semibold=not chip.shared))
        self.setAccessibleName(
            chip.text if chip.shared else tr("{text}, most people did not choose it").format(text=chip.text)
        )
        self.setToolTip("" if chip.shared else tr("Most people did not choose it"))

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = colours.outline if self._shared else colours.uncertain
        painter.setPen(QPen(ink, 1, Qt.PenStyle.SolidLine if self._shared else Qt.PenStyle.DashLine))
        painter.setBrush(colours.raised)
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()
        super().paintEvent(event)


class _Flowing(QWidget):
    """Chips in rows."""

    def __init__(self, chips: Chips, name: str) -> None:
        super().__init__()
        flow = FlowLayout(self)
        flow.setContentsMargins(0, 0, 0, 0)
        for chip in chips.chips:
            flow.addWidget(_ChipLabel(chip))
        if not chips.chips:
            flow.addWidget(quiet(tr("None")))
        self.setAccessibleName(f"{name}: {', '.join(chip.text for chip in chips.chips) or 'none'}")


class _VerdictCell(QWidget):
    """The chip of a label, and who of the people agrees."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        chip = LabelChip()
        chip.set_look(verdict.look)
        column.addWidget(chip, 0, Qt.AlignmentFlag.AlignLeft)
        if verdict.agrees:
            column.addWidget(_with_people(f"{AGREES} {', '.join(verdict.agrees)}", "competence", tr("Agrees with")))
        if verdict.differs:
            column.addWidget(_with_people(f"{DIFFERS} {', '.join(verdict.differs)}", "uncertain", tr("Differs from")))
        column.addStretch()


def cell_widget(cell: Cell, name: str) -> QWidget:
    """Return what shows an answer; `name` says to a screen reader whose and which it is."""
    match cell:
        case Verdict():
            return _VerdictCell(cell)
        case Chips():
            return _Flowing(cell, name)
        case Words():
            text = f"{DIFFERS} {cell.text}" if cell.differs else cell.text
            return WordsCell(text, tr("{name}, differs").format(name=name) if cell.differs else name)
        case None:
            nothing = quiet("–")  # noqa: RUF001 nothing is there
            nothing.setAccessibleName(tr("{name}: nothing").format(name=name))
            return nothing


def quiet(text: str) -> QLabel:
    """Return a line in grey, as plain text, that wraps and gives way."""
    label = PlainLabel(plainly(text, 2_000), wordWrap=True)
    label.setProperty("quiet", True)
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    label.setMinimumWidth(24)
    return label


def _with_people(text: str, colour: str, meaning: str) -> QLabel:
    label = quiet(text)
    label.setStyleSheet(f"color: {getattr(theme.palette(), colour).name()};")
    label.setAccessibleName(f"{meaning} {text[2:]}")
    label.setToolTip(plain_tip(f"{meaning} {text[2:]}"))
    return label
