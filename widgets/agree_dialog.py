"""Asks for a yes, on a button that says to what."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.icons import icon
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel

_TEXT_WIDTH = 420
_ICON = 24
_DOT, _INDENT = "• ", 20


class AgreeDialog(OwnDialog):
    """A question in plain text; Esc is a no, and so is Enter where a yes gives something up."""

    def __init__(self, title: str, question: str, button: str, parent: QWidget | None, *, careful: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID * 3 // 2)
        picture = PlainLabel()
        name, ink = ("triangle-alert", "uncertain") if careful else ("info", "accent")
        picture.setPixmap(icon(name, ink).pixmap(QSize(_ICON, _ICON), self.devicePixelRatioF()))
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(_words(question))
        column.addLayout(row)
        self.buttons = DialogButtons(self, button, tr("Change nothing"), away=tr("Not now"), careful=careful)
        self.buttons.go_on.clicked.connect(self.accept)
        column.addLayout(self.buttons)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        (self.buttons.away if careful else self.buttons.go_on).setFocus()


def _words(question: str) -> QVBoxLayout:
    """Lay the question out by its paragraphs; a line that begins with a dot is indented as a whole."""
    column = QVBoxLayout()
    column.setSpacing(theme.GRID)
    for paragraph in question.split("\n\n"):
        lines = QVBoxLayout()
        lines.setSpacing(theme.GRID // 4)
        for line in paragraph.split("\n"):
            row = QHBoxLayout()
            row.setSpacing(theme.GRID)
            dotted = line.startswith(_DOT)
            text = PlainLabel(line.removeprefix(_DOT), wordWrap=True)
            text.setFixedWidth(_TEXT_WIDTH - (_INDENT if dotted else 0))
            if dotted:
                dot = PlainLabel(_DOT.strip())
                dot.setFixedWidth(_INDENT - theme.GRID)
                row.addWidget(dot, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(text)
            lines.addLayout(row)
        column.addLayout(lines)
    return column
