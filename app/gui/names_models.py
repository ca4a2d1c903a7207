"""Buttons that get the models of names which transcripts lack, where a window says that they are not covered."""

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.core import fetching
from app.core.jobs import Work
from app.gui.context import Context
from app.gui.downloads import require_permission
from project.errors import UserError
from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip


class NamesModels(QWidget):
    """One button for each model that can be fetched, and how far that is. It is hidden where there is none to get.

    Signals:
        changed: weights were installed, here or elsewhere: what was searched without them has to be searched again.
    """

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._works: dict[str, Work] = {}
        self.buttons: dict[str, QPushButton] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.GRID)
        self.state = PlainLabel(wordWrap=True)
        self.state.setAccessibleName(tr("State of the download"))
        self._row.addWidget(self.state, 1)
        context.jobs.done.connect(self._on_done)
        context.jobs.stopped.connect(self._on_stopped)
        context.jobs.progressed.connect(self._on_progress)
        self.hide()

    def offer(self, names: Iterable[str]) -> None:
        """Show a button for each of some weights."""
        wanted = [*dict.fromkeys(names)]
        for name in [*self.buttons]:
            if name not in wanted:
                button = self.buttons.pop(name)
                self._row.removeWidget(button)
                button.hide()
                button.deleteLater()
        for name in wanted:
            if name not in self.buttons:
                self._add_button(name)
        self.state.setText(self.state.text() if self._works else "")
        self.setVisible(bool(wanted))

    def fetch(self, name: str) -> None:
        """Get a model over the network; the policy of the study is asked first."""
        if name in self._works:
            return
        try:
            work = fetching.prepare(name)
            require_permission(self._context.studio, self._context.questions, name)
        except UserError as error:
            self.state.setText(f"{error.message} {error.hint}".strip())
            return
        self._works[name] = work
        self._show_busy(name)
        self.state.setText(tr("{title}…").format(title=work.title))
        self._context.jobs.start(work)

    def _add_button(self, name: str) -> None:
        button = QPushButton(tr("Get {name}").format(name=name))
        try:
            button.setToolTip(plain_tip(fetching.question(name)))
        except UserError as error:
            button.setToolTip(plain_tip(str(error)))
        button.setAutoDefault(False)
        button.clicked.connect(partial(self.fetch, name))
        self._row.insertWidget(len(self.buttons), button)
        self.buttons[name] = button
        self._show_busy(name)

    def _show_busy(self, name: str) -> None:
        if name in self.buttons:
            self.buttons[name].setEnabled(name not in self._works)

    def _forget(self, work: Work) -> bool:
        for name, own in [*self._works.items()]:
            if own is work:
                del self._works[name]
                self._show_busy(name)
                return True
        return False

    def _on_done(self, work: Work, _result: object) -> None:
        if work.kind != fetching.KIND:
            return
        if self._forget(work):
            self.state.setText("")
        self.changed.emit()

    def _on_stopped(self, work: Work) -> None:
        if self._forget(work):
            problem = self._context.jobs.problem_of(work)
            self.state.setText(str(problem) if problem else tr("Stopped; nothing was installed."))

    def _on_progress(self, work: Work, done: int, total: int, _text: str) -> None:
        if work in self._works.values():
            share = f" {100 * done // total} %" if total else "…"
            self.state.setText(f"{work.title}{share}")
