"""Lists and menus of things to tick, and buttons that open them and say what is ticked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHeaderView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QStylePainter,
    QToolTip,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from project.schemes.scheme import FieldChoice
from resources.translation import tr
from widgets import theme
from widgets.form.layouts import make_row
from widgets.text_labels import KeyCaps, definition_tooltip, describe, key_height, plain_tip

_TICK_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class StayingMenu(QMenu):
    """Ticks what is clicked or chosen by key, and stays; what cannot be ticked closes it as ever."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._tick_current():
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in _TICK_KEYS or not self._tick_current():
            super().keyPressEvent(event)

    def _tick_current(self) -> bool:
        action = self.activeAction()
        if action is None or not action.isCheckable() or not action.isEnabled():
            return False
        action.trigger()
        return True


_MAX_NAMES_SHOWN = 2
_BUTTON_PADDING = 44
"""Pixels of a button for its edges and its arrow."""


@dataclass(frozen=True, slots=True)
class TickMenuItem:
    """One thing to tick; `hint` says why it is as it is, and what can be done with it stands in a menu of its own."""

    key: str
    name: str
    hint: str = ""


class _TickButton(QPushButton):
    """Opens a list of things to tick, and says what is ticked.

    Signals:
        changed: other things are ticked.
    """

    changed = Signal()

    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(title, parent)
        self._title = title
        self._chosen: set[str] = set()
        self._list = StayingMenu(self)
        self._list.aboutToShow.connect(self._fill)
        self.setMenu(self._list)
        self.setProperty("filter", True)

    def set_ticked(self, keys: Iterable[str]) -> None:
        """Tick exactly these."""
        wanted = set(keys)
        if wanted != self._chosen:
            self._chosen = wanted
            self.changed.emit()
        self._update_text()

    def _update_text(self) -> None:
        raise NotImplementedError

    def _fill(self) -> None:
        raise NotImplementedError

    def _fill_with(self, entries: Iterable[TickMenuItem]) -> None:
        self._list.clear()
        for entry in entries:
            action = self._list.addAction(entry.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(entry.key in self._chosen)
            action.setToolTip(plain_tip(entry.hint or entry.name))
            action.toggled.connect(lambda on, key=entry.key: self._tick(key, on))

    def _tick(self, key: str, on: bool) -> None:
        self.set_ticked(self._chosen | {key} if on else self._chosen - {key})


class TickMenu(_TickButton):
    """Several things out of a list, in its order; below it, things to do.

    Signals:
        action_requested (str, str): one of the things to do was chosen, for the entry with this key, or for none ("").
    """

    action_requested = Signal(str, str)

    def __init__(self, title: str, none: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._none, self._said = none, none
        self._entries: tuple[TickMenuItem, ...] = ()
        self._common: Mapping[str, str] = {}
        self._own: Mapping[str, str] = {}
        self._list.setToolTipsVisible(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(72)
        self._update_text()

    def set_actions(self, common: Mapping[str, str], own: Mapping[str, str]) -> None:
        """Offer things to do, by key: for the list as a whole, and for each entry."""
        self._common, self._own = dict(common), dict(own)

    def set_entries(self, entries: Sequence[TickMenuItem]) -> None:
        """Offer these; what is ticked and not among them is ticked again when it comes back."""
        self._entries = tuple(entries)
        self._update_text()

    def entries(self) -> tuple[TickMenuItem, ...]:
        """Return what is offered."""
        return self._entries

    def ticked_keys(self) -> tuple[str, ...]:
        """Return the keys of what is ticked, in the list's order."""
        return tuple(entry.key for entry in self._entries if entry.key in self._chosen)

    def all_ticked_keys(self) -> frozenset[str]:
        """Return the keys of all that was ticked, also of what is not offered now."""
        return frozenset(self._chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide_text()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what is said where a list beside it says it: at the left."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        said, option.text = option.text, ""
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        where = self.rect().adjusted(theme.GRID + 1, 0, -theme.GRID * 3, 0)
        how = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextShowMnemonic
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        painter.setPen(self.palette().color(group, QPalette.ColorRole.ButtonText))
        painter.drawText(where, int(how), said)

    def _elide_text(self) -> None:
        room = max(40, self.width() - _BUTTON_PADDING)
        shown = self.fontMetrics().elidedText(self._said, Qt.TextElideMode.ElideRight, room)
        self.setText(shown.replace("&", "&&"))

    def _fill(self) -> None:
        self._fill_with(self._entries)
        if self._entries and self._common:
            self._list.addSeparator()
        for act, text in self._common.items():
            self._list.addAction(text).triggered.connect(self._action_handler(act, ""))
        for act, text in self._own.items():
            menu = self._list.addMenu(text)
            menu.setEnabled(bool(self._entries))
            for entry in self._entries:
                menu.addAction(entry.name.replace("&", "&&")).triggered.connect(self._action_handler(act, entry.key))

    def _action_handler(self, act: str, key: str) -> Callable[[], None]:
        return lambda: self.action_requested.emit(act, key)

    def _update_text(self) -> None:
        names = [entry.name for entry in self._entries if entry.key in self._chosen]
        said = (
            ", ".join(names)
            if 0 < len(names) <= _MAX_NAMES_SHOWN
            else tr("{names} chosen").format(names=len(names))
            if names
            else self._none
        )
        self._said = said
        self._elide_text()
        self.setAccessibleName(f"{self._title}: {', '.join(names) or self._none}")
        every = f"{self._title}: {', '.join(names) or self._none}"
        self.setToolTip(plain_tip(every))


class ChoiceButton(_TickButton):
    """Several things out of a list; nothing ticked means that it does not matter."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._names: dict[str, str] = {}
        self._update_text()

    def set_choices(self, names: Mapping[str, str]) -> None:
        """Offer these, by key; what is gone is no longer ticked."""
        self._names = dict(names)
        self.set_ticked(self._chosen & self._names.keys())
        self.setVisible(len(self._names) > 1)

    def ticked_keys(self) -> frozenset[str]:
        """Return the keys of what is ticked."""
        return frozenset(self._chosen)

    def _fill(self) -> None:
        self._fill_with(TickMenuItem(key, name) for key, name in self._names.items())

    def _update_text(self) -> None:
        names = [name for key, name in self._names.items() if key in self._chosen]
        said = ", ".join(names) if len(names) <= _MAX_NAMES_SHOWN else tr("{names} chosen").format(names=len(names))
        text = f"{self._title}: {said}" if names else self._title
        self.setText(text.replace("&", "&&"))
        describe(self, text, f"{self._title}: {', '.join(names) or 'any'}")
        self.setProperty("on", bool(names))
        self.style().unpolish(self)
        self.style().polish(self)


ROW_HEIGHT = 24
"""Height of a row, in pixels."""
_KEY_ROLE = Qt.ItemDataRole.UserRole


class TickList(QTreeWidget):
    """Rows with a tick, told apart by a key; Space ticks the selected one. The first column takes the room there is."""

    def __init__(self, columns: int = 1, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setColumnCount(columns)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setHeaderHidden(True)
        self.setItemDelegate(_TickDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.header().setStretchLastSection(False)
        for column in range(columns):
            mode = QHeaderView.ResizeMode.ResizeToContents if column else QHeaderView.ResizeMode.Stretch
            self.header().setSectionResizeMode(column, mode)

    def add_row(self, key: str, text: str, ticked: bool) -> None:
        """Add a row."""
        item = QTreeWidgetItem([text])
        item.setData(0, _KEY_ROLE, key)
        item.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        item.setSizeHint(0, QSize(0, theme.scaled(ROW_HEIGHT)))
        self.addTopLevelItem(item)

    def keys(self) -> list[str]:
        """Return the keys of all rows."""
        return [str(item.data(0, _KEY_ROLE)) for item in self._items()]

    def ticked_keys(self) -> list[str]:
        """Return the keys of those that are ticked, in the order of the rows."""
        return [str(item.data(0, _KEY_ROLE)) for item in self._items() if item.checkState(0) is Qt.CheckState.Checked]

    def set_ticked(self, key: str, on: bool = True) -> None:
        """Tick a row, or not."""
        self._item(key).setCheckState(0, Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    def current_key(self) -> str:
        """Return the key of the selected row; "" where none is."""
        item = self.currentItem()
        return "" if item is None else str(item.data(0, _KEY_ROLE))

    def select_row(self, key: str) -> None:
        """Select a row."""
        self.setCurrentItem(self._item(key))

    def set_row(self, key: str, texts: tuple[str, ...], tooltip: str, usable: bool) -> None:
        """Change what a row says. One that is not usable is grey, and loses its tick; it can still be selected."""
        item, colours = self._item(key), theme.palette()
        flag = Qt.ItemFlag.ItemIsUserCheckable
        item.setFlags(item.flags() | flag if usable else item.flags() & ~flag)
        if not usable:
            item.setCheckState(0, Qt.CheckState.Unchecked)
        for column, text in enumerate(texts):
            item.setText(column, text)
            item.setToolTip(column, plain_tip(tooltip))
            item.setForeground(column, colours.disabled if not usable else colours.muted if column else colours.text)

    def _items(self) -> list[QTreeWidgetItem]:
        found = (self.topLevelItem(row) for row in range(self.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _item(self, key: str) -> QTreeWidgetItem:
        return next(item for item in self._items() if item.data(0, _KEY_ROLE) == key)


class _TickDelegate(QStyledItemDelegate):
    """Draws the box of a row that is not usable as one that is shut, like its words."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if not index.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            option.state &= ~QStyle.StateFlag.State_Enabled


_BOX_PX = 16


class TickRow(QCheckBox):
    """A check box that is hit anywhere in its row and explains itself also to those who come by keyboard."""

    def __init__(self, choice: FieldChoice) -> None:
        super().__init__(choice.name)
        self.setAccessibleName(choice.name)
        self.setAccessibleDescription(" ".join((choice.definition, *choice.examples)))
        self.setToolTip(definition_tooltip(choice.name, choice.definition, choice.shortcut, choice.examples))
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        row = make_row(None, margin=(0, 0, 4, 0))
        self.setLayout(row)
        if choice.shortcut:
            caps = KeyCaps(choice.shortcut)
            caps.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            row.addWidget(caps)

    def hitButton(self, place: QPoint) -> bool:
        return self.rect().contains(place)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width() + key_height() + theme.GRID, theme.scaled(theme.GRID * 7 / 2))

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = theme.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        plate = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(colours.accent if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(colours.hover if self.underMouse() and self.isEnabled() else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(plate, 4, 4)
        box = QStyleOptionButton()
        self.initStyleOption(box)
        box.rect = QRect(6, (self.height() - _BOX_PX) // 2, _BOX_PX, _BOX_PX)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorCheckBox, box, painter, self)
        # What is ticked stays readable also where it cannot be changed.
        painter.setPen(colours.text if self.isEnabled() or self.isChecked() else colours.muted)
        painter.setFont(self.font())
        room = self.rect().adjusted(30, 0, -key_height() - theme.GRID, 0)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            QToolTip.showText(self.mapToGlobal(QPoint(24, self.height())), self.toolTip(), self)
