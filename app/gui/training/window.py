"""The Training window: how near somebody comes to the reference, and, for the owner, what has to be reached."""

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from app.core.commands import training as commands
from app.core.session import Session, owner_of_copy
from app.core.training import FIGURES, gate_of, trained, trainees
from app.core.training_report import training_lines
from app.gui.context import Context
from app.gui.training.words import NAMES, about, described, differing, figure, result
from project.errors import UserError
from project.queries.annotators import all_annotators
from project.queries.plans import completions
from project.queries.recordings import all_recordings
from project.types import Annotator, Changes
from resources.translation import tr
from widgets import theme
from widgets.close_button import close_button
from widgets.empty_hint import EmptyHint
from widgets.plain_label import PlainLabel
from widgets.rows_table import Row, RowsTable
from widgets.training.setup_form import SetupForm, Wanted

_NONE = tr("There is no training in this study.")
_NO_ROUND = tr("{none} Its owner sets one up.").format(none=_NONE)
_FIRST = tr("The segments are compared once a recording to train on is marked as done (Ctrl+D).")


def make(context: Context) -> QWidget:
    """Make the window."""
    return TrainingWindow(context)


class TrainingWindow(QWidget):
    """Who trains sees their own figures; the owner of the study sees everybody's, and sets the round up."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._studio = context.studio
        self.setWindowTitle(tr("Training"))
        self.resize(960, 640)
        self.heading = PlainLabel(wordWrap=True)
        self.heading.setFont(theme.font(semibold=True))
        self.figures = RowsTable(tr("Figures"), [tr("Annotator"), *(NAMES[one] for one in FIGURES), tr("Result")])
        self.recordings = RowsTable(tr("Recordings to train on"), [tr("Recording"), tr("State")])
        self.lines = RowsTable(
            tr("Segments beside the reference"), [tr("Recording"), tr("Marked"), tr("Reference"), tr("What differs")]
        )
        self.note = PlainLabel(wordWrap=True)
        EmptyHint(self.figures, tr("The figures of each annotator stand here once a training is set up."))
        EmptyHint(self.recordings, tr("The recordings to train on stand here, and who is done with them."))
        EmptyHint(self.lines, tr("Segments stand here beside those of the reference."))
        self.form = SetupForm(list(NAMES.items()))
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._result_page(), tr("Figures"))
        self.tabs.addTab(self.form, tr("Set up"))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.heading)
        column.addWidget(self.tabs, 1)
        column.addLayout(self._foot())
        self.figures.row_chosen.connect(lambda _key, _time: self._show_lines())
        self.recordings.row_chosen.connect(context.look_at)
        self.lines.row_chosen.connect(lambda key, time: context.look_at(key.split()[0], time))
        self.form.set_requested.connect(self._set_up)
        self.form.off_requested.connect(lambda: self._studio.edit(commands.end_training))
        self._studio.bridge.changed.connect(self._apply)
        self._studio.failed.connect(self._show_error)
        self._offer(anew=True)
        self.reload()

    def reload(self) -> None:
        """Show the study as it is now."""
        session = self._studio.session
        if session is None:
            return
        gate = gate_of(session)
        people = self._people(session)
        owner = session.annotator() not in trainees(session) and not owner_of_copy(session.study)
        self.tabs.setTabVisible(1, owner)
        self.tabs.tabBar().setVisible(owner)
        self.form.start.setEnabled(self._studio.writable)
        self.form.off.setEnabled(self._studio.writable and gate is not None)
        if gate is None:
            self.heading.setText(_NONE if owner else _NO_ROUND)
            for table in (self.figures, self.recordings, self.lines):
                table.show_rows([])
            self.note.setText(tr("Choose recordings and a reference under Set up.") if owner else "")
            self.note.setVisible(owner)
            return
        names = {one.id: one.name for one in all_annotators(session.study)}
        places = [one for one in all_recordings(session.study) if one.id in gate.recordings]
        self.heading.setText(about(gate, [one.number for one in places], names.get(gate.reference, "")))
        found = [trained(session, who, gate) for who in people]
        self.figures.show_rows(
            [
                Row(
                    one.annotator.id,
                    (one.annotator.name, *(figure(one, gate, key) for key in FIGURES), result(one)),
                    "circle-check" if one.passed else "circle-dashed",
                )
                for one in found
            ]
        )
        if self.figures.current_row() < 0 and found:
            self.figures.selectRow(0)
        done = completions(session.study)
        self.recordings.show_rows(
            [
                Row(
                    one.id,
                    (f"{one.number}  {one.name}", _state(people, [who for who in people if (one.id, who.id) in done])),
                    "circle-check" if all((one.id, who.id) in done for who in people) else "circle-dashed",
                )
                for one in places
            ]
        )
        self.figures.fit(168)
        self.recordings.fit(136)
        self._show_lines()

    def _people(self, session: Session) -> list[Annotator]:
        """Return whose figures are shown: who trains sees their own."""
        found = trainees(session)
        own = owner_of_copy(session.study) or session.annotator_name
        mine = [one for one in found if one.name == own]
        return mine or found

    def _show_lines(self) -> None:
        session = self._studio.session
        gate = gate_of(session) if session is not None else None
        if session is None or gate is None:
            return
        chosen = self.figures.current_key()
        who = next((one for one in self._people(session) if one.id == chosen), None)
        found = training_lines(session, who, gate) if who is not None else []
        self.note.setText("" if found else _FIRST)
        self.note.setHidden(bool(found))
        self.lines.show_rows(
            [
                Row(
                    f"{one.recording.id} {one.start_us}",
                    (
                        str(one.recording.number),
                        described(session, one.mine),
                        described(session, one.reference),
                        differing(one),
                    ),
                    "check" if one.mine and one.reference and not one.differs else "triangle-alert",
                    one.start_us,
                )
                for one in found
            ]
        )

    def _result_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, theme.GRID, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self.figures)
        column.addWidget(self.recordings)
        column.addWidget(self.note)
        column.addWidget(self.lines, 1)
        return page

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.report = PlainLabel(wordWrap=True)
        row.addWidget(self.report, 1)
        row.addWidget(close_button(self))
        return row

    def _offer(self, anew: bool) -> None:
        session = self._studio.session
        if session is None:
            return
        people = [one for one in all_annotators(session.study) if one.kind == "person"]
        listed = [(one.id, f"{one.number}  {one.name}") for one in all_recordings(session.study)]
        self.form.offer(listed, [one.name for one in people])
        gate = gate_of(session)
        if gate is not None and anew:
            names = {one.id: one.name for one in people}
            self.form.show_round(Wanted(gate.recordings, names.get(gate.reference, ""), gate.minimum))

    def _set_up(self, wanted: Wanted) -> None:
        done = self._studio.edit(
            partial(
                commands.set_training,
                recordings=wanted.recordings,
                reference=wanted.reference,
                minimum=wanted.minimum,
            )
        )
        if done:
            self.report.setText(tr("The training is set up. Who is planned next gets its recordings too."))
            self.tabs.setCurrentIndex(0)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if {"annotator", "recording", "property"} & set(changes):
            self._offer(anew="property" in set(changes))
        self.report.setText("")
        self.reload()

    def _show_error(self, error: UserError) -> None:
        if self.isVisible():
            self.report.setText(str(error))


def _state(people: list[Annotator], done: list[Annotator]) -> str:
    if len(people) == 1:
        return "done" if done else tr("to do")
    if not done:
        return tr("nobody is done")
    return tr("done by {list}").format(list=", ".join(one.name for one in done))
