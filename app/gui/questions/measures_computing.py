"""Computes what is known of questions, judges and chains: the study is read at once, the rest is done in a thread."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.chains.statistics import ChainStatistics, statistics
from app.core.questions.measures import Material, Measures, computed, read
from app.gui.context import Context
from project.errors import UserError
from project.progress import Progress
from project.types import Changes

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
        refused (str): why they cannot be.
        outdated (): the study has changed since, and they are not computed by themselves.
    """

    found = Signal(object)
    working = Signal(bool)
    refused = Signal(str)
    outdated = Signal()

    def __init__(self, context: Context, everything: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._everything = everything
        self._asked = 0
        self._soon = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._soon.timeout.connect(self.start)
        context.studio.bridge.changed.connect(self._apply)
        context.studio.leaving.connect(self.stop)

    def start(self) -> None:
        """Read the study now and compute in the background."""
        self._soon.stop()
        session = self._context.studio.session
        if session is None:
            return
        self._asked += 1
        number, everything = self._asked, self._everything()
        try:
            material = read(session)
        except UserError as error:
            self._end(number, str(error))
            return
        self.working.emit(True)

        def then(found: Found) -> None:
            if number == self._asked:
                self.found.emit(found)
                self._end(number)

        def failed(error: Exception) -> None:
            _log.error("The measures could not be computed", exc_info=error)
            self._end(number, f"The measures could not be computed: {error}")

        self._context.background.run(lambda progress: _work(material, everything, progress), then, failed)

    def stop(self) -> None:
        """Want no answer any more."""
        self._asked += 1
        self._soon.stop()

    def _end(self, number: int, why: str = "") -> None:
        if number == self._asked:
            self.working.emit(False)
            if why:
                self.refused.emit(why)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _MATTERS & changes.tables.keys():
            self._asked += 1
            self.working.emit(False)
            self.outdated.emit()


def _work(material: Material, everything: bool, progress: Progress) -> Found:
    progress.check_cancelled()
    chains = statistics(material.graphs)
    progress.check_cancelled()
    return Found(computed(material, everything=everything), chains)
