"""The line at the foot of the window.

It shows the latest message, whether everything is saved, and the egress policy.
"""

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from project.entities.egress_policy import EgressLevel
from project.errors import UserError
from resources.translation import tr
from widgets import theme
from widgets.form.controls import push_button, tool_button
from widgets.form.layouts import Gap, make_row
from widgets.text_labels import ElidedLabel, PlainLabel, describe
from widgets.theme import icon, pixmap
from widgets.window_terms import in_window_terms

_POLICY_INKS = {EgressLevel.NOTHING: "muted", EgressLevel.ANONYMIZED: "uncertain", EgressLevel.RAW: "on_accent"}
_POLICY_ICONS = {
    EgressLevel.NOTHING: "shield-check",
    EgressLevel.ANONYMIZED: "shield-check",
    EgressLevel.RAW: "triangle-alert",
}


class PolicyBadge(QToolButton):
    """Quiet while nothing leaves, amber where reviewed renderings may, and filled with red where raw footage may."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = EgressLevel.NOTHING
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(16, 16))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        # Space plays and pauses wherever the focus is; by key, the window is opened from the menu.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        theme.notifier.changed.connect(self._tint)

    def show_level(self, level: EgressLevel, text: str, tooltip: str) -> None:
        """Say what may leave.

        Args:
            level: of the policy.
            text: in a few words.
            tooltip: what that means, and what a click does.
        """
        self._level = level
        self.setText(text)
        describe(self, tr("Policy: {text}").format(text=text), tooltip)
        self._tint()

    def _tint(self) -> None:
        colours = theme.palette()
        loud = self._level is EgressLevel.RAW
        ink = getattr(colours, _POLICY_INKS[self._level])
        self.setIcon(icon(_POLICY_ICONS[self._level], _POLICY_INKS[self._level]))
        self.setFont(theme.font(semibold=loud))
        ground = colours.error.name() if loud else "transparent"
        over = colours.error.darker(115).name() if loud else colours.hover.name()
        self.setStyleSheet(
            f"QToolButton {{ color: {ink.name()}; background: {ground}; border: none; border-radius: 4px;"
            f" padding: 2px {theme.GRID}px; }} QToolButton:hover {{ background: {over}; }}"
        )


_INFO_MS = 6000
_MS_PER_LETTER = 60
"""How long somebody needs to read a letter: a long text stays longer."""
_BAR_HEIGHT = theme.GRID * 4
_MAX_TEXT_HEIGHT = theme.GRID * 20
"""Height of the lines of a message at most; a longer one is whole in the tooltip."""


class MessageLevel(StrEnum):
    """How much a message matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


_MESSAGE_ICONS = {
    MessageLevel.INFO: "info",
    MessageLevel.WARNING: "triangle-alert",
    MessageLevel.ERROR: "circle-alert",
}


class _MessageText(QWidget):
    """A text and a hint: in one line, else in lines below each other.

    Signals:
        height_requested (int): the lines need another height, 0 for one line.
    """

    height_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.text, self.hint = ElidedLabel(), ElidedLabel()
        self._wanted = 0
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.text)
        self._row.addWidget(self.hint, 1)
        self.most = 0
        """Height that there is room for."""
        self._arrange(wrapped=False)

    def show_texts(self, text: str, hint: str) -> None:
        """Show both; line breaks become spaces."""
        self.text.set_text(text)
        self.hint.set_text(hint)
        self.fit_lines()

    def fit_lines(self) -> None:
        """Break the lines where they do not fit into one, and there is room."""
        labels = [label for label in (self.text, self.hint) if label.text()]
        needed = sum(label.sizeHint().width() for label in labels) + theme.GRID * (len(labels) - 1)
        lines = 0 if needed <= self.width() else sum(_wrapped_height(label, self.width()) for label in labels)
        self._arrange(wrapped=0 < lines <= self.most)
        self._wanted = lines if lines <= self.most else 0
        self.height_requested.emit(self._wanted)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_lines()

    def _arrange(self, *, wrapped: bool) -> None:
        kind = QSizePolicy.Policy
        self._row.setDirection(
            QBoxLayout.Direction.TopToBottom if wrapped else QBoxLayout.Direction.LeftToRight,
        )
        self._row.setSpacing(0 if wrapped else theme.GRID)
        self.text.setSizePolicy(kind.Preferred if wrapped else kind.Maximum, kind.Preferred)
        for label in (self.text, self.hint):
            label.set_wrapped(wrapped)
        # In one line it takes the room that is left, also where it is empty.
        self.hint.setVisible(not wrapped or bool(self.hint.text()))


def _wrapped_height(label: ElidedLabel, width: int) -> int:
    """Return how high a text is that is broken into lines, in pixels."""
    room = QRect(0, 0, width, _MAX_TEXT_HEIGHT * 100)
    return label.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap), label.text()).height()


class MessageBar(QWidget):
    """Shows one message at a time and stops nobody; the newest replaces the one before.

    An info goes by itself; a warning or an error stays until it is dismissed, by Esc or its button. A text that does
    not fit into the line is broken, and the bar grows for it.

    Signals:
        action_chosen (str): the key that was given with the message's button, such as `locate`.
        dismissed: the user closed the message.
        policy_clicked: somebody wants to know more about what may leave this machine.
    """

    action_chosen = Signal(str)
    dismissed = Signal()
    policy_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = MessageLevel.INFO
        self._buttons: list[QPushButton] = []
        self.setAccessibleName(tr("Messages"))
        self._fit_height(0)
        self._picture = PlainLabel()
        self._texts = _MessageText()
        self._texts.height_requested.connect(self._fit_height)
        theme.notifier.changed.connect(self._texts.fit_lines)
        self._text, self._hint = self._texts.text, self._texts.hint
        self._actions = make_row(spacing=theme.GRID // 2)
        self._close = tool_button("x", tr("Dismiss the message"), tr("Dismiss (Esc)"), self.dismiss, side=14)
        self._lock = PlainLabel()
        describe(
            self._lock,
            tr("This study is encrypted"),
            tr(
                "This study is encrypted, and so are its backups.\n"
                "File > Change the passphrase…, or File > Decrypt study…"
            ),
        )
        self._lock.hide()
        self._saved = PlainLabel()
        # A label's text stands a pixel lower than that of the button beside it.
        self._saved.setContentsMargins(0, 0, 0, 2)
        self._policy = PolicyBadge()
        self._policy.clicked.connect(self.policy_clicked)
        self.setLayout(
            make_row(
                self._picture,
                self._texts,
                1,
                self._actions,
                self._close,
                Gap(theme.GRID),
                self._lock,
                self._saved,
                Gap(theme.GRID),
                self._policy,
                margin=(theme.GRID * 3 // 2, 0, theme.GRID * 3 // 2, 0),
            )
        )
        self._timer = QTimer(self, singleShot=True, interval=_INFO_MS)
        self._timer.timeout.connect(self.clear)
        theme.notifier.changed.connect(self._tint)
        self.set_saved(tr("Saved"))
        self.set_policy(EgressLevel.NOTHING, tr("Nothing leaves this machine"))
        self.clear()
        self._tint()

    @property
    def level(self) -> MessageLevel:
        """How much the message that is shown, or was shown last, matters."""
        return self._level

    def show_message(
        self,
        text: str,
        level: MessageLevel = MessageLevel.INFO,
        hint: str = "",
        action: tuple[str, str] | None = None,
        more: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Show a line.

        Args:
            text: what happened.
            level: info, warning or error.
            hint: what to do next.
            action: key and text of a button, such as `("locate", "Locate…")`.
            more: further buttons.
        """
        self._level = level
        text, hint = in_window_terms(text), in_window_terms(hint)
        self._drop_buttons()
        for key, label in (*([action] if action else ()), *more):
            self._add_button(key, label)
        self._picture.show()
        self._close.show()
        self._show_texts(text, hint)
        self.setAccessibleDescription(f"{level.capitalize()}: {text} {hint}".strip())
        self._tint()
        if level == MessageLevel.INFO and not action:
            self._timer.start(max(_INFO_MS, _MS_PER_LETTER * len(text + hint)))
        else:
            self._timer.stop()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleDescription()))

    def show_error(self, error: UserError, action: tuple[str, str] | None = None) -> None:
        """Show an error of the user's with its hint."""
        self.show_message(error.message, MessageLevel.ERROR, error.hint, action)

    def message(self) -> str:
        """Return the text shown, or an empty one."""
        return self._text.text()

    def hint(self) -> str:
        """Return the hint shown, or an empty one."""
        return self._hint.text()

    def dismiss(self) -> None:
        """Close the message because the user wants it gone; does nothing where there is none."""
        if self.message():
            self.clear()
            self.dismissed.emit()

    def clear(self) -> None:
        """Show no message."""
        self._timer.stop()
        self._show_texts("", "")
        self._drop_buttons()
        for part in (self._picture, self._close):
            part.hide()
        self.setAccessibleDescription("")

    def set_saved(self, text: str) -> None:
        """Say how things stand with the file: `Saved`, `Read-only`, ..."""
        self._saved.setText(text)

    def set_encrypted(self, encrypted: bool) -> None:
        """Show a lock where the study is encrypted on the disk."""
        self._lock.setVisible(encrypted)

    def set_policy(self, level: EgressLevel, text: str, tooltip: str = "") -> None:
        """Say what may leave this machine; raw footage is shown in a colour that cannot be overlooked."""
        self._policy.show_level(level, text, tooltip or text)

    def policy(self) -> str:
        """Return what is said to leave this machine."""
        return self._policy.text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._texts.most = self._available_height()

    def _show_texts(self, text: str, hint: str) -> None:
        self._texts.most = self._available_height()
        self._texts.show_texts(text, hint)

    def _available_height(self) -> int:
        """Return how high the lines may be, so that the window does not grow."""
        parent = self.parentWidget()
        layout = parent.layout() if parent is not None else None
        if parent is None or layout is None:
            return _MAX_TEXT_HEIGHT
        others = layout.totalMinimumSize().height() - self.minimumHeight()
        return min(_MAX_TEXT_HEIGHT, parent.height() - others - theme.GRID)

    def _add_button(self, key: str, label: str) -> None:
        button = push_button(label, label, lambda: self._choose_action(key), look="flat")
        self._actions.addWidget(button)
        self._buttons.append(button)

    def _drop_buttons(self) -> None:
        for button in self._buttons:
            self._actions.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons.clear()

    def _choose_action(self, key: str) -> None:
        self.clear()
        self.action_chosen.emit(key)

    def _fit_height(self, lines: int) -> None:
        self.setFixedHeight(max(theme.scaled(_BAR_HEIGHT), lines + theme.GRID))

    def _tint(self) -> None:
        colours = theme.palette()
        tint = {
            MessageLevel.INFO: colours.accent,
            MessageLevel.WARNING: colours.uncertain,
            MessageLevel.ERROR: colours.error,
        }[self._level]
        self._picture.setPixmap(pixmap(_MESSAGE_ICONS[self._level], 16, tint, self.devicePixelRatioF()))
        self._lock.setPixmap(pixmap("lock", 14, colours.muted, self.devicePixelRatioF()))
        for quiet in (self._hint, self._saved):
            quiet.setStyleSheet(f"color: {colours.muted.name()};")
