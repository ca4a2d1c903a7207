"""Computes the funnel beside the window: the study is read in short pieces, the rest is done in a thread."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.questions.hardening.funnel import Funnel, deciding, funnel_of, survivors_of
from app.core.questions.hardening.reading import Gathered, Gatherer, Reading
from app.core.session import Session
from app.gui.context import Context
from project.errors import UserError
from project.types import Changes

_log = logging.getLogger(__name__)
_WAIT_MS = 400
_MATTERS = frozenset({"question", "judgment", "property", "judge", "chain"})


@dataclass(frozen=True, eq=False)
class Found:
    """The funnel of a study.

    Attributes:
        deciding: steps that decide what goes on.
        going: questions that go on to verification and export.
    """

    reading: Reading
    funnel: Funnel
    deciding: tuple[str, ...]
    going: frozenset[str]


class FunnelComputing(QObject):
    """One computation at a time; what changes meanwhile starts another one after it.

    Signals:
        found (object): what `compute` made of the study as it was a moment ago.
        working (bool): whether it is computed.
        refused (str): why it cannot be.
    """

    found = Signal(object)
    working = Signal(bool)
    refused = Signal(str)

    def __init__(
        self, context: Context, parent: QObject, compute: Callable[[Gathered], object], wanted: Callable[[], bool]
    ) -> None:
        """Make it.

        Args:
            context: the window.
            parent: which it is part of.
            compute: works in a thread on what was read.
            wanted: tells whether what changes in the study is computed again by itself.
        """
        super().__init__(parent)
        self._context = context
        self._compute = compute
        self._wanted = wanted
        self._session: Session | None = None
        self._gatherer: Gatherer | None = None
        self._busy = self._again = False
        self._soon = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._soon.timeout.connect(self.start)
        self._piece = QTimer(self, singleShot=True, interval=0)
        self._piece.timeout.connect(self._read)
        context.studio.bridge.changed.connect(self._apply)
        context.studio.leaving.connect(self.stop)

    def start(self) -> None:
        """Compute now, or once what is computed is done."""
        session = self._context.studio.session
        if session is None:
            return
        if self._busy:
            self._again = True
            return
        if session is not self._session:
            self._session, self._gatherer = session, Gatherer(session)
        self._busy = True
        self.working.emit(True)
        self._piece.start()

    def stop(self) -> None:
        """Want nothing any more."""
        self._soon.stop()
        self._piece.stop()
        self._session = self._gatherer = None
        self._busy = self._again = False

    def _read(self) -> None:
        gatherer = self._gatherer
        if gatherer is None:
            return
        try:
            if gatherer.more():
                self._piece.start()
                return
            gathered = gatherer.gathered()
        except UserError as error:
            self._end(str(error))
            return
        self._context.background.run(
            lambda _progress: self._compute(gathered),
            lambda found: self._done(gatherer, found),
            lambda error: self._failed(gatherer, error),
        )

    def _done(self, gatherer: Gatherer, found: object) -> None:
        if gatherer is self._gatherer:
            self.found.emit(found)
            self._end()

    def _failed(self, gatherer: Gatherer, error: Exception) -> None:
        if gatherer is self._gatherer:
            _log.error("The funnel could not be computed", exc_info=error)
            self._end(str(error))

    def _end(self, why: str = "") -> None:
        self._busy = False
        self.working.emit(False)
        if why:
            self.refused.emit(why)
        if self._again:
            self._again = False
            self._soon.start()

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _MATTERS & set(changes) and self._wanted():
            self._soon.start()


def whole_funnel(gathered: Gathered) -> Found:
    """Return every step of the funnel; in any thread."""
    reading = gathered.reading()
    return Found(reading, funnel_of(reading), deciding(reading), survivors_of(reading))


def who_goes_on(gathered: Gathered) -> frozenset[str]:
    """Return the questions that go on to verification and export; in any thread."""
    return survivors_of(gathered.reading())
