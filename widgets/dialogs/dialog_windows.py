"""Base classes of dialogs: questions, choices, a line of text, and the rows of buttons.

Each dialog belongs to the window it was opened from and stays in front of it.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.form.controls import line_edit, push_button, tool_button
from widgets.form.layouts import Gap, fit_width, make_column, make_row
from widgets.text_labels import PlainLabel
from widgets.theme import icon


def close_button(part: QWidget) -> QPushButton:
    """Return one for the window that a widget is, or is part of; Esc closes it too while the widget is visible."""
    button = push_button(tr("Close"), tr("Close this window (Esc)"), autoDefault=True)
    for pressed in (button.clicked, QShortcut(QKeySequence(Qt.Key.Key_Escape), part).activated):
        pressed.connect(lambda *_: part.window().close())
    return button


class DialogButtons(QHBoxLayout):
    """A note, Cancel and the button that goes on, which Enter presses. Who makes it joins `go_on`."""

    def __init__(
        self, dialog: QDialog, go_on: str, cancelled: str, *, away: str = tr("Cancel"), careful: bool = False
    ) -> None:
        """Make the row of a dialog.

        Args:
            dialog: is rejected by the button that leads away.
            go_on: text of the button that goes on.
            cancelled: what happens otherwise.
            away: text of the button that leads away.
            careful: whether Enter leads away too, because going on gives something up.
        """
        super().__init__()
        self.setSpacing(theme.GRID)
        self.note = PlainLabel(wordWrap=True, styleSheet=f"color: {theme.palette().muted.name()};")
        self.away = push_button(
            away, tr("{cancelled} (Esc)").format(cancelled=cancelled), dialog.reject, autoDefault=False
        )
        tip = go_on if careful else tr("{go_on} (Enter)").format(go_on=go_on)
        self.go_on = push_button(go_on, tip, look="careful" if careful else "primary", autoDefault=not careful)
        (self.away if careful else self.go_on).setDefault(True)
        self.addWidget(self.note, 1)
        self.addWidget(self.away)
        self.addWidget(self.go_on)


_WINDOW_FLAGS = (
    Qt.WindowType.Dialog
    | Qt.WindowType.WindowTitleHint
    | Qt.WindowType.WindowSystemMenuHint
    | Qt.WindowType.WindowMinMaxButtonsHint
    | Qt.WindowType.WindowCloseButtonHint
)


def owning_window(preferred: QWidget | None = None) -> QWidget | None:
    """Return the window that a new one belongs to: the one that is used now, else `preferred`, else the main window."""
    used = QApplication.activeModalWidget() or QApplication.activeWindow()
    if used is not None and used.windowType() is not Qt.WindowType.Popup:
        return used
    if preferred is not None:
        return preferred.window()
    return next((widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMainWindow)), None)


def attach(window: QWidget, owner: QWidget | None) -> None:
    """Make a widget a window that belongs to another; it is hidden by that, as by `QWidget.setParent`."""
    window.setParent(owner.window() if owner is not None else None, _WINDOW_FLAGS)


def change_owner(window: QWidget, owner: QWidget) -> None:
    """Let a window that is open belong to another one; a dialog that blocks other windows does not block its own.

    Nothing happens where the owner belongs to the window already: in a circle of windows Qt looks for the top for ever.
    """
    handle, of = window.windowHandle(), owner.window().windowHandle()
    if handle is not None and of is not None and handle is not of and not handle.isAncestorOf(of):
        handle.setTransientParent(of)


def bring_to_front(window: QWidget) -> None:
    """Show a window over the one that it belongs to, also where it was an icon, and let it have the keys."""
    if window.isMinimized():
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    _raise(window)


class OwnDialog(QDialog):
    """A dialog that belongs to the window that is used now, where none is named, and is in front when it is shown.

    Every dialog of the program is one.
    """

    def __init__(self, parent: QWidget | None = None, flags: Qt.WindowType = Qt.WindowType.Dialog) -> None:
        super().__init__(parent if parent is not None else owning_window(), flags)
        if self.parent() is None:
            theme.dress(self)

    def showEvent(self, event: QShowEvent) -> None:
        """Come to the front."""
        super().showEvent(event)
        _raise(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter press the button that has the keys.

        Qt would press the default button, also where somebody went to Cancel. A dialog whose default button leads away
        keeps that: Enter gives nothing up there.
        """
        button = self.focusWidget()
        if (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and isinstance(button, QPushButton)
            and not button.property("careful")
        ):
            button.click()
            return
        super().keyPressEvent(event)


class ErrorStrip(QFrame):
    """An error at the foot of the window in which it arose; it goes with the window, or when it is dismissed."""

    def __init__(self, column: QVBoxLayout) -> None:
        super().__init__()
        self._picture = PlainLabel()
        self.text = PlainLabel(wordWrap=True, accessibleName=tr("What went wrong"))
        dismiss = tool_button("x", tr("Dismiss the message"), tr("Dismiss"), self.hide)
        self.setLayout(
            make_row((self._picture, Qt.AlignmentFlag.AlignTop), self.text, 1, (dismiss, Qt.AlignmentFlag.AlignTop))
        )
        column.addWidget(self)

    def show_text(self, text: str) -> None:
        """Show it, and let a screen reader say it."""
        self._picture.setPixmap(icon("circle-alert", "error").pixmap(QSize(16, 16), self.devicePixelRatioF()))
        self.text.setText(text)
        self.text.setStyleSheet(f"color: {theme.palette().error.name()};")
        self.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # It does not come back with its window.
        self.hide()


def show_error_in(window: QWidget, text: str) -> bool:
    """Show an error at the foot of a window; returns whether there is room for it."""
    column = window.layout()
    if not isinstance(column, QVBoxLayout):
        return False
    strip = window.findChild(ErrorStrip, options=Qt.FindChildOption.FindDirectChildrenOnly) or ErrorStrip(column)
    strip.show_text(text)
    return True


def _raise(window: QWidget) -> None:
    window.raise_()
    window.activateWindow()


_QUESTION_WIDTH = 420
_ICON_PX = 24
_BULLET, _BULLET_INDENT = "• ", 20


class AgreeDialog(OwnDialog):
    """A question in plain text; Esc is a no, and so is Enter where a yes gives something up."""

    def __init__(self, title: str, question: str, button: str, parent: QWidget | None, *, careful: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        name, ink = ("triangle-alert", "uncertain") if careful else ("info", "accent")
        picture = PlainLabel(pixmap=icon(name, ink).pixmap(QSize(_ICON_PX, _ICON_PX), self.devicePixelRatioF()))
        self.buttons = DialogButtons(self, button, tr("Change nothing"), away=tr("Not now"), careful=careful)
        self.buttons.go_on.clicked.connect(self.accept)
        column = make_column(
            make_row((picture, Qt.AlignmentFlag.AlignTop), _question_layout(question), spacing=theme.GRID * 3 // 2),
            self.buttons,
            margin=theme.GRID * 2,
            spacing=theme.GRID * 2,
        )
        self.setLayout(column)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        (self.buttons.away if careful else self.buttons.go_on).setFocus()


def _question_layout(question: str) -> QVBoxLayout:
    """Lay the question out by its paragraphs; a line that begins with a dot is indented as a whole."""
    paragraphs = ([_line_row(line) for line in paragraph.split("\n")] for paragraph in question.split("\n\n"))
    return make_column(*(make_column(*rows, spacing=theme.GRID // 4) for rows in paragraphs))


def _line_row(line: str) -> QHBoxLayout:
    text = PlainLabel(line.removeprefix(_BULLET), wordWrap=True)
    if not line.startswith(_BULLET):
        text.setFixedWidth(_QUESTION_WIDTH)
        return make_row(text)
    text.setFixedWidth(_QUESTION_WIDTH - _BULLET_INDENT)
    dot = PlainLabel(_BULLET.strip())
    dot.setFixedWidth(_BULLET_INDENT - theme.GRID)
    return make_row((dot, Qt.AlignmentFlag.AlignTop), text)


_CHOICE_WIDTH = 520


class ChoiceDialog(OwnDialog):
    """A question with a button for each answer; Esc and the button at the left change nothing.

    Attributes:
        chosen: key of the button that was pressed; "" where nothing was chosen.
    """

    def __init__(
        self,
        title: str,
        question: str,
        more: str,
        choices: Sequence[tuple[str, str, str]],
        away: tuple[str, str],
        parent: QWidget | None = None,
    ) -> None:
        """Make the dialog.

        Args:
            title: of the window.
            question: in a line.
            more: what there is to know before choosing; paragraphs are apart by an empty line.
            choices: key, text and tool tip of each button; Enter presses the last.
            away: text and tool tip of the button that changes nothing.
            parent: window that it belongs to.
        """
        super().__init__(parent)
        self.chosen = ""
        self.setWindowTitle(title)
        self.setAccessibleDescription(f"{question}\n{more}")
        picture = PlainLabel(pixmap=icon("info", "accent").pixmap(QSize(_ICON_PX, _ICON_PX), self.devicePixelRatioF()))
        head = PlainLabel(question, wordWrap=True, font=theme.font(semibold=True))
        texts = make_column(head, *(PlainLabel(paragraph, wordWrap=True) for paragraph in more.split("\n\n")))
        self.away = self._button(*away, "")
        self.buttons = {key: self._button(text, tip, key) for key, text, tip in choices}
        last = self.buttons[choices[-1][0]]
        last.setProperty("primary", True)
        last.setAutoDefault(True)
        last.setDefault(True)
        column = make_column(
            make_row((picture, Qt.AlignmentFlag.AlignTop), texts, 1, spacing=theme.GRID * 3 // 2),
            None,
            make_row(self.away, None, *self.buttons.values()),
            margin=theme.GRID * 2,
            spacing=theme.GRID * 2,
        )
        self.setLayout(column)
        fit_width(self, column, max(_CHOICE_WIDTH, column.sizeHint().width()))
        last.setFocus()

    def ask(self) -> str:
        """Show it and wait; return the key that was chosen, "" for none."""
        self.exec()
        return self.chosen

    def _button(self, text: str, tip: str, key: str) -> QPushButton:
        return push_button(text, tip, lambda: self._choose(key), autoDefault=False)

    def _choose(self, key: str) -> None:
        self.chosen = key
        if key:
            self.accept()
        else:
            self.reject()


_TEXT_WIDTH = 400


class TextDialog(OwnDialog):
    """One field under the question, with the text that was there before; Enter takes it."""

    def __init__(self, title: str, question: str, before: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(_TEXT_WIDTH)
        label = PlainLabel(question)
        self.field = line_edit(title, text=before)
        self.field.setAccessibleDescription(question)
        self.field.selectAll()
        label.setBuddy(self.field)
        self.buttons = DialogButtons(self, tr("OK"), tr("Leave everything as it was"))
        self.buttons.go_on.clicked.connect(self.accept)
        self.setLayout(make_column(label, self.field, Gap(theme.GRID // 2), self.buttons, margin=theme.GRID * 2))

    def ask_text(self) -> str | None:
        """Ask, and return what was typed, without blanks around it; None where the user gave up."""
        return self.field.text().strip() if self.exec() == QDialog.DialogCode.Accepted else None
