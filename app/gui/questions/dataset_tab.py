"""The tab that exports questions as a data set.

It shows what leaves and what does not, and the texts to read first; a thread writes the files.
"""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from anonymize.pii_review import study_finder
from anonymize.pii_review.pii_decisions import Numbers, compute_numbers, store_numbers
from anonymize.pii_review.review_hits import find_hits
from anonymize.pii_review.study_finder import share_findings
from anonymize.release.private_content import set_private_words
from anonymize.release.release_plan import get_release_key
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.questions.question_list import KIND_LABELS
from app.gui.release.pii_search import PiiSearchController
from app.gui.release.scrubbed_texts import TextsView
from app.gui.study.background import PendingTask, in_turn
from benchmark.dataset.dataset_card import SPLIT_SHARES, assign_splits
from benchmark.dataset.dataset_export import (
    JSONL,
    VLMEVALKIT,
    DatasetCounts,
    PreparedDataset,
    confirm_question_texts,
    find_reader,
    prepare_dataset,
    record_export,
    unique_texts,
    write_dataset,
)
from benchmark.dataset.question_selection import DatasetContents, release_checksum, selection_steps
from project.entities.study_records import Changes
from project.errors import Cancelled, UserError
from project.files.publication import require_free
from project.progress import Progress
from project.queries.pii_rows import replacements
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from resources.translation import tr, trn
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.form.controls import push_button
from widgets.form.form import Form
from widgets.form.layouts import make_row, make_splitter, make_tab_page
from widgets.progress_bars import ProgressLine
from widgets.table.record_table import RecordTable, TableRow, text_columns
from widgets.text_labels import ElidedLabel, PlainLabel

_SEARCHING_TEXT = tr("Looking for personal information")
_STOPPED_TEXT = tr("Stopped. Look again to see what may leave.")


class QuestionSetAssembler(QObject):
    """One gathering at a time; what is no longer wanted is dropped.

    Signals:
        finished (DatasetContents): what may leave.
        progressed (int, int, str): how far it is, of how many, and what is done.
        stopped (str): it was not gathered, and why.
    """

    finished = Signal(object)
    progressed = Signal(int, int, str)
    stopped = Signal(str)

    def __init__(self, context: Context, everything: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._everything = everything
        self._looking: PendingTask | None = None
        self._wanted = False
        self._searching = PiiSearchController(context, self)
        self._searching.ready.connect(self._begin)
        self._searching.stopped.connect(self._stop_gathering)
        context.jobs.progressed.connect(self._show_search)
        context.studio.leaving.connect(self.discard)

    @property
    def busy(self) -> bool:
        """Whether something is gathered."""
        return self._wanted

    def start(self) -> None:
        """Gather the study as it is now; what was under way is dropped."""
        if self._context.studio.session is None:
            return
        self.discard()
        self._wanted = True
        self.progressed.emit(0, 0, _SEARCHING_TEXT)
        self._searching.begin()

    def discard(self) -> None:
        """Drop what is under way."""
        self._wanted = False
        if self._looking is not None:
            self._looking.stop()

    def cancel(self) -> None:
        """Stop on the user's request."""
        search = self._context.jobs.find_job(study_finder.KIND, "")
        if search is not None:
            self._context.jobs.cancel(search)
        self._stop_gathering()

    def _begin(self) -> None:
        """Number what is personal, which the study keeps, then scrub the texts; both in a thread."""
        session = self._context.studio.session
        if session is None or not self._wanted:
            return
        tell = share_findings(session)

        def read(second: Session, _progress: Progress) -> Numbers:
            tell(second)
            return compute_numbers(second, find_hits(second))

        def then(numbers: Numbers) -> None:
            try:
                get_release_key(session)
                store_numbers(session, numbers)
            except UserError as error:
                self._fail(error)
            else:
                self._gather(session)

        self.progressed.emit(0, 0, _SEARCHING_TEXT)
        self._looking = self._context.background.read(session, read, then, self._fail)

    def _gather(self, session: Session) -> None:
        tell, everything = share_findings(session), self._everything()

        def read(second: Session, progress: Progress) -> DatasetContents:
            tell(second)
            pieces = selection_steps(second, everything=everything)
            while True:
                try:
                    done, total = next(pieces)
                except StopIteration as ended:
                    found: DatasetContents = ended.value
                    return found
                progress.check_cancelled()
                progress.progress(done, total)

        def then(found: DatasetContents) -> None:
            self.discard()
            self.finished.emit(found)

        def show(done: int, total: int, _text: str) -> None:
            self.progressed.emit(done, total, tr("Scrubbing texts"))

        self._looking = self._context.background.read(session, read, then, self._fail, show)

    def _fail(self, error: Exception) -> None:
        self.discard()
        self.stopped.emit(str(error))

    def _stop_gathering(self, problem: str = "") -> None:
        if self._wanted:
            self.discard()
            self.stopped.emit(problem or _STOPPED_TEXT)

    def _show_search(self, work: object, done: int, total: int, text: str) -> None:
        if self._wanted and getattr(work, "kind", "") == study_finder.KIND:
            self.progressed.emit(done, total, text)


COUNT_COLUMNS = (tr("Kind"), *SPLIT_SHARES, "all")
LEFT_OUT_COLUMNS = (tr("Questions"), tr("Left out because"))


def count_rows(gathering: DatasetContents, seed: int) -> list[TableRow]:
    """Return how many questions of each kind are in each split, and of all kinds."""
    splits = assign_splits(Counter(item.recording for item in gathering.items), seed)
    found = Counter((item.kind, splits[item.recording]) for item in gathering.items)
    rows = [(kind, [found[kind, split] for split in SPLIT_SHARES]) for kind in sorted({kind for kind, _ in found})]
    rows.append((KIND_LABELS[""], [sum(found[kind, split] for kind, _ in rows) for split in SPLIT_SHARES]))
    return [
        TableRow(kind, (KIND_LABELS.get(kind, kind), *(f"{many:,}" for many in counts), f"{sum(counts):,}"))
        for kind, counts in rows
    ]


def left_out_rows(gathering: DatasetContents) -> list[TableRow]:
    """Return why questions do not leave, those with most first."""
    return [
        TableRow(why, (f"{many:,}", why)) for why, many in sorted(gathering.left_out.items(), key=lambda pair: -pair[1])
    ]


_log = logging.getLogger(__name__)


class QuestionSetWriter(QObject):
    """One set at a time; what is stopped leaves nothing.

    Signals:
        finished (Exported, Path): it is in its place, and noted in the study.
        progressed (int, int, str): how far it is, of how many, and what is done.
        stopped (str): it was not written, and why.
    """

    finished = Signal(object, object)
    progressed = Signal(int, int, str)
    stopped = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._task: PendingTask | None = None
        context.studio.leaving.connect(self.cancel)

    @property
    def busy(self) -> bool:
        """Whether something is written."""
        return self._task is not None

    def start(self, ready: PreparedDataset, folder: Path) -> None:
        """Write a set to a new folder."""
        session = self._context.studio.session
        if session is None:
            return

        def then(made: DatasetCounts) -> None:
            self._task = None
            self._context.studio.publish(record_export(session, made, folder))
            self.finished.emit(made, folder)

        def failed(error: Exception) -> None:
            self._task = None
            if isinstance(error, Cancelled):
                self.stopped.emit(tr("Cancelled. Nothing was written."))
                return
            _log.warning("The data set was not written", exc_info=error)
            self.stopped.emit(str(error))

        self._task = self._context.background.run(
            lambda progress: write_dataset(ready, folder, progress), then, failed, self.progressed.emit
        )

    def cancel(self) -> None:
        """Stop; what is in its place already stays."""
        if self._task is not None:
            self._task.cancel()


_NO_RELEASE = tr("None: the questions are texts about recordings that are not there")
_MAX_SEED = 999_999


@dataclass(frozen=True, slots=True)
class SetChoice:
    """What is chosen.

    Attributes:
        table: also as a table for VLMEvalKit.
        everything: also questions that are not verified or out of date.
        seed: of the splits.
        release: folder of a release whose clips and pictures are named; None for none.
    """

    table: bool = False
    everything: bool = False
    seed: int = 0
    release: Path | None = None


class SetForm(Form):
    """The form."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._release: Path | None = None
        self.everything = self.tick(
            tr("&Also questions that are not verified or out of date"),
            tr("They are marked as such in the set; their texts have to be read too"),
            title=tr("Questions"),
        )
        self.table = self.tick(
            tr("Also as a &table for VLMEvalKit"),
            tr("Add vlmevalkit/questions.tsv to the JSON lines, which are always there"),
            title=tr("Files"),
        )
        with self.line():
            self.seed = self.number(
                tr("&Seed of the splits"), tr("The same study and seed give the same splits"), maximum=_MAX_SEED
            )
        self.release = ElidedLabel()
        self.choose = push_button(
            tr("Choose &release…"),
            tr("Name the clips and pictures of a folder that was released from this study"),
        )
        self.clear = push_button(tr("&No release"), tr("Name no clips and pictures"), lambda: self.show_release(None))
        self.add(tr("Clips and pictures"), make_row(self.release, 1, self.choose, self.clear))
        self.show_release(None)

    def chosen(self) -> SetChoice:
        """Return what is chosen."""
        return SetChoice(self.table.isChecked(), self.everything.isChecked(), self.seed.value(), self._release)

    def show_release(self, folder: Path | None) -> None:
        """Choose a release; None for none."""
        before, self._release = self._release, folder
        self.release.set_text(_NO_RELEASE if folder is None else str(folder))
        self.clear.setEnabled(folder is not None)
        if before != folder:
            self.changed.emit()


_EDIT_PAUSE_MS = 400
_RELEVANT_TABLES = frozenset(
    (
        *("question", "verification", "chain", "chain_node", "chain_edge", "chain_person", "chain_review"),
        *("recording", "medium", "participant", "appearance", "consent", "hold_out", "annotator", "property"),
        *("track_correction", "face_track", "utterance", "private_word", "public_word", "pii_decision"),
    )
)


class DatasetTab(StudyView):
    """Gathers while the window stays awake; writes in a thread, and only what somebody has read."""

    title = tr("Export questions as a data set")
    tables = _RELEVANT_TABLES
    preferred_size = (1080, 720)
    pause_ms = _EDIT_PAUSE_MS

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._found: DatasetContents | None = None
        self._everything = False
        self.setMinimumWidth(560)
        self.heading = PlainLabel(wordWrap=True, font=theme.font(semibold=True))
        self.form = SetForm()
        self.counts = RecordTable(tr("What leaves"), text_columns(COUNT_COLUMNS))
        self.left_out = RecordTable(tr("What does not leave"), text_columns(LEFT_OUT_COLUMNS))
        EmptyHint(self.counts, tr("What leaves is counted here, by kind and split."))
        EmptyHint(self.left_out, tr("What is left out is counted here, with the reason."))
        self.texts = TextsView()
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.addTab(self._make_contents_page(), tr("&What leaves"))
        self.tabs.addTab(self.texts, tr("Te&xts"))
        self.line = ProgressLine(tr("The data set"))
        self.export = push_button(
            tr("&Export…"), tr("Write the questions into a new folder, once their texts were read"), look="primary"
        )
        self.gathering = QuestionSetAssembler(context, lambda: self.form.chosen().everything, self)
        self.writing = QuestionSetWriter(context, self)
        self.lay_out(self.heading, self.tabs, 1, self.line, foot=(self.export,))
        self._connect_signals()

    def reload(self, _session: Session) -> None:
        self._found = None
        self._everything = self.form.chosen().everything
        self.heading.setText(tr("Looking at what may leave…"))
        self._show_state()
        self.gathering.start()

    def _show(self, found: DatasetContents) -> None:
        self._found = found
        self.line.hide()
        self._show_counts()
        self._show_state()
        in_turn(self, self._show_texts)

    def _show_counts(self) -> None:
        found = self._found
        if found is None:
            return
        self.counts.show_records(count_rows(found, self.form.seed.value()) if found.items else ())
        self.left_out.show_records(left_out_rows(found))

    def _show_texts(self) -> None:
        session, found = self._studio.session, self._found
        if session is None or found is None:
            return
        once = unique_texts(found.texts)
        reader = find_reader(session, found)
        said = tr("There are no texts.")
        if once:
            state = (
                tr("Read by {name}.").format(name=reader.name)
                if reader
                else tr("Nobody confirmed them as they are now.")
            )
            changed = sum(bool(released_text.replacements) for released_text in once)
            said = tr("{count}, each listed once, {changed:,} changed. {state}").format(
                count=trn("{count} text", "{count} texts", len(once)), changed=changed, state=state
            )
        self.texts.show_texts(once, said, confirmed=reader is not None, writable=self._studio.writable)
        self.texts.show_private_words(replacements(session.study))

    def _show_state(self) -> None:
        session, found = self._studio.session, self._found
        reader = None if session is None or found is None else find_reader(session, found)
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

    def _on_form_changed(self) -> None:
        if self._found is not None and self.form.chosen().everything == self._everything:
            self._show_counts()
        else:
            self.refresh()

    def _choose_release(self) -> None:
        folder = self._context.questions.folder(tr("Folder of a release of this study"))
        if folder is not None:
            self.form.show_release(folder)

    def _confirm(self) -> None:
        found = self._found
        if found is not None:
            self.edit(partial(confirm_question_texts, gathering=found))

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
            ready = prepare_dataset(session, found, formats, chosen.seed, chosen.release)
        except UserError as error:
            self.tell(error)
            return
        self.tell("")
        self.writing.start(ready, place)
        self._show_state()

    def _on_written(self, made: DatasetCounts, folder: Path) -> None:
        self._show_result(
            tr("Wrote {count} to {name}. Fill in DATACARD.md before it leaves.").format(
                count=trn("{count} question", "{count} questions", made.questions), name=folder.name
            )
        )

    def _show_result(self, said: str) -> None:
        self.line.hide()
        self.tell(said)
        self._show_state()

    def _on_stopped(self, why: str) -> None:
        self.line.hide()
        self.heading.setText(why)
        self._show_state()

    def _cancel(self) -> None:
        if self.writing.busy:
            self.writing.cancel()
        else:
            self.gathering.cancel()
            self._is_stale = True

    def needs_reload(self, changes: Changes, initiator: object) -> bool:
        if not super().needs_reload(changes, initiator):
            return False
        if initiator is self and self._is_unchanged():
            # Only who read the texts was kept; the texts are as they were.
            self._show_texts()
            self._show_state()
            return False
        if self.writing.busy:
            self.writing.cancel()
        self._found = None
        self._show_state()
        return True

    def _is_unchanged(self) -> bool:
        """Tell whether what was gathered is as it would be now: a first confirmation adds an annotator to the study."""
        session, found = self._studio.session, self._found
        if session is None or found is None:
            return False
        return (
            release_checksum(session, {recording.id: recording for recording in all_recordings(session.study)})
            == found.checksum
        )

    def _make_contents_page(self) -> QWidget:
        return make_tab_page(
            self.form, make_splitter(Qt.Orientation.Vertical, self.counts, self.left_out, sizes=[300, 200]), 1
        )

    def _connect_signals(self) -> None:
        self.gathering.finished.connect(self._show)
        self.gathering.progressed.connect(self.line.show_progress)
        self.gathering.stopped.connect(self._on_stopped)
        self.writing.finished.connect(self._on_written)
        self.writing.progressed.connect(self.line.show_progress)
        self.writing.stopped.connect(self._show_result)
        self.line.cancel_requested.connect(self._cancel)
        self.form.changed.connect(self._on_form_changed)
        self.form.choose.clicked.connect(self._choose_release)
        self.texts.words_changed.connect(lambda words: self._studio.edit(partial(set_private_words, words=words)))
        self.texts.confirm_requested.connect(self._confirm)
        self.texts.row_chosen.connect(self._context.look_at)
        self.export.clicked.connect(self._start)
