"""The columns of the answer table: their data, and the widgets for head, cells and foot.

Model text is never interpreted as HTML.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from textwrap import fill
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.form.controls import Do, push_button
from widgets.form.layouts import FlowLayout, make_column, make_row
from widgets.labels import LabelChip, LabelLook
from widgets.text_labels import PlainLabel, describe, escape_control_chars, plain_tip
from widgets.theme import pixmap


class JudgmentColumnState(StrEnum):
    """How far a judge is with a segment."""

    ANSWERED = "answered"
    NOT_ASKED = "not asked"
    WAITING = "waiting"
    ASKING = "asking"
    HIDDEN = "hidden"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    ERROR = "error"
    NOT_SENT = "not sent"
    PERSON = "person"


PENDING_STATES = frozenset({JudgmentColumnState.WAITING, JudgmentColumnState.ASKING})
FAILED_STATES = frozenset(
    {JudgmentColumnState.UNPARSED, JudgmentColumnState.REFUSED, JudgmentColumnState.ERROR, JudgmentColumnState.NOT_SENT}
)


class ColumnPairPosition(StrEnum):
    """Whether a column and the next to it are one judge, with the footage raw and anonymized."""

    NONE = ""
    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True)
class LabelCell:
    """A label, and the people who say the same or something else."""

    look: LabelLook
    agrees: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChoiceChip:
    """One choice; `is_shared` where half of the people made it, or of all columns where no person says anything."""

    text: str
    is_shared: bool


@dataclass(frozen=True, slots=True)
class Chips:
    """The choices of a field; none is an answer too."""

    chips: tuple[ChoiceChip, ...]


@dataclass(frozen=True, slots=True)
class TextCell:
    """A text or a number; `differs` where another column says something else."""

    text: str
    differs: bool = False


Cell = LabelCell | Chips | TextCell | None


@dataclass(frozen=True, slots=True)
class RowHead:
    """A row of the table; `differs` where the columns do not say the same."""

    key: str
    name: str
    differs: bool = False


@dataclass(frozen=True, slots=True)
class JudgmentColumn:
    """What one judge or person says.

    Attributes:
        key: tells columns apart.
        subtitle: backend and model, or what a person's column is.
        condition: what the judge saw: `Raw`, or the name of a rendering; "" for people.
        said: a line about the state: why it is hidden, what went wrong.
        cells: one a row, by its key; a row that is missing has no answer.
        reasoning: what the model wrote before its answer.
        facts: time, tokens, cost, whether it was cached or repaired, a line each.
        judgment_id: what is shown; "" where there is none.
        judge_id: who can be asked again; "" for people.
        own_condition: id of the condition, for asking again.
        adoptable: rows whose words can be taken over into one's own form.
    """

    key: str
    name: str
    subtitle: str
    state: JudgmentColumnState
    condition: str = ""
    said: str = ""
    cells: dict[str, Cell] = field(default_factory=dict)
    reasoning: str = ""
    facts: tuple[str, ...] = ()
    judgment_id: str = ""
    judge_id: str = ""
    own_condition: str = ""
    pair: ColumnPairPosition = ColumnPairPosition.NONE
    adoptable: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class JudgmentTable:
    """Everything that is said about a segment."""

    rows: tuple[RowHead, ...]
    columns: tuple[JudgmentColumn, ...]


DIFFERS = "≠"
AGREES = "="
MAX_CELL_HEIGHT = 176
"""Pixels of a text; longer ones scroll within their column."""
_CHIP_HEIGHT = 20
"""Letters of a chip; longer ones take a second line."""
_MAX_MEASURED_CHARS = 3_000
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
        self.setPlainText(escape_control_chars(text))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        text = self.toPlainText()
        if len(text) > _MAX_MEASURED_CHARS:
            return MAX_CELL_HEIGHT
        flags = Qt.TextFlag.TextWrapAnywhere if " " not in text else Qt.TextFlag.TextWordWrap
        needed = self.fontMetrics().boundingRect(0, 0, max(40, width - 12), 100_000, int(flags), text).height()
        return min(MAX_CELL_HEIGHT, needed + 6)

    def sizeHint(self) -> QSize:
        return QSize(160, self.heightForWidth(160))


class _ChipLabel(PlainLabel):
    """A choice; one that most people did not make has a broken edge and a sign."""

    def __init__(self, chip: ChoiceChip) -> None:
        self._shared = chip.is_shared
        said = chip.text if self._shared else tr("{text}, most people did not choose it").format(text=chip.text)
        super().__init__(
            fill(escape_control_chars(chip.text if self._shared else f"{DIFFERS} {chip.text}", 200), _CHIP_HEIGHT),
            font=theme.font(theme.POINTS - 0.5, semibold=not self._shared),
            accessibleName=said,
            toolTip="" if self._shared else tr("Most people did not choose it"),
        )
        self.setContentsMargins(7, 2, 7, 2)

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


class _ChipFlow(QWidget):
    """Chips in rows."""

    def __init__(self, chips: Chips, name: str) -> None:
        super().__init__()
        flow = FlowLayout(self)
        for chip in chips.chips:
            flow.addWidget(_ChipLabel(chip))
        if not chips.chips:
            flow.addWidget(make_quiet_label(tr("None")))
        self.setAccessibleName(f"{name}: {', '.join(chip.text for chip in chips.chips) or 'none'}")


class _VerdictCell(QWidget):
    """The chip of a label, and who of the people agrees."""

    def __init__(self, verdict: LabelCell) -> None:
        super().__init__()
        chip = LabelChip()
        chip.set_look(verdict.look)
        column = make_column((chip, Qt.AlignmentFlag.AlignLeft), spacing=2)
        self.setLayout(column)
        if verdict.agrees:
            column.addWidget(
                _make_people_label(f"{AGREES} {', '.join(verdict.agrees)}", "competence", tr("Agrees with"))
            )
        if verdict.differs:
            column.addWidget(
                _make_people_label(f"{DIFFERS} {', '.join(verdict.differs)}", "uncertain", tr("Differs from"))
            )
        column.addStretch()


def cell_widget(cell: Cell, name: str) -> QWidget:
    """Return what shows an answer; `name` says to a screen reader whose and which it is."""
    match cell:
        case LabelCell():
            return _VerdictCell(cell)
        case Chips():
            return _ChipFlow(cell, name)
        case TextCell():
            text = f"{DIFFERS} {cell.text}" if cell.differs else cell.text
            return WordsCell(text, tr("{name}, differs").format(name=name) if cell.differs else name)
        case None:
            nothing = make_quiet_label("–")  # noqa: RUF001 nothing is there
            nothing.setAccessibleName(tr("{name}: nothing").format(name=name))
            return nothing


def make_quiet_label(text: str) -> QLabel:
    """Return a line in grey, as plain text, that wraps and gives way."""
    label = PlainLabel(
        escape_control_chars(text, 2_000), wordWrap=True, look="quiet", alignment=Qt.AlignmentFlag.AlignTop
    )
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    label.setMinimumWidth(24)
    return label


def _make_people_label(text: str, colour: str, meaning: str) -> QLabel:
    label = make_quiet_label(text)
    label.setStyleSheet(f"color: {getattr(theme.palette(), colour).name()};")
    describe(label, f"{meaning} {text[2:]}", f"{meaning} {text[2:]}")
    return label


class ColumnFoot(QWidget):
    """Time, tokens, cost, and buttons.

    Signals:
        retry_requested (JudgmentColumn)
        cancel_requested (JudgmentColumn)
        inspect_requested (JudgmentColumn): show what was sent.
        raw_requested (JudgmentColumn): show every character that came back.
    """

    retry_requested = Signal(object)
    cancel_requested = Signal(object)
    inspect_requested = Signal(object)
    raw_requested = Signal(object)

    def __init__(self, column: JudgmentColumn) -> None:
        super().__init__()
        box = make_column(spacing=theme.GRID // 2)
        self.setLayout(box)
        if column.facts:
            facts = make_quiet_label("\n".join(column.facts))
            facts.setAccessibleName(f"{column.name}: {', '.join(column.facts)}")
            box.addWidget(facts)
        flow = FlowLayout()
        if column.judge_id:
            if column.state in PENDING_STATES:
                flow.addWidget(
                    _make_button(
                        tr("Cancel"),
                        tr("Stop asking {name}").format(name=column.name),
                        lambda: self.cancel_requested.emit(column),
                    )
                )
            else:
                word = tr("Ask") if not column.judgment_id else tr("Ask again")
                hint = tr("Ask {name} {words}").format(
                    name=column.name,
                    words=tr("about this segment") if word == "Ask" else tr("again, and not the cache"),
                )
                flow.addWidget(_make_button(word, hint, lambda: self.retry_requested.emit(column)))
        if column.judgment_id and column.state is not JudgmentColumnState.HIDDEN:
            flow.addWidget(
                _make_button(
                    tr("Sent…"),
                    tr("Show what was sent to {name}").format(name=column.name),
                    lambda: self.inspect_requested.emit(column),
                )
            )
            flow.addWidget(
                _make_button(
                    tr("Raw…"),
                    tr("Show the raw answer of {name}").format(name=column.name),
                    lambda: self.raw_requested.emit(column),
                )
            )
        # Below, so that the buttons of all columns stand on one line.
        box.addStretch()
        if flow.count():
            box.addLayout(flow)


def _make_button(text: str, meaning: str, do: Do) -> QPushButton:
    return push_button(text, meaning, do, name=meaning, look="segment")


STATES = {
    JudgmentColumnState.ANSWERED: ("circle-check", "competence", tr("Answered")),
    JudgmentColumnState.NOT_ASKED: ("circle-dashed", "muted", tr("Not asked yet")),
    JudgmentColumnState.WAITING: ("circle-dashed", "muted", tr("Waits for its turn")),
    JudgmentColumnState.ASKING: ("loader", "accent", tr("Is being asked")),
    JudgmentColumnState.HIDDEN: ("lock", "uncertain", tr("Hidden until your own is saved")),
    JudgmentColumnState.UNPARSED: ("triangle-alert", "uncertain", tr("Unparsed: the answer cannot be read")),
    JudgmentColumnState.REFUSED: ("circle-x", "error", tr("Refused to answer")),
    JudgmentColumnState.ERROR: ("circle-alert", "error", tr("Error")),
    JudgmentColumnState.NOT_SENT: ("lock", "error", tr("Not sent")),
    JudgmentColumnState.PERSON: ("pencil", "muted", tr("A person")),
}
"""State -> icon, colour and words."""


class ColumnHead(QFrame):
    """Stays in sight while the answers are scrolled."""

    def __init__(self, column: JudgmentColumn) -> None:
        super().__init__()
        self.setObjectName("head")
        colours = theme.palette()
        edge = colours.accent if column.pair is not ColumnPairPosition.NONE else colours.border
        self.setStyleSheet(f"#head {{ background: {colours.panel.name()}; border-top: 2px solid {edge.name()}; }}")
        name = _ElidedAnswer(column.name, font=theme.font(semibold=True))
        box = make_column(name, margin=theme.GRID // 2, spacing=1)
        self.setLayout(box)
        if column.subtitle:
            box.addWidget(_ElidedAnswer(column.subtitle, look="quiet"))
        if column.condition:
            sign = "⇄ " if column.pair is not ColumnPairPosition.NONE else ""
            condition = _ElidedAnswer(f"{sign}{column.condition}")
            condition.setAccessibleName(tr("Saw: {condition}").format(condition=column.condition))
            if column.pair is not ColumnPairPosition.NONE:
                condition.setToolTip(tr("The same judge, with the footage raw and anonymized, side by side"))
            box.addWidget(condition)
        box.addLayout(self._state(column))
        if column.said:
            said = make_quiet_label(column.said)
            if column.state in FAILED_STATES:
                said.setStyleSheet(f"color: {colours.error.name()};")
            said.setMaximumHeight(said.fontMetrics().lineSpacing() * 5)
            said.setToolTip(plain_tip(escape_control_chars(column.said, 2_000)))
            box.addWidget(said)
        box.addStretch()
        words = STATES[column.state][2]
        self.setAccessibleName(
            ", ".join(text for text in (column.name, column.subtitle, column.condition, words) if text)
        )

    def _state(self, column: JudgmentColumn) -> QHBoxLayout:
        picture, colour, words = STATES[column.state]
        ink = getattr(theme.palette(), colour)
        icon = PlainLabel()
        icon.setPixmap(pixmap(picture, 14, ink, self.devicePixelRatioF()))
        text = make_quiet_label(words)
        text.setStyleSheet(f"color: {ink.name()};")
        return make_row((icon, Qt.AlignmentFlag.AlignTop), text, 1, spacing=4)


class _ElidedAnswer(PlainLabel):
    """A line that ends with dots where there is no room; its tooltip and its name for screen readers have all of it."""

    def __init__(self, text: str, **properties: Any) -> None:
        self._whole = escape_control_chars(" ".join(text.split()), 200)
        super().__init__(self._whole, **properties)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(24)
        describe(self, self._whole, self._whole)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width()))


class Fold(QWidget):
    """A button that unfolds a text below itself.

    Signals:
        toggled (bool): the text is shown, or folded away.
    """

    toggled = Signal(bool)

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        self._text, self._name = text, name
        self._cell: WordsCell | None = None
        self.button = push_button(
            "", tr("What the model wrote before its answer"), name=name, look="segment", checkable=True
        )
        self.button.toggled.connect(self._set_expanded)
        self._column = make_column(self.button, spacing=2)
        self.setLayout(self._column)
        self._update_button(False)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        height = self.button.sizeHint().height()
        return height if self._cell is None else height + 2 + self._cell.heightForWidth(width)

    def _set_expanded(self, on: bool) -> None:
        if on and self._cell is None:
            self._cell = WordsCell(self._text, self._name)
            self._column.addWidget(self._cell, 1)
        elif not on and self._cell is not None:
            self._cell.deleteLater()
            self._cell = None
        self._update_button(on)
        self.toggled.emit(on)

    def _update_button(self, on: bool) -> None:
        self.button.setText(tr("{arrow} {count:,} characters").format(arrow="▾" if on else "▸", count=len(self._text)))
