"""Computes the figures in the background, and says whether they are those of the study as it is now."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.agreement.measuring import Question, Reading, compute, read
from app.core.statistics import Statistics, count, count_each
from app.gui.background import Background
from app.gui.studio import Studio
from benchmark.agreement.report import Report
from project.errors import UserError
from project.progress import Progress
from project.types import Changes

_log = logging.getLogger(__name__)
_WAIT_MS = 400
_QUICK_S = 0.7
"""A computation that takes no longer is done again by itself after each edit."""
_MATTERS = frozenset(
    {
        *("segment", "segment_value", "review", "completion", "assignment", "annotator", "recording", "collection"),
        *("scheme_version", "property", "participant", "medium"),
    }
)


class State(Enum):
    """How the figures stand to the study."""

    WORKING = auto()
    CURRENT = auto()
    OUT_OF_DATE = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """All figures of one question; `each` has the statistics of every annotator alone."""

    report: Report
    statistics: Statistics
    each: tuple[Statistics, ...]


class Computing(QObject):
    """Answers one question at a time; an answer that is no longer wanted is dropped.

    Signals:
        found (Found): the figures.
        state_changed (State, str): how they stand; the text says why a question was refused.
    """

    found = Signal(object)
    state_changed = Signal(object, str)

    def __init__(
        self, studio: Studio, background: Background, question: Callable[[], Question | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._background = background
        self._question = question
        self._asked = 0
        self._seconds = 0.0
        self.state = State.OUT_OF_DATE
        self._timer = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._timer.timeout.connect(self.start)
        studio.bridge.changed.connect(self._apply)
        studio.leaving.connect(self.stop)

    def soon(self) -> None:
        """Compute after a moment in which nothing else is asked for."""
        self._timer.start()

    def start(self) -> None:
        """Read the study now and compute in the background."""
        self._timer.stop()
        session = self._studio.session
        question = self._question()
        if session is None or question is None:
            return
        self._asked += 1
        number, began = self._asked, time.monotonic()
        try:
            reading = read(session, question)
        except UserError as error:
            self._say(State.REFUSED, f"{error.message} {error.hint}".strip())
            return
        self._say(State.WORKING)

        def then(found: Found) -> None:
            if number == self._asked:
                self._seconds = time.monotonic() - began
                self.found.emit(found)
                self._say(State.CURRENT)

        def failed(error: Exception) -> None:
            if number == self._asked:
                _log.error("The figures could not be computed", exc_info=error)
                self._say(State.REFUSED, f"The figures could not be computed: {error}")

        self._background.run(lambda progress: _work(reading, progress), then, failed)

    def stop(self) -> None:
        """Want no answer any more."""
        self._asked += 1
        self._timer.stop()

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if not _MATTERS & changes.tables.keys():
            return
        self._asked += 1
        self._say(State.OUT_OF_DATE)
        if self._seconds < _QUICK_S:
            self.soon()

    def _say(self, state: State, text: str = "") -> None:
        self.state = state
        self.state_changed.emit(state, text)


def _work(reading: Reading, progress: Progress) -> Found:
    progress.check_cancelled()
    statistics, each = count(reading.material), count_each(reading.material)
    progress.check_cancelled()
    return Found(compute(reading), statistics, each)
