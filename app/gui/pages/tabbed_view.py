"""A window or the page of a mode: one view of the study, or several on tabs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QTabWidget, QWidget

from app.gui.pages.context import Context, StatefulView, View, decode_state, encode_state, text_list, text_value
from app.gui.pages.study_view import StudyView
from project.entities.study_records import Json
from project.errors import UserError
from widgets.form.layouts import make_column, make_panel
from widgets.table.record_table import RecordTable


@dataclass(frozen=True, slots=True)
class ViewTab:
    """A view.

    Attributes:
        name: on the tab.
        factory: `module:name` of what makes it from the `Context`.
        page: of the documentation, with a heading in it where not all of it is about the view.
    """

    key: str
    name: str
    factory: str
    page: str


def paint_apart(widget: QWidget) -> None:
    """Let what a widget shows next be painted in a turn of the event loop of its own; until then its picture stays."""
    widget.setUpdatesEnabled(False)
    # One of no milliseconds may be an event that Qt handles in this turn.
    QTimer.singleShot(1, widget, lambda: widget.setUpdatesEnabled(True))


class TabbedView(QWidget):
    """Makes a view when its tab is first shown; there is no bar for a single one.

    Signals:
        changed: another tab is shown, or a view looks otherwise, in a way that is worth keeping.
        view_made (StudyView): a view was made.
    """

    changed = Signal()
    view_made = Signal(QWidget)

    def __init__(self, context: Context, tabs: Sequence[ViewTab]) -> None:
        super().__init__()
        self._context = context
        self._tabs = tuple(tabs)
        self._views: dict[str, StudyView] = {}
        self._states: dict[str, View] = {}
        self.tabs = QTabWidget(documentMode=True)
        if len(tabs) == 1:
            self.tabs.tabBar().hide()
            # A hidden bar would be given the keys when the window opens.
            self.tabs.tabBar().setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self.tabs.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._columns = {tab.key: make_column() for tab in tabs}
        for tab in tabs:
            self.tabs.addTab(make_panel(self._columns[tab.key]), tab.name if len(tabs) > 1 else "")
        self.setLayout(make_column(self.tabs))
        self.tabs.currentChanged.connect(self._on_tab)

    @property
    def key(self) -> str:
        """Key of the view that is shown."""
        return self._tabs[self.tabs.currentIndex()].key

    def show_view(self, key: str = "") -> StudyView:
        """Show a view, which is made where it is not there yet; "" is the one that was shown last."""
        keys = [tab.key for tab in self._tabs]
        if key in keys:
            self.tabs.setCurrentIndex(keys.index(key))
        return self._show_current()

    def focus_first(self, view: StudyView) -> None:
        """Focus the first control of a view, unless a control of it has the focus."""
        focused = self.focusWidget()
        if focused not in (None, self.tabs.tabBar()) and focused.focusPolicy() != Qt.FocusPolicy.NoFocus:
            return
        control = view.nextInFocusChain()
        while control is not None and view.isAncestorOf(control):
            if control.isVisible() and control.isEnabled() and control.focusPolicy() & Qt.FocusPolicy.TabFocus:
                control.setFocus()
                return
            control = control.nextInFocusChain()

    def show_error(self, error: UserError) -> None:
        """Show why something could not be done in the view that is shown."""
        self._views[self.key].show_error(error)

    def save_state(self) -> View:
        """Return which view is shown, and how all look."""
        for key, view in self._views.items():
            own = view.save_state() if isinstance(view, StatefulView) else {}
            splitters = [encode_state(splitter.saveState()) for splitter in view.findChildren(QSplitter)]
            widths: list[Json] = [[*table.dragged_widths()] for table in view.findChildren(RecordTable)]
            self._states[key] = {"own": own, "splitters": [*splitters], "widths": widths}
        return {"tab": self.key, "views": {**self._states}}

    def restore_state(self, state: View) -> None:
        """Let views look as they did, also those that are made later, and the one that was shown be the first."""
        views = state.get("views")
        known = views if isinstance(views, dict) else {}
        self._states = {key: view_state for key, view_state in known.items() if isinstance(view_state, dict)}
        for key in self._views:
            self._restore_view(key)
        keys = [tab.key for tab in self._tabs]
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(keys.index(tab) if (tab := text_value(state, "tab")) in keys else 0)
        if self.isVisible():
            self._show_current()

    def _show_current(self) -> StudyView:
        tab = self._tabs[self.tabs.currentIndex()]
        view = self._views.get(tab.key)
        if view is None:
            module, name = tab.factory.split(":")
            view = cast(Callable[[Context], StudyView], getattr(import_module(module), name))(self._context)
            self._views[tab.key] = view
            self._restore_view(tab.key)
            looks_changed = getattr(view, "looks_changed", None)
            if looks_changed is not None:
                looks_changed.connect(self.changed)
            self._columns[tab.key].addWidget(view)
            self.view_made.emit(view)
            paint_apart(self)
            # Qt would show it a moment later.
            view.show()
        self.setWindowTitle(view.title)
        self.setAccessibleName(view.title)
        proxy = view.focusProxy()
        if proxy is not None:
            self.setFocusProxy(proxy)
        self.changed.emit()
        return view

    def _on_tab(self, _at: int) -> None:
        view, focused = self._show_current(), QApplication.focusWidget()
        # Qt moves the focus from a control of the last tab to the page itself, which does not show it.
        if focused is not None and focused is not self.tabs.tabBar() and self.isAncestorOf(focused):
            self.focus_first(view)

    def _restore_view(self, key: str) -> None:
        view, state = self._views[key], self._states.get(key, {})
        for splitter, saved in zip(view.findChildren(QSplitter), text_list(state, "splitters"), strict=False):
            splitter.restoreState(decode_state(saved))
        widths = state.get("widths")
        tables = zip(view.findChildren(RecordTable), widths if isinstance(widths, list) else (), strict=False)
        for table, dragged in tables:
            if isinstance(dragged, list):
                table.restore_widths([width for width in dragged if isinstance(width, int)])
        own = state.get("own")
        if isinstance(view, StatefulView):
            view.restore_state(own if isinstance(own, dict) else {})
