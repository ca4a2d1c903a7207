"""The head of a column: who, with what, in which condition, and how far it is."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout

from resources.translation import tr
from widgets import theme
from widgets.icons import pixmap
from widgets.judges.cells import quiet
from widgets.judges.plain_text import plainly
from widgets.judges.shown import FAILED, Column, Pair, State
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

STATES = {
    State.ANSWERED: ("circle-check", "competence", tr("Answered")),
    State.NOT_ASKED: ("circle-dashed", "muted", tr("Not asked yet")),
    State.WAITING: ("circle-dashed", "muted", tr("Waits for its turn")),
    State.ASKING: ("loader", "accent", tr("Is being asked")),
    State.HIDDEN: ("lock", "uncertain", tr("Hidden until your own is saved")),
    State.UNPARSED: ("triangle-alert", "uncertain", tr("Unparsed: the answer cannot be read")),
    State.REFUSED: ("circle-x", "error", tr("Refused to answer")),
    State.ERROR: ("circle-alert", "error", tr("Error")),
    State.NOT_SENT: ("lock", "error", tr("Not sent")),
    State.PERSON: ("pencil", "muted", tr("A person")),
}
"""State -> icon, colour and words."""


class ColumnHead(QFrame):
    """Stays in sight while the answers are scrolled."""

    def __init__(self, column: Column) -> None:
        super().__init__()
        self.setObjectName("head")
        colours = theme.palette()
        edge = colours.accent if column.pair is not Pair.NONE else colours.border
        self.setStyleSheet(f"#head {{ background: {colours.panel.name()}; border-top: 2px solid {edge.name()}; }}")
        box = QVBoxLayout(self)
        box.setContentsMargins(theme.GRID // 2, theme.GRID // 2, theme.GRID // 2, theme.GRID // 2)
        box.setSpacing(1)
        name = _Line(column.name)
        name.setFont(theme.font(semibold=True))
        box.addWidget(name)
        if column.what:
            what = _Line(column.what)
            what.setProperty("quiet", True)
            box.addWidget(what)
        if column.condition:
            sign = "⇄ " if column.pair is not Pair.NONE else ""
            condition = _Line(f"{sign}{column.condition}")
            condition.setAccessibleName(tr("Saw: {condition}").format(condition=column.condition))
            if column.pair is not Pair.NONE:
                condition.setToolTip(tr("The same judge, with the footage raw and anonymized, side by side"))
            box.addWidget(condition)
        box.addLayout(self._state(column))
        if column.said:
            said = quiet(column.said)
            if column.state in FAILED:
                said.setStyleSheet(f"color: {colours.error.name()};")
            said.setMaximumHeight(said.fontMetrics().lineSpacing() * 5)
            said.setToolTip(plain_tip(plainly(column.said, 2_000)))
            box.addWidget(said)
        box.addStretch()
        words = STATES[column.state][2]
        self.setAccessibleName(", ".join(one for one in (column.name, column.what, column.condition, words) if one))

    def _state(self, column: Column) -> QHBoxLayout:
        picture, colour, words = STATES[column.state]
        ink = getattr(theme.palette(), colour)
        row = QHBoxLayout()
        row.setSpacing(4)
        icon = PlainLabel()
        icon.setPixmap(pixmap(picture, 14, ink, self.devicePixelRatioF()))
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        text = quiet(words)
        text.setStyleSheet(f"color: {ink.name()};")
        row.addWidget(text, 1)
        return row


class _Line(PlainLabel):
    """A line that ends with dots where there is no room; its tooltip and its name for screen readers have all of it."""

    def __init__(self, text: str) -> None:
        self._whole = plainly(" ".join(text.split()), 200)
        super().__init__(self._whole)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(24)
        self.setAccessibleName(self._whole)
        self.setToolTip(plain_tip(self._whole))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width()))
