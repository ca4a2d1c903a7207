"""Searches the study's texts for personal information in the background.

Keeps the hits in step with edits, and offers the name models that are missing.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from anonymize.egress import weights_download_job
from anonymize.egress.egress_authority import policy_in_force
from anonymize.pii_review import study_finder
from anonymize.pii_review.language_coverage import LanguageCoverage, find_language_gaps
from anonymize.pii_review.pii_decisions import Numbers, compute_numbers, store_numbers
from anonymize.pii_review.review_hits import PlacedHit, find_hits
from anonymize.pii_review.study_finder import prepare_hits, share_findings
from app.gui.pages.context import Context
from app.gui.study.dialogs import require_permission
from project.entities.egress_policy import EgressLevel
from project.entities.study_records import Changes
from project.errors import UserError
from project.progress import Progress
from project.queries.pii_rows import pii_decisions
from project.search.free_texts import free_texts
from project.session.jobs import JobSpec
from project.session.optional_parts import NAMES
from project.session.session import Session
from resources.translation import tr
from widgets.form.controls import push_button
from widgets.form.layouts import make_row
from widgets.text_labels import PlainLabel


class NamesModels(QWidget):
    """One button for each model or part that can be fetched, and how far that is. Hidden where there is none to get.

    Signals:
        changed: something was installed, here or elsewhere: what was searched without it has to be searched again.
    """

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._works: dict[str, JobSpec] = {}
        self.buttons: dict[str, QPushButton] = {}
        self.state = PlainLabel(wordWrap=True, accessibleName=tr("State of the download"))
        self._row = make_row(self.state, 1)
        self.setLayout(self._row)
        context.jobs.done.connect(self._on_done)
        context.jobs.stopped.connect(self._on_stopped)
        context.jobs.progressed.connect(self._on_progress)
        self.hide()

    def show_missing(self, names: Iterable[str]) -> None:
        """Show a button for each of some weights or parts."""
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
        """Get a model or a part over the network; the policy of the study is asked first."""
        if name in self._works:
            return
        try:
            work = weights_download_job.prepare(name)
            require_permission(self._context.studio, self._context.questions, name)
        except UserError as error:
            self.state.setText(f"{error.message} {error.hint}".strip())
            return
        self._works[name] = work
        self._show_busy(name)
        self.state.setText(tr("{title}…").format(title=work.title))
        self._context.jobs.start(work)

    def _add_button(self, name: str) -> None:
        try:
            tip = weights_download_job.download_question(name)
        except UserError as error:
            tip = str(error)
        button = push_button(tr("Get {name}").format(name=name), tip, partial(self.fetch, name), autoDefault=False)
        self._row.insertWidget(len(self.buttons), button)
        self.buttons[name] = button
        self._show_busy(name)

    def _show_busy(self, name: str) -> None:
        if name in self.buttons:
            self.buttons[name].setEnabled(name not in self._works)

    def _remove_job(self, work: JobSpec) -> bool:
        for name, own in [*self._works.items()]:
            if own is work:
                del self._works[name]
                self._show_busy(name)
                return True
        return False

    def _on_done(self, work: JobSpec, _result: object) -> None:
        if work.kind != weights_download_job.KIND:
            return
        if self._remove_job(work):
            self.state.setText("")
        self.changed.emit()

    def _on_stopped(self, work: JobSpec) -> None:
        if self._remove_job(work):
            problem = self._context.jobs.failure_of(work)
            self.state.setText(str(problem) if problem else tr("Stopped; nothing was installed."))

    def _on_progress(self, work: JobSpec, done: int, total: int, _text: str) -> None:
        if work in self._works.values():
            share = f" {100 * done // total} %" if total else "…"
            self.state.setText(f"{work.title}{share}")


class PiiSearchController(QObject):
    """Texts are searched by the worker, and what the study knows is held against them in a thread.

    Signals:
        ready: all texts are searched as they were when this was asked for last.
        message (str): what is done right now.
        stopped (str): the search failed, and why; "" where it was cancelled.
    """

    ready = Signal()
    message = Signal(str)
    stopped = Signal(str)

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._turn = 0
        self._asked: JobSpec | None = None
        context.jobs.stopped.connect(self._on_stopped)
        context.jobs.progressed.connect(self._on_progress)

    @property
    def is_needed(self) -> bool:
        """Whether there are texts that were not searched yet and can be."""
        session = self._context.studio.session
        return session is not None and NAMES.is_installed and study_finder.prepare(session) is not None

    def begin(self) -> None:
        """Search what is new; `ready` follows later."""
        session = self._context.studio.session
        if session is None or self._asked is not None:
            return
        self._turn += 1
        turn, tell = self._turn, share_findings(session)
        self.message.emit(tr("Looking for personal information…"))
        running = self._context.jobs.find_job(study_finder.KIND, "")
        if running is not None:
            self._asked = running
            self._context.jobs.when_done(running, lambda _result: self._on_searched())
            return

        def read(second: Session, _progress: Progress) -> JobSpec | Callable[[Session], None]:
            tell(second)
            return study_finder.prepare(second) or prepare_hits(
                second, [free_text.text for free_text in free_texts(second.study)]
            )

        def then(found: JobSpec | Callable[[Session], None]) -> None:
            if turn != self._turn or self._context.studio.session is not session:
                return
            if isinstance(found, JobSpec):
                self._start(found)
            else:
                found(session)
                self.ready.emit()

        self._context.background.read(session, read, then, lambda error: self.stopped.emit(str(error)))

    def _start(self, work: JobSpec) -> None:
        self._asked = work
        self._context.jobs.start(work, lambda _result: self._on_searched())

    def _on_searched(self) -> None:
        self._asked = None
        self.begin()

    def _on_stopped(self, work: JobSpec) -> None:
        if work is self._asked:
            self._asked = None
            self.stopped.emit(str(self._context.jobs.failure_of(work) or ""))

    def _on_progress(self, work: JobSpec, done: int, total: int, text: str) -> None:
        if work is self._asked:
            self.message.emit(tr("{text}: {done} of {total} texts…").format(text=text, done=done, total=total))


_PAUSE_MS = 600
_DECISION_TABLES = frozenset({"pii_decision"})
_TEXT_TABLES = frozenset(
    {"utterance", "segment", "segment_value", "comment", "review", "recording", "collection", "participant"}
)
_Read = tuple[list[PlacedHit], Numbers, list[tuple[int, LanguageCoverage]]]
_KNOWLEDGE_TABLES = frozenset({"private_word", "public_word", "annotator", "property", "participant"})


class PiiHitMonitor(QObject):
    """Hits of the study, and what was decided about them.

    Signals:
        changed: `hits` are others, or were decided otherwise.
        message (str): what is done right now; "" when it is done.

    Attributes:
        hits: of the whole study, in the order of recordings and time.
        looking: whether a search is under way, so that `hits` may lack something.
        gaps: number and languages of the recordings whose transcript is mostly in a language that is not covered.
        complete: whether `hits` are those of the last search that was asked for.
    """

    changed = Signal()
    message = Signal(str)

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._turn = 0
        self.hits: list[PlacedHit] = []
        self.gaps: list[tuple[int, LanguageCoverage]] = []
        self.looking = False
        self.complete = False
        self._searching = PiiSearchController(context, self)
        self._searching.ready.connect(self._assemble)
        self._searching.message.connect(self.message)
        self._searching.stopped.connect(self._on_search_stopped)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.refresh)

    def refresh(self) -> None:
        """Search what is new, and find all hits again; the ones before stay until then."""
        self._pause.stop()
        self.looking, self.complete = True, False
        self._searching.begin()

    def apply(self, changes: Changes) -> None:
        """Follow an edit of the study."""
        tables = frozenset(changes)
        if tables & (_DECISION_TABLES | _KNOWLEDGE_TABLES | _TEXT_TABLES):
            # What is put together right now is of before this edit.
            self._turn += 1
        if tables & _DECISION_TABLES and not tables & (_TEXT_TABLES | _KNOWLEDGE_TABLES):
            if self.looking:
                self._assemble()
            else:
                self._apply_decisions()
        elif tables & _KNOWLEDGE_TABLES:
            self.refresh()
        elif tables & _TEXT_TABLES:
            self.looking, self.complete = True, False
            self._pause.start()

    def _on_search_stopped(self, problem: str) -> None:
        self.looking = False
        self.message.emit(problem or tr("The search was stopped, so this list may lack something. Search again: F5"))

    def _assemble(self) -> None:
        """Put the hits of the whole study together in a thread; an edit meanwhile has them put together again."""
        session = self._context.studio.session
        if session is None:
            return
        self._turn += 1
        turn, tell = self._turn, share_findings(session)

        def read(second: Session, _progress: Progress) -> _Read:
            tell(second)
            found = find_hits(second)
            return found, compute_numbers(second, found), find_language_gaps(second)

        def then(found: _Read) -> None:
            if turn == self._turn and self._context.studio.session is session:
                self._store_hits(session, *found)

        self._context.background.read(session, read, then, self._fail)

    def _store_hits(
        self, session: Session, found: list[PlacedHit], numbers: Numbers, gaps: list[tuple[int, LanguageCoverage]]
    ) -> None:
        self.hits, self.gaps = found, gaps
        store_numbers(session, numbers)
        self.looking, self.complete = self._pause.isActive(), not self._pause.isActive()
        self.message.emit("")
        self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self.looking = False
        self.message.emit(str(error))

    def _apply_decisions(self) -> None:
        """Take over decisions; where one changes what is listed, all is found again from what was searched."""
        session = self._context.studio.session
        if session is None:
            return
        decisions = pii_decisions(session.study)
        made, seen = [], 0
        for hit in self.hits:
            decision = decisions.get(hit.place)
            seen += decision is not None
            if (decision is None and hit.annotator_id) or (decision is not None and decision.kind != hit.kind):
                self._assemble()
                return
            if decision is not None:
                hit = replace(hit, verdict=decision.verdict, annotator_id=decision.annotator_id)
            made.append(hit)
        known = {placed_hit.place for placed_hit in made}
        if any(place not in known and decision.verdict == "hide" for place, decision in decisions.items()):
            self._assemble()
            return
        self.hits = made
        self.changed.emit()


class SearchingAhead(QObject):
    """Starts the search when a study is opened, or its policy set, that lets reviewed texts leave."""

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = context.studio
        self._searching = PiiSearchController(context, self)
        self._studio.session_changed.connect(self.start_if_needed)
        self._studio.bridge.changed.connect(self._on_change)

    def start_if_needed(self) -> None:
        """Begin where it is wanted and somebody has read the scrubbed texts; without that none of them leaves."""
        session = self._studio.session
        if session is None or policy_in_force(session).level is not EgressLevel.ANONYMIZED:
            return
        from anonymize.release.release_texts import CONFIRMATION_PROPERTY

        if session.study.get_property(CONFIRMATION_PROPERTY) is not None and self._searching.is_needed:
            self._searching.begin()

    def _on_change(self, changes: Changes, _initiator: object) -> None:
        if changes.ids("property"):
            self.start_if_needed()
