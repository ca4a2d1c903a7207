"""What looks personal in the open study, kept in step with every edit."""

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.commands.pii_numbers import Numbers, numbers_of, store_numbers
from app.core.pii.finder import found_so_far
from app.core.pii.hits import PlacedHit, hits
from app.core.pii.languages import LanguageCoverage, language_gaps, share_coverage
from app.core.session import Session
from app.gui.context import Context
from app.gui.pii.searching import Searching
from app.gui.second_look import look
from project.progress import Progress
from project.queries.pii import pii_decisions
from project.types import Changes
from resources.translation import tr

_PAUSE_MS = 600
_DECIDED = frozenset({"pii_decision"})
_TEXTS = frozenset(
    {"utterance", "segment", "segment_value", "comment", "review", "recording", "collection", "participant"}
)
_Read = tuple[list[PlacedHit], Numbers, list[tuple[int, LanguageCoverage]]]
_KNOWN = frozenset({"private_word", "public_word", "annotator", "property", "participant"})


class Finding(QObject):
    """Hits of the study, and what was decided about them.

    Signals:
        changed: `hits` are others, or were decided otherwise.
        told (str): what is done right now; "" when it is done.

    Attributes:
        hits: of the whole study, in the order of recordings and time.
        looking: whether a search is under way, so that `hits` may lack something.
        gaps: number and languages of the recordings whose transcript is mostly in a language that is not covered.
        complete: whether `hits` are those of the last search that was asked for.
    """

    changed = Signal()
    told = Signal(str)

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._turn = 0
        self.hits: list[PlacedHit] = []
        self.gaps: list[tuple[int, LanguageCoverage]] = []
        self.looking = False
        self.complete = False
        self._searching = Searching(context, self)
        self._searching.ready.connect(self._assemble)
        self._searching.told.connect(self.told)
        self._searching.stopped.connect(self._tell_stopped)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.refresh)

    def refresh(self) -> None:
        """Search what is new, and find all hits anew; the ones before stay until then."""
        self._pause.stop()
        self.looking, self.complete = True, False
        self._searching.begin()

    def apply(self, changes: Changes) -> None:
        """Follow an edit of the study."""
        tables = frozenset(changes)
        if tables & (_DECIDED | _KNOWN | _TEXTS):
            # What is put together right now is of before this edit.
            self._turn += 1
        if tables & _DECIDED and not tables & (_TEXTS | _KNOWN):
            if self.looking:
                self._assemble()
            else:
                self._decide()
        elif tables & _KNOWN:
            self.refresh()
        elif tables & _TEXTS:
            self.looking, self.complete = True, False
            self._pause.start()

    def _tell_stopped(self) -> None:
        self.looking = False
        self.told.emit(tr("The search was stopped, so this list may lack something. Search again: F5"))

    def _assemble(self) -> None:
        """Put the hits of the whole study together in a thread; an edit meanwhile has them put together again."""
        session = self._context.studio.session
        if session is None:
            return
        self._turn += 1
        turn, tell, share = self._turn, found_so_far(session), share_coverage(session)

        def read(second: Session, _progress: Progress) -> _Read:
            tell(second)
            share(second)
            found = hits(second)
            return found, numbers_of(second, found), language_gaps(second)

        def then(found: _Read) -> None:
            if turn == self._turn and self._context.studio.session is session:
                self._take(session, *found)

        look(self._context.background, session, read, then, self._fail)

    def _take(
        self, session: Session, found: list[PlacedHit], numbers: Numbers, gaps: list[tuple[int, LanguageCoverage]]
    ) -> None:
        self.hits, self.gaps = found, gaps
        store_numbers(session, numbers)
        self.looking, self.complete = self._pause.isActive(), not self._pause.isActive()
        self.told.emit("")
        self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self.looking = False
        self.told.emit(str(error))

    def _decide(self) -> None:
        """Take over decisions; where one changes what is listed, all is found anew from what was searched."""
        session = self._context.studio.session
        if session is None:
            return
        decisions = pii_decisions(session.study)
        made, seen = [], 0
        for one in self.hits:
            decision = decisions.get(one.place)
            seen += decision is not None
            if (decision is None and one.annotator_id) or (decision is not None and decision.kind != one.kind):
                self._assemble()
                return
            if decision is not None:
                one = replace(one, verdict=decision.verdict, annotator_id=decision.annotator_id)
            made.append(one)
        known = {one.place for one in made}
        if any(place not in known and decision.verdict == "hide" for place, decision in decisions.items()):
            self._assemble()
            return
        self.hits = made
        self.changed.emit()
