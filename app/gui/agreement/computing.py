"""Computes the figures in the background, and says whether they are those of the study as it is now."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.agreement.measuring import Question, compute, read
from app.core.session import Session
from app.core.statistics import Statistics, count, count_each
from app.gui.agreement.plots import agreement_plots
from app.gui.agreement.statistics_plots import annotator_plots, statistics_plots
from app.gui.background import Background
from app.gui.second_look import Look, look
from app.gui.studio import Studio
from benchmark.agreement.report import Report
from project.errors import UserError
from project.progress import Progress
from project.types import Changes
from resources.translation import tr
from widgets.label_looks import LabelLook, looks_of
from widgets.plots.scene import Plot

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
    """All figures of one question, and what they are drawn as.

    Attributes:
        each: the statistics of every annotator alone.
        looks: of the labels, by key.
        drawn: plots of agreement.
        counted: plots of statistics.
    """

    report: Report
    statistics: Statistics
    each: tuple[Statistics, ...]
    looks: Mapping[str, LabelLook]
    drawn: tuple[Plot, ...]
    counted: tuple[Plot, ...]


class Computing(QObject):
    """Answers one question at a time; an answer that is no longer wanted is dropped.

    Signals:
        found (Found): the figures.
        state_changed (State, str): how they stand; the text says why a question was refused.
        progressed (int, int, str): how far it is, of how many, and what is done.
    """

    found = Signal(object)
    state_changed = Signal(object, str)
    progressed = Signal(int, int, str)

    def __init__(
        self, studio: Studio, background: Background, question: Callable[[], Question | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._background = background
        self._question = question
        self._seconds = 0.0
        self._looking: Look | None = None
        self.state = State.OUT_OF_DATE
        self._timer = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._timer.timeout.connect(self.start)
        studio.bridge.changed.connect(self._apply)
        studio.leaving.connect(self.stop)

    def soon(self) -> None:
        """Compute after a moment in which nothing else is asked for."""
        self._timer.start()

    def start(self) -> None:
        """Read the study and compute, in the background."""
        self._timer.stop()
        session = self._studio.session
        question = self._question()
        if session is None or question is None:
            return
        self._drop()
        began = time.monotonic()
        self._say(State.WORKING)

        def then(found: Found) -> None:
            self._seconds = time.monotonic() - began
            self.found.emit(found)
            self._say(State.CURRENT)

        def failed(error: Exception) -> None:
            if isinstance(error, UserError):
                self._say(State.REFUSED, f"{error.message} {error.hint}".strip())
            else:
                _log.error("The figures could not be computed", exc_info=error)
                self._say(State.REFUSED, tr("The figures could not be computed: {error}").format(error=error))

        self._looking = look(
            *(self._background, session, lambda second, progress: _work(second, question, progress)),
            *(then, failed, self.progressed.emit),
        )

    def stop(self) -> None:
        """Want no answer any more."""
        self._drop()
        self._timer.stop()

    def cancel(self) -> None:
        """Want no answer, as somebody said."""
        self.stop()
        self._say(State.REFUSED, tr("Cancelled. Refresh computes the figures."))

    def _drop(self) -> None:
        if self._looking is not None:
            self._looking.stop()
            self._looking = None

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if not _MATTERS & changes.tables.keys():
            return
        self._drop()
        self._say(State.OUT_OF_DATE)
        if self._seconds < _QUICK_S:
            self.soon()

    def _say(self, state: State, text: str = "") -> None:
        self.state = state
        self.state_changed.emit(state, text)


def _work(second: Session, question: Question, progress: Progress) -> Found:
    reading = read(second, question)
    progress.check_cancelled()
    statistics, each = count(reading.material), count_each(reading.material)
    progress.check_cancelled()
    report = compute(reading, progress)
    looks = _looks(second, report)
    drawn = (*agreement_plots(report),)
    return Found(
        *(report, statistics, each, looks, drawn), (*statistics_plots(statistics, looks), *annotator_plots(each))
    )


def _looks(session: Session, report: Report) -> dict[str, LabelLook]:
    scheme = session.schemes.known(str(report.settings["scheme"]))
    if scheme is None:
        return {}
    return {look.key: look for look in looks_of(scheme.track(str(report.settings["track"])))}
