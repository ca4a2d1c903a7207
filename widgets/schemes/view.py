"""The window of schemes: a list at the left, one scheme in words and what can be done with it at the right."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.close_button import close_button
from widgets.icons import pixmap
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.rich_label import RichLabel
from widgets.scheme_browser import SchemeBrowser
from widgets.schemes.entry import Group, SchemeEntry
from widgets.short_list import ShortList

_EDGE = theme.GRID * 3 // 2
_PLACE = Qt.ItemDataRole.UserRole


class SchemesView(QWidget):
    """Shows schemes; changes nothing by itself.

    Signals:
        use_requested (SchemeEntry): use it in the study, in the version shown.
        drop_requested (str), default_requested (str): key of a scheme in use.
        reload_requested (str): key of a scheme whose file is known.
        check_requested: read another file and show it.
        orphans_requested (str): list what the newest version of a scheme has no place for.
    """

    use_requested = Signal(object)
    drop_requested = Signal(str)
    default_requested = Signal(str)
    reload_requested = Signal(str)
    check_requested = Signal()
    orphans_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: dict[str, SchemeEntry] = {}
        self._writable = True
        self.setWindowTitle(tr("Schemes"))
        self.setAccessibleName(tr("Schemes"))
        self.setAutoFillBackground(True)
        self.resize(880, 720)
        self.list = ShortList()
        self.list.setAccessibleName(tr("List of schemes"))
        self.list.setMinimumWidth(232)
        self.list.setWordWrap(True)
        self.list.setSpacing(3)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(lambda *_: self._show_current())
        self.words = SchemeBrowser(tr("The scheme in words"))
        self.facts = RichLabel(wordWrap=True)
        self.facts.setProperty("quiet", True)
        self.facts.setAccessibleName(tr("What the study has of the scheme"))
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.facts.linkActivated.connect(lambda _link: self._emit_key(self.orphans_requested))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self._left())
        split.addWidget(self._right())
        split.setStretchFactor(1, 1)
        split.setSizes([240, 640])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(split, 1)
        self._show_current()

    def show_entries(self, entries: Sequence[SchemeEntry], writable: bool, reason: str = "") -> None:
        """Show these; the one that was looked at stays, where it is still there under any heading."""
        before = self.current()
        self._writable, self._reason = writable, reason
        self._entries = {entry.place: entry for entry in entries}
        self.list.blockSignals(True)
        self.list.clear()
        chosen: QListWidgetItem | None = None
        for group in Group:
            listed = [entry for entry in entries if entry.group is group]
            if listed:
                self._add_heading(tr(group.value))
            for entry in listed:
                item = QListWidgetItem(entry.name)
                item.setData(_PLACE, entry.place)
                if entry.default:
                    item.setText(tr("{name} (default)").format(name=entry.name))
                item.setToolTip(plain_tip(entry.key))
                self.list.addItem(item)
                same = before is not None and entry.key == before.key
                if same and (chosen is None or entry.place == (before.place if before else "")):
                    chosen = item
        first = chosen or self._first()
        if first is not None:
            self.list.setCurrentItem(first)
        self.list.blockSignals(False)
        self._show_current()

    def choose(self, place: str) -> None:
        """Show one entry."""
        for row in range(self.list.count()):
            if self.list.item(row).data(_PLACE) == place:
                self.list.setCurrentRow(row)

    def current(self) -> SchemeEntry | None:
        """Return the entry that is shown."""
        item = self.list.currentItem()
        return None if item is None else self._entries.get(item.data(_PLACE))

    def show_problem(self, text: str, hint: str = "") -> None:
        """Say what went wrong, until something else is done."""
        self.problem.setText(" ".join(filter(None, (text, hint))))
        self._problem_row.setVisible(bool(text))

    def show_orphans(self, lines: Sequence[str]) -> None:
        """List what the newest version has no place for, a line each, in place of the scheme's words."""
        listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
        self.words.show_words(
            tr(
                "<h3>No place in the newest version</h3><p>These labels and values are kept and exported. "
                "The form shows them under “Kept from an earlier version”.</p><ul>{listed}</ul>"
            ).format(listed=listed)
        )

    def _left(self) -> QWidget:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(_EDGE, _EDGE, 0, _EDGE)
        column.setSpacing(theme.GRID)
        column.addWidget(self.list, 1)
        self.check = self._button(tr("&Check a file…"), tr("Read a scheme file and show it here; nothing is changed"))
        self.check.clicked.connect(self.check_requested)
        column.addWidget(self.check)
        return left

    def _right(self) -> QWidget:
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(theme.GRID, _EDGE, _EDGE, _EDGE)
        column.setSpacing(theme.GRID)
        self._problem_row = QFrame()
        row = QHBoxLayout(self._problem_row)
        row.setContentsMargins(0, 0, 0, 0)
        self._mark = PlainLabel()
        self.problem = PlainLabel(wordWrap=True)
        self.problem.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.problem.setAccessibleName(tr("Problem"))
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.problem, 1)
        self._problem_row.hide()
        column.addWidget(self._problem_row)
        column.addWidget(self.words, 1)
        column.addWidget(self.facts)
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.GRID)
        self.use = self._button(tr("&Use in this study"), tr("Add it to the schemes of the study"))
        self.use.setProperty("primary", True)
        self.use.clicked.connect(lambda: self.use_requested.emit(self.current()))
        self.reload = self._button(tr("&Reload from file"), tr("Read the file again, and use it as the newest version"))
        self.reload.clicked.connect(lambda: self._emit_key(self.reload_requested))
        self.default = self._button(tr("Make &default"), tr("New segments are made under it at first"))
        self.default.clicked.connect(lambda: self._emit_key(self.default_requested))
        self.drop = self._button(
            tr("&Stop using"), tr("Its segments and values stay; it can be used again at any time")
        )
        self.drop.clicked.connect(lambda: self._emit_key(self.drop_requested))
        buttons.addWidget(self.use)
        buttons.addWidget(self.reload)
        buttons.addStretch()
        buttons.addWidget(self.default)
        buttons.addWidget(self.drop)
        buttons.addWidget(close_button(self))
        column.addLayout(buttons)
        theme.notifier.changed.connect(self._tint)
        self._tint()
        return right

    def _button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(plain_tip(tip))
        button.setAccessibleName(text.replace("&", "").rstrip("…"))
        return button

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(theme.font(theme.POINTS - 1, semibold=True))
        self.list.addItem(item)

    def _first(self) -> QListWidgetItem | None:
        items = (self.list.item(row) for row in range(self.list.count()))
        return next((item for item in items if item.data(_PLACE)), None)

    def _show_current(self) -> None:
        entry = self.current()
        if entry is None:
            self.words.show_words("")
        elif entry.scheme is None:
            self.words.show_words(
                tr("<h2>{name}</h2><p>Its text is kept nowhere or cannot be read.</p>").format(name=escape(entry.name))
            )
        else:
            self.words.show_scheme(entry.scheme)
        self.show_problem("")
        self.facts.setText("" if entry is None else _facts(entry))
        self.facts.setVisible(bool(self.facts.text()))
        self._enable(entry)

    def _enable(self, entry: SchemeEntry | None) -> None:
        used = entry is not None and entry.group is Group.USED
        many = sum(other.group is Group.USED for other in self._entries.values()) > 1
        self.use.setVisible(entry is not None and not used and entry.scheme is not None)
        self.reload.setVisible(entry is not None and bool(entry.file) and entry.group in (Group.USED, Group.FILE))
        self.default.setVisible(used and many)
        self.default.setEnabled(self._writable and entry is not None and not entry.default)
        self.drop.setVisible(used)
        self.drop.setEnabled(self._writable and many)
        self.use.setEnabled(self._writable)
        self.reload.setEnabled(self._writable or (entry is not None and entry.group is Group.FILE))

    def _emit_key(self, signal: SignalInstance) -> None:
        entry = self.current()
        if entry is not None:
            signal.emit(entry.key)

    def _tint(self) -> None:
        colour = theme.palette().error
        self._mark.setPixmap(pixmap("circle-alert", 16, colour, self.devicePixelRatioF()))
        self.problem.setStyleSheet(f"color: {colour.name()};")


def _facts(entry: SchemeEntry) -> str:
    lines = []
    if entry.versions:
        word = "version" if len(entry.versions) == 1 else "versions"
        lines.append(tr("The study keeps {word} {list}.").format(word=word, list=", ".join(map(str, entry.versions))))
    if entry.group in (Group.USED, Group.KEPT):
        lines.append(f"{_count(entry.segments, 'segment')}, {_count(entry.values, 'value')}.")
    if entry.orphans:
        lines.append(
            tr('<a href="orphans">{orphans:,} without a place in the newest version</a>.').format(orphans=entry.orphans)
        )
    if entry.taken:
        keys = escape(", ".join(entry.taken))
        lines.append(
            tr("The window uses {keys} itself (Ctrl+F1 lists its keys): choose another shortcut in the file.").format(
                keys=keys
            )
        )
    if entry.file:
        lines.append(tr("File: {file}").format(file=escape(entry.file)))
    return " ".join(lines)


def _count(number: int, word: str) -> str:
    return f"1 {word}" if number == 1 else f"{number:,} {word}s"
