"""What looks personal in the open study, kept in step with every edit without making the window wait."""

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.core import pii_search
from app.core.jobs import Work
from app.core.pii import PlacedHit, hits
from app.core.pii_finder import unsettled
from app.gui.context import Context
from project.queries.free_texts import free_texts
from project.queries.pii import pii_decisions
from project.types import Changes

_PAUSE_MS = 600
_DECIDED = frozenset({"pii_decision"})
_TEXTS = frozenset(
    {"utterance", "segment", "segment_value", "comment", "review", "recording", "collection", "participant"}
)
_KNOWN = frozenset({"private_word", "public_word", "annotator", "property", "participant"})


class Finding(QObject):
    """Has texts searched by the worker, and what the study knows held against them in a thread.

    Signals:
        changed: `hits` are others, or were decided otherwise.
        told (str): what is done right now; "" when it is done.

    Attributes:
        hits: of the whole study, in the order of recordings and time.
    """

    changed = Signal()
    told = Signal(str)

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.hits: list[PlacedHit] = []
        self._turn = 0
        self._asked: Work | None = None
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.refresh)
        context.jobs.stopped.connect(self._stopped)
        context.jobs.progressed.connect(self._progressed)

    def refresh(self) -> None:
        """Search what is new, and find all hits anew; the ones before stay until then."""
        session = self._context.studio.session
        self._pause.stop()
        if session is None or self._asked is not None:
            return
        self._turn += 1
        work = pii_search.prepare(session)
        if work is not None:
            self._asked = work
            self.told.emit("Looking for personal information…")
            self._context.jobs.start(work, lambda _result: self._searched())
            return
        turn = self._turn
        settle = unsettled(session, [one.text for one in free_texts(session.study)])

        def keep(kept: object) -> None:
            if callable(kept) and turn == self._turn:
                kept()
                self._assemble()

        self._context.background.run(lambda _progress: settle(), keep)

    def apply(self, changes: Changes) -> None:
        """Follow an edit of the study."""
        tables = frozenset(changes)
        if tables & _DECIDED and not tables & (_TEXTS | _KNOWN):
            self._decide()
        elif tables & _KNOWN:
            self.refresh()
        elif tables & _TEXTS:
            self._pause.start()

    def _searched(self) -> None:
        self._asked = None
        self.refresh()

    def _stopped(self, work: Work) -> None:
        if work is self._asked:
            self._asked = None
            self.told.emit("The search was stopped, so this list may lack something. Search again: F5")

    def _progressed(self, work: Work, done: int, total: int, text: str) -> None:
        if work is self._asked:
            self.told.emit(f"{text}: {done} of {total} texts…")

    def _assemble(self) -> None:
        session = self._context.studio.session
        if session is not None:
            self.hits = hits(session)
            self.told.emit("")
            self.changed.emit()

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
