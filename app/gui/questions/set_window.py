"""The window that exports questions as a data set: what may leave, the texts to read, and the button."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QTabWidget, QVBoxLayout, QWidget

from app.core.commands.release import set_words
from app.core.questions.dataset.exporting import prepare
from app.core.questions.dataset.gathering import Gathering
from app.core.questions.dataset.leaving_out import decided
from app.core.questions.dataset.reading import confirm_question_texts, each_once, reader_of
from app.core.questions.dataset.writing import JSONL, VLMEVALKIT, Exported
from app.core.release.staging import require_free
from app.gui.context import Context
from app.gui.questions import set_rows
from app.gui.questions.set_gathering import SetGathering
from app.gui.questions.set_writing import SetWriting
from app.gui.release.text_rows import text_rows
from project.errors import UserError
from project.queries.private_words import replacements
from project.queries.recordings import all_recordings
from project.types import Changes
from resources.translation import tr, trn
from widgets import theme
from widgets.close_button import close_button
from widgets.empty_hint import EmptyHint
from widgets.plain_label import PlainLabel
from widgets.progress_line import ProgressLine
from widgets.questions.set_form import SetForm
from widgets.release.texts_view import TextsView
from widgets.rows_table import RowsTable

_WAIT_MS = 400
_MATTERS = frozenset(
    (
        *("question", "verification", "chain", "chain_node", "chain_edge", "chain_person", "chain_review"),
        *("recording", "medium", "participant", "appearance", "consent", "hold_out", "annotator", "property"),
        *("track_correction", "face_track", "utterance", "private_word", "public_word", "pii_decision"),
    )
)


def make(context: Context) -> QWidget:
    """Make the window."""
    return SetWindow(context)


class SetWindow(QWidget):
    """Gathers while the window stays awake; writes in a thread, and only what somebody has read."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._studio = context.studio
        self._found: Gathering | None = None
        self._fresh = self._everything = False
        self.setWindowTitle(tr("Export questions as a data set"))
        self.setAccessibleName(tr("Export questions as a data set"))
        self.setAutoFillBackground(True)
        self.resize(1080, 720)
        self.setMinimumWidth(560)
        self.heading = PlainLabel(wordWrap=True)
        self.heading.setFont(theme.font(semibold=True))
        self.form = SetForm()
        self.counts = RowsTable(tr("What leaves"), set_rows.COUNTS)
        self.left_out = RowsTable(tr("What does not leave"), set_rows.LEFT_OUT)
        EmptyHint(self.counts, tr("What leaves is counted here, by kind and split."))
        EmptyHint(self.left_out, tr("What is left out is counted here, with the reason."))
        self.texts = TextsView()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._what_page(), tr("&What leaves"))
        self.tabs.addTab(self.texts, tr("Te&xts"))
        self.line = ProgressLine(tr("The data set"))
        self.report = PlainLabel(wordWrap=True)
        self.report.setAccessibleName(tr("What came of it"))
        self.export = QPushButton(tr("&Export…"))
        self.export.setProperty("primary", True)
        self.export.setToolTip(tr("Write the questions into a new folder, once their texts were read"))
        self.gathering = SetGathering(context, lambda: self.form.chosen().everything, self)
        self.writing = SetWriting(context, self)
        self._lay_out()
        self._join()

    def reload(self) -> None:
        """Look anew at what may leave."""
        session = self._studio.session
        if session is None:
            return
        self._fresh = True
        self._found = None
        self._everything = self.form.chosen().everything
        self.heading.setText(tr("Looking at what may leave…"))
        self._show_state()
        self.gathering.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous() and not self._fresh:
            self.reload()

    def _show(self, found: Gathering) -> None:
        self._found = found
        self.line.hide()
        self._show_counts()
        self._show_texts()
        self._show_state()

    def _show_counts(self) -> None:
        found = self._found
        if found is None:
            return
        self.counts.show_rows(set_rows.count_rows(found, self.form.seed.value()) if found.items else ())
        self.left_out.show_rows(set_rows.left_out_rows(found))

    def _show_texts(self) -> None:
        session, found = self._studio.session, self._found
        if session is None or found is None:
            return
        once = each_once(found.texts)
        reader = reader_of(session, found)
        said = tr("There are no texts.")
        if once:
            state = (
                tr("Read by {name}.").format(name=reader.name)
                if reader
                else tr("Nobody confirmed them as they are now.")
            )
            changed = sum(bool(one.replacements) for one in once)
            said = tr("{count}, each listed once, {changed:,} changed. {state}").format(
                count=trn("{count} text", "{count} texts", len(once)), changed=changed, state=state
            )
        self.texts.show_texts(text_rows(once), said, confirmed=reader is not None, writable=self._studio.writable)
        self.texts.show_words(replacements(session.study))

    def _show_state(self) -> None:
        session, found = self._studio.session, self._found
        reader = None if session is None or found is None else reader_of(session, found)
        idle = not self.writing.busy and not self.gathering.busy
        self.export.setEnabled(self._studio.writable and idle and reader is not None and bool(found and found.items))
        self.form.setEnabled(not self.writing.busy)
        if found is None:
            return
        if not found.items:
            self.heading.setText(tr("No question may leave. Below stands why."))
            return
        said = tr("{questions} about {recordings} may leave").format(
            questions=trn("{count} question", "{count} questions", len(found.items)),
            recordings=trn("{count} recording", "{count} recordings", len(found.recordings)),
        )
        if reader is None:
            self.heading.setText(tr("{said}, once somebody has read their texts: see Texts.").format(said=said))
        else:
            self.heading.setText(tr("{said}. {name} has read their texts.").format(said=said, name=reader.name))

    def _choose(self) -> None:
        if self._found is not None and self.form.chosen().everything == self._everything:
            self._show_counts()
        else:
            self.reload()

    def _choose_release(self) -> None:
        folder = self._context.questions.folder(tr("Folder of a release of this study"))
        if folder is not None:
            self.form.show_release(folder)

    def _confirm(self) -> None:
        found = self._found
        if found is not None:
            self._studio.edit(partial(confirm_question_texts, gathering=found), self)

    def _start(self) -> None:
        session, found = self._studio.session, self._found
        if session is None or found is None:
            return
        place = self._context.questions.question_set_place()
        if place is None:
            return
        chosen = self.form.chosen()
        formats = (JSONL, VLMEVALKIT) if chosen.table else (JSONL,)
        try:
            require_free(place)
            ready = prepare(session, found, formats, chosen.seed, chosen.release)
        except UserError as error:
            self.report.setText(str(error))
            return
        self.report.clear()
        self.writing.start(ready, place)
        self._show_state()

    def _written(self, made: Exported, folder: Path) -> None:
        self._end(
            tr("Wrote {count} to {name}. Fill in DATACARD.md before it leaves.").format(
                count=trn("{count} question", "{count} questions", made.questions), name=folder.name
            )
        )

    def _end(self, said: str) -> None:
        self.line.hide()
        self.report.setText(said)
        self._show_state()

    def _not_gathered(self, why: str) -> None:
        self.line.hide()
        self.heading.setText(why)
        self._show_state()

    def _cancel(self) -> None:
        if self.writing.busy:
            self.writing.cancel()
        else:
            self.gathering.cancel()
            self._fresh = False

    def _apply(self, changes: Changes, initiator: object) -> None:
        if not _MATTERS & set(changes):
            return
        if initiator is self and self._still_holds():
            # Only who read the texts was kept; the texts are as they were.
            self._show_texts()
            self._show_state()
            return
        if self.writing.busy:
            self.writing.cancel()
        self._fresh, self._found = False, None
        self._show_state()
        if self.isVisible():
            self._soon.start()

    def _still_holds(self) -> bool:
        """Tell whether what was gathered is as it would be now: whoever confirms first of all is new to the study."""
        session, found = self._studio.session, self._found
        if session is None or found is None:
            return False
        return decided(session, {one.id: one for one in all_recordings(session.study)}) == found.decided

    def _show_error(self, error: UserError) -> None:
        if self.isVisible():
            self.report.setText(str(error))

    def _what_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self.form)
        both = QSplitter(Qt.Orientation.Vertical)
        both.setChildrenCollapsible(False)
        both.addWidget(self.counts)
        both.addWidget(self.left_out)
        both.setSizes([300, 200])
        column.addWidget(both, 1)
        return page

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.heading)
        column.addWidget(self.tabs, 1)
        column.addWidget(self.line)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        row.addWidget(self.report, 1)
        row.addWidget(close_button(self))
        row.addWidget(self.export)
        column.addLayout(row)

    def _join(self) -> None:
        self.gathering.found.connect(self._show)
        self.gathering.progressed.connect(self.line.show_progress)
        self.gathering.stopped.connect(self._not_gathered)
        self.writing.written.connect(self._written)
        self.writing.progressed.connect(self.line.show_progress)
        self.writing.stopped.connect(self._end)
        self.line.cancel_requested.connect(self._cancel)
        self.form.changed.connect(self._choose)
        self.form.release_requested.connect(self._choose_release)
        self.texts.words_changed.connect(lambda words: self._studio.edit(partial(set_words, words=words)))
        self.texts.confirm_requested.connect(self._confirm)
        self.texts.row_chosen.connect(self._context.look_at)
        self.export.clicked.connect(self._start)
        self._soon = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._soon.timeout.connect(self.reload)
        self._studio.bridge.changed.connect(self._apply)
        self._studio.failed.connect(self._show_error)
