"""Labels, buttons and tooltips for text. Text from a study, a file or a model is shown literally, never as HTML."""

import unicodedata
from html import escape
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QAbstractSpinBox, QLabel, QPushButton, QSizePolicy, QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.window_terms import in_window_terms

_MIN_WIDTH = theme.GRID * 16


class ElidedButton(QPushButton):
    """Takes as much room as its text wants, or less; the begin and the end of a path say most.

    Args:
        text: whole and as it is: an ampersand is no mark of a key.
    """

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = text
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._fit(self._full_width())

    def sizeHint(self) -> QSize:
        shown = self.fontMetrics().horizontalAdvance(self.text().replace("&&", "&"))
        return super().sizeHint() + QSize(self._full_width() - shown, 0)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().boundedTo(QSize(_MIN_WIDTH, super().sizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(self.width() - self.sizeHint().width() + self._full_width())

    def _full_width(self) -> int:
        # A text that has exactly its own width is cut by rounding.
        return self.fontMetrics().horizontalAdvance(self._whole) + 2

    def _fit(self, room: int) -> None:
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, room)
        self.setText(shown.replace("&", "&&"))


MAX_SHOWN_CHARS = 20_000
"""Characters of one text that are laid out at once; more than that would hold the window up."""

_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINERS = frozenset("\u200c\u200d\ufe0f")
"""Parts of ordinary writing: Persian, Indic scripts, joined emoji."""


def escape_control_chars(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """Return text without characters that do something: those that turn the direction, hide or ring are written out.

    What is longer than `limit` is cut, and ends with a line that says so.
    """
    said = text[:limit]
    if not said.isprintable():
        said = "".join(_escape_char(char) for char in said.replace("\r\n", "\n").replace("\u2028", "\n"))
    rest = len(text) - limit
    return tr("{said}\n… and {rest:,} more characters").format(said=said, rest=rest) if rest > 0 else said


def _escape_char(text: str) -> str:
    if text in "\n\t" or text in _JOINERS or unicodedata.category(text) not in _UNSAFE_CATEGORIES:
        return text
    return f"⟨U+{ord(text):04X}⟩"


_KEY_HEIGHT = 18
_KEY_GAP = 4.0
_STROKE_WIDTH = 10.0


def paint_key(painter: QPainter, key: str, where: QRectF) -> None:
    """Draw one cap with its letter."""
    colours = theme.palette()
    painter.setPen(colours.border)
    painter.setBrush(colours.raised)
    painter.drawRoundedRect(where.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setPen(colours.muted)
    painter.setFont(theme.font(theme.POINTS - 1.5))
    painter.drawText(where, Qt.AlignmentFlag.AlignCenter, key)


def key_height() -> int:
    """Return how high a cap is, in logical pixels."""
    return theme.scaled(_KEY_HEIGHT)


def key_width(key: str) -> float:
    """Return how wide a cap must be for its letter, in logical pixels."""
    return max(float(key_height()), QFontMetricsF(theme.font(theme.POINTS - 1.5)).horizontalAdvance(key) + 10)


class KeyCaps(QWidget):
    """Keys such as `Ctrl+Z` or `J, K, L`: one cap a key, alternatives parted by a stroke."""

    ROLE = Role.StaticText

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._alternatives = [split_keys(alternative) for alternative in keys.split(", ")]
        self.setAccessibleName(keys)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.notifier.changed.connect(self.updateGeometry)
        theme.notifier.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        caps = sum(key_width(key) + _KEY_GAP for alternative in self._alternatives for key in alternative)
        return QSize(round(caps - _KEY_GAP + _STROKE_WIDTH * (len(self._alternatives) - 1)), key_height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = 0.0
        for index, alternative in enumerate(self._alternatives):
            if index:
                painter.setPen(theme.palette().muted)
                painter.drawText(
                    QRectF(left, 0, _STROKE_WIDTH - _KEY_GAP, key_height()), Qt.AlignmentFlag.AlignCenter, "/"
                )
                left += _STROKE_WIDTH
            for key in alternative:
                paint_key(painter, key, QRectF(left, 0, key_width(key), key_height()))
                left += key_width(key) + _KEY_GAP


def split_keys(keys: str) -> list[str]:
    """Split `Ctrl+Z` into its keys; the plus key itself is written `+`, as in `Ctrl++`."""
    if keys.endswith("+"):
        return [*(key for key in keys[:-1].split("+") if key), "+"]
    return keys.split("+")


class PlainLabel(QLabel):
    """Use it for every text. Qt's own label takes whatever looks like HTML for HTML, and reads the files it names.

    It names the window's own entries where a hint names a command.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None, *, look: str = "", **properties: Any) -> None:
        """Make a label with properties of `QLabel`, such as `wordWrap`; `look` is `quiet` or `muted`."""
        super().__init__(in_window_terms(text), parent, textFormat=Qt.TextFormat.PlainText, **properties)
        if look:
            self.setProperty(look, True)

    def setText(self, text: str) -> None:
        super().setText(in_window_terms(text))


class NoteInForm(PlainLabel):
    """A text of several lines in a form, as high as they are: others get the height of a narrower text there."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, wordWrap=True)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())


_MAX_PLAIN_LINE_CHARS = 160
"""Letters of a line that Qt is let to show without a break: it breaks only lines of what is HTML to it."""


def plain_tip(text: str) -> str:
    """Return a tool tip that shows a text as it is, in lines that fit the screen; see `PlainLabel` for commands."""
    text = in_window_terms(text)
    if not GuiQt.mightBeRichText(text) and max(map(len, text.split("\n"))) <= _MAX_PLAIN_LINE_CHARS:
        return text
    lines = "<br>".join(escape(text).split("\n"))
    return f"<qt>{lines}</qt>"


def describe(widget: QWidget, name: str, tip: str) -> None:
    """Give a widget its name for screen readers and its tool tip; a number's field gets the name too."""
    widget.setAccessibleName(name)
    widget.setToolTip(plain_tip(tip))
    if isinstance(widget, QAbstractSpinBox):
        widget.lineEdit().setAccessibleName(name)


class ElidedLabel(PlainLabel):
    """Use `set_text` and `text`; what the label draws may be shorter."""

    def __init__(self, parent: QWidget | None = None, *, look: str = "", **properties: Any) -> None:
        super().__init__("", parent, look=look, **properties)
        self._whole = ""

    def set_wrapped(self, wrapped: bool) -> None:
        """Break the text into lines, or keep to one line and elide it."""
        self.setWordWrap(wrapped)
        self.updateGeometry()
        self._fit()

    def set_text(self, text: str) -> None:
        """Show a text; line breaks become spaces."""
        self._whole = in_window_terms(" ".join(text.split()))
        self.setAccessibleName(self._whole)
        self.updateGeometry()
        self._fit()

    def text(self) -> str:
        """Return the whole text."""
        return self._whole

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self._whole) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height() if self.wordWrap() else super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self.wordWrap():
            self.setText(self._whole)
            self.setToolTip("")
            return
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        self.setText(shown)
        self.setToolTip(plain_tip(self._whole) if shown != self._whole else "")


_SEMIBOLD_TAGS = {"<b>": '<span style="font-weight:600">', "</b>": "</span>"}


def semibold(html: str) -> str:
    """Return rich text whose bold is the bundled semibold; Qt would smear one that is bolder, because there is none."""
    for tag, instead in _SEMIBOLD_TAGS.items():
        html = html.replace(tag, instead)
    return html


def definition_tooltip(name: str, definition: str, key: str = "", examples: tuple[str, ...] = ()) -> str:
    """Return a tooltip: a name with its key, the definition, and examples."""
    parts = [f"<b>{_escape(name)}</b>" + (f" ({_escape(key)})" if key else "")]
    parts += [_escape(text) for text in (definition, *(f"“{example}”" for example in examples)) if text]
    return semibold(f"<qt>{'<br>'.join(parts)}</qt>")


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class RichLabel(QLabel):
    """Shows rich text. The caller escapes all of it that is not the program's own (`html.escape`)."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, look: str = "", **properties: Any) -> None:
        """Make a label with properties of `QLabel`, such as `wordWrap`; `look` is `quiet` or `muted`."""
        super().__init__(semibold(text), parent, textFormat=Qt.TextFormat.RichText, **properties)
        if look:
            self.setProperty(look, True)

    def setText(self, text: str) -> None:
        super().setText(semibold(text))
