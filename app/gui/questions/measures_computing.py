"""Computes what is known of questions, judges and chains, from the study as a thread reads it."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.chains.statistics import ChainStatistics, statistics
from app.core.questions.measures import Material, Measures, computed, read
from app.gui.context import Context
from app.gui.second_look import Look, look
from project.errors import UserError
from project.progress import Progress
from project.types import Changes
from resources.translation import tr

_log = logging.getLogger(__name__)
_WAIT_MS = 600
_MATTERS = frozenset(
    {
        *("question", "verification", "judgment", "judge"),
        *("chain", "chain_node", "chain_edge", "chain_person", "recording"),
    }
)


@dataclass(frozen=True, eq=False)
class Found:
    """All figures of one moment."""

    measures: Measures
    chains: ChainStatistics


class MeasuresComputing(QObject):
    """Computes one state of the study at a time; an answer that is no longer wanted is dropped.

    Signals:
        found (Found): the figures.
        working (bool): whether they are computed.
        progressed (int, int, str): how far it is, of how many, and what is done.
        refused (str): why they cannot be.
        outdated (): the study has changed since, and they are not computed by themselves.
    """

    found = Signal(object)
    working = Signal(bool)
    progressed = Signal(int, int, str)
    refused = Signal(str)
    outdated = Signal()

    def __init__(self, context: Context, everything: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._everything = everything
        self._asked = 0
        self._looking: Look | None = None
        self._soon = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._soon.timeout.connect(self.start)
        context.studio.bridge.changed.connect(self._apply)
        context.studio.leaving.connect(self.stop)

    def start(self) -> None:
        """Read the study and compute, in the background."""
        self._soon.stop()
        session = self._context.studio.session
        if session is None:
            return
        self._drop()
        number, everything = self._asked, self._everything()
        self.working.emit(True)

        def then(found: Found) -> None:
            if number == self._asked:
                self.found.emit(found)
                self._end(number)

        def failed(error: Exception) -> None:
            if isinstance(error, UserError):
                self._end(number, str(error))
                return
            _log.error("The measures could not be computed", exc_info=error)
            self._end(number, tr("The measures could not be computed: {error}").format(error=error))

        self._looking = look(
            *(self._context.background, session, lambda second, progress: _work(read(second), everything, progress)),
            *(then, failed, self.progressed.emit),
        )

    def stop(self) -> None:
        """Want no answer any more."""
        self._drop()
        self._soon.stop()

    def cancel(self) -> None:
        """Want no answer, as somebody said."""
        self.stop()
        self._end(self._asked, tr("Cancelled. Refresh computes the figures."))

    def _drop(self) -> None:
        self._asked += 1
        if self._looking is not None:
            self._looking.stop()
            self._looking = None

    def _end(self, number: int, why: str = "") -> None:
        if number == self._asked:
            self.working.emit(False)
            if why:
                self.refused.emit(why)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _MATTERS & changes.tables.keys():
            self._drop()
            self.working.emit(False)
            self.outdated.emit()


def _work(material: Material, everything: bool, progress: Progress) -> Found:
    progress.check_cancelled()
    chains = statistics(material.graphs)
    progress.check_cancelled()
    return Found(computed(material, everything=everything, progress=progress), chains)
