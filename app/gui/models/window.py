"""The window of models: all there are, whether each is installed, and the ways to get, add, check and remove them."""

from pathlib import Path
from threading import Event

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core import fetching
from app.core.jobs import Work
from app.core.leaving.in_force import policy_in_force
from app.core.model_list import Model, damage, models, network
from app.gui.context import Context
from app.gui.downloads import require_permission
from app.gui.models import words
from app.gui.stoppable import Stoppable
from models import weights
from project.errors import UserError
from resources.translation import tr
from widgets import theme
from widgets.close_button import close_button
from widgets.models.panel import ModelPanel
from widgets.models.table import ModelsTable, ModelState
from widgets.plain_label import PlainLabel


def make(context: Context) -> QWidget:
    """Make the window."""
    return ModelsWindow(context)


class ModelsWindow(QWidget):
    """Shows the catalogue and does what is asked with one of its entries."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._jobs = context.jobs
        self._models: dict[str, Model] = {}
        self._works: dict[str, Work] = {}
        self._busy: dict[str, str] = {}
        self._damaged: dict[str, str] = {}
        self._checks: dict[str, Event] = {}
        self.setWindowTitle(tr("Models"))
        self.setAccessibleName(tr("Models"))
        self.setAutoFillBackground(True)
        self.resize(1240, 760)
        self.ethics = PlainLabel(words.ETHICS, wordWrap=True)
        self.network = PlainLabel(wordWrap=True)
        self.table = ModelsTable()
        self.panel = ModelPanel()
        self._lay_out()
        self._join()
        for work in self._jobs.jobs():
            self._on_started(work)
        self.reload()
        self.table.choose(next(iter(self._models)))

    def reload(self) -> None:
        """Show what is on this machine now."""
        listed = models()
        self._models = {one.name: one for one in listed}
        session = self._context.studio.session
        allowed = session is not None and policy_in_force(session).downloads
        self.network.setText(words.state_of_network(network(), allowed))
        self.table.set_groups(words.groups(listed, self._busy, self._damaged))
        self._show_chosen()

    def fetch(self, name: str, key: str = "") -> None:
        """Get a model over the network."""
        try:
            work = fetching.prepare(name, key)
            require_permission(self._context.studio, self._context.questions, name, key)
            self._start(name, work)
        except UserError as error:
            self._tell(str(error))

    def add(self, name: str, source: Path, licence: str = "") -> None:
        """Get a model from a file or folder."""
        try:
            self._start(name, fetching.prepare_adding(name, source, licence))
        except UserError as error:
            self._tell(str(error))

    def verify(self, name: str) -> None:
        """Compare the files of a model with their checksums; large ones take a while."""
        self._set_busy(name, "checking")
        self._tell(tr("Checking {name}…").format(name=name))
        stop = self._checks[name] = Event()

        def done(wrong: str) -> None:
            self._damaged.pop(name, None)
            if wrong:
                self._damaged[name] = wrong
            ended(
                tr("{name} is damaged.").format(name=name)
                if wrong
                else tr("{name} is sound: every checksum is right.").format(name=name)
            )

        def ended(said: str) -> None:
            self._checks.pop(name, None)
            self._set_busy(name, "")
            self._tell(said)

        self._context.background.run(
            lambda progress: damage(name, Stoppable(progress, stop)),
            done,
            lambda error: ended(str(error)),
            lambda so_far, total, _text: self._show_share(name, "checking", so_far, total),
        )

    def remove(self, name: str) -> None:
        """Delete a model from this machine."""
        try:
            removed = weights.remove(name)
        except UserError as error:
            self._tell(str(error))
            return
        self._damaged.pop(name, None)
        self.panel.ask_again(False)
        self._tell(
            tr("Removed {name}.").format(name=name) if removed else tr("{name} was not installed.").format(name=name)
        )
        self.reload()

    def cancel(self, name: str) -> None:
        """Stop what is being done with a model."""
        work, check = self._works.get(name), self._checks.pop(name, None)
        if work is not None:
            self._jobs.cancel(work)
        if check is not None:
            check.set()
            self._set_busy(name, "")
            self._tell(tr("Stopped checking {name}.").format(name=name))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.ethics)
        column.addWidget(self.network)
        column.addWidget(self.table, 1)
        column.addWidget(self.panel)
        foot = QHBoxLayout()
        self.status = PlainLabel(wordWrap=True)
        self.status.setAccessibleName(tr("State"))
        foot.addWidget(self.status, 1)
        foot.addWidget(close_button(self), 0, Qt.AlignmentFlag.AlignBottom)
        column.addLayout(foot)

    def _join(self) -> None:
        self.table.chosen.connect(lambda _key: self._show_chosen())
        self.panel.fetch_requested.connect(self.fetch)
        self.panel.folder_requested.connect(self._ask_folder)
        self.panel.file_requested.connect(self._ask_file)
        self.panel.verify_requested.connect(self.verify)
        self.panel.remove_requested.connect(self.remove)
        self.panel.cancel_requested.connect(self.cancel)
        self._jobs.started.connect(self._on_started)
        self._jobs.progressed.connect(self._on_progress)
        self._jobs.done.connect(
            lambda work, _result: self._on_end(
                work, tr("{name} is installed.").format(name=work.parameters.get("name"))
            )
        )
        self._jobs.stopped.connect(self._on_stopped)
        theme.notifier.changed.connect(self.reload)

    def _ask_folder(self, name: str, licence: str) -> None:
        found = self._context.questions.folder(tr("Folder with {name}").format(name=name))
        if found is not None:
            self.add(name, found, licence)

    def _ask_file(self, name: str, licence: str) -> None:
        found = self._context.questions.file(tr("File with {name}").format(name=name))
        if found is not None:
            self.add(name, found, licence)

    def _start(self, name: str, work: Work) -> None:
        if name not in self._works:
            self._tell(f"{work.title}…")
            self._jobs.start(work)

    def _on_started(self, work: Work) -> None:
        """Note a job about a model, also one that was asked for elsewhere."""
        if work.kind == fetching.KIND:
            name = str(work.parameters["name"])
            self._works[name] = work
            self._set_busy(name, "waiting")

    def _on_progress(self, work: Work, done: int, total: int, _text: str) -> None:
        if work.kind != fetching.KIND:
            return
        name = str(work.parameters["name"])
        self._works[name] = work
        self._show_share(name, "adding" if "source" in work.parameters else "fetching", done, total)

    def _show_share(self, name: str, doing: str, done: int, total: int) -> None:
        if name not in self._busy:
            return
        share = done / total if total else 0.0
        self._busy[name] = f"{doing} {100 * share:.0f} %"
        self.table.show_state(name, ModelState.BUSY, self._busy[name])
        if name == self.table.current_key():
            self.panel.set_progress(share)

    def _on_done(self, work: Work, _result: object) -> None:
        self._on_end(work, tr("{name} is installed.").format(name=work.parameters.get("name")))

    def _on_stopped(self, work: Work) -> None:
        if work.kind == fetching.KIND:
            problem = self._jobs.problem_of(work)
            self._on_end(
                work,
                str(problem) if problem else tr("Stopped: {title}. What has arrived is kept.").format(title=work.title),
            )

    def _on_end(self, work: Work, said: str) -> None:
        if work.kind != fetching.KIND:
            return
        name = str(work.parameters["name"])
        self._works.pop(name, None)
        self._damaged.pop(name, None)
        self._set_busy(name, "")
        self._tell(said)

    def _set_busy(self, name: str, what: str) -> None:
        self._busy.pop(name, None)
        if what:
            self._busy[name] = what
        if name == self.table.current_key():
            self.panel.set_progress(None)
        self.reload()

    def _show_chosen(self) -> None:
        one = self._models.get(self.table.current_key())
        if one is not None:
            busy, wrong = self._busy.get(one.name, ""), self._damaged.get(one.name, "")
            self.panel.show_model(words.details(one, network(), busy, wrong))

    def _tell(self, text: str) -> None:
        self.status.setText(text)
