"""Has the texts searched that may have to leave scrubbed, before anybody asks: at once would hold up the window."""

from PySide6.QtCore import QObject

from app.core.leaving.in_force import policy_in_force
from app.gui.context import Context
from app.gui.pii.searching import Searching
from project.policy import Level
from project.types import Changes


class SearchingAhead(QObject):
    """Starts the search when a study is opened, or its policy set, that lets reviewed texts leave."""

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = context.studio
        self._searching = Searching(context, self)
        self._studio.session_changed.connect(self.look)
        self._studio.bridge.changed.connect(self._on_change)

    def look(self) -> None:
        """Begin where it is wanted and somebody has read the scrubbed texts; without that none of them leaves."""
        session = self._studio.session
        if session is None or policy_in_force(session).level is not Level.ANONYMIZED:
            return
        from app.core.release.texts import PROPERTY

        if session.study.get_property(PROPERTY) is not None and self._searching.needed:
            self._searching.begin()

    def _on_change(self, changes: Changes, _initiator: object) -> None:
        if changes.ids("property"):
            self.look()
