"""Runs the garbage collector in the window's thread, at moments when a pause does not disturb."""

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from app.core.garbage import search_all, search_by_hand, search_recent
from app.gui.studio import Studio

_EVERY_MS = 500
_AWAY_MS = 10_000
"""How long another program must be in front, or no study open, before all is searched, and how often then."""
_AT_LEAST_MS = 3_600_000
"""So often all is searched whatever is in front: what goes on for days would fill the memory."""


class Collector(QObject):
    """Looks at what is new twice a second, and at everything while somebody has turned to something else."""

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio)
        self._studio = studio
        self._grown = False
        search_by_hand()
        self._often = QTimer(self, interval=_EVERY_MS)
        self._often.timeout.connect(self._search_recent)
        self._often.start()
        self._away = QTimer(self, interval=_AWAY_MS)
        self._away.timeout.connect(self._search_all)
        self._at_least = QTimer(self, interval=_AT_LEAST_MS)
        self._at_least.timeout.connect(search_all)
        self._at_least.start()
        studio.session_changed.connect(self._look_away)
        application = QCoreApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.applicationStateChanged.connect(self._look_away)

    def _look_away(self) -> None:
        in_front = QGuiApplication.applicationState() == Qt.ApplicationState.ApplicationActive
        if in_front and self._studio.session is not None:
            self._away.stop()
        elif not self._away.isActive():
            self._away.start()

    def _search_recent(self) -> None:
        self._grown = search_recent() or self._grown

    def _search_all(self) -> None:
        if self._grown:
            self._grown = False
            search_all()
