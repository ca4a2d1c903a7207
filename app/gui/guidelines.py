"""Opens the guidelines beside the form, and keeps them on the track of what is selected."""

from PySide6.QtCore import QObject, Signal

from app.gui.active_track import ActiveTrack
from app.gui.studio import Studio
from app.gui.workspace import Workspace
from project.queries.segments import segment
from widgets.guidelines_panel import GuidelinesPanel

_WIDE = 280


class Guidelines(QObject):
    """Shows those of the selected segment's scheme, else of the track that new segments go to.

    Signals:
        toggled (bool): they were opened or closed.
    """

    toggled = Signal(bool)

    def __init__(
        self, studio: Studio, active: ActiveTrack, workspace: Workspace, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._active = active
        self._columns = workspace.columns
        self._picture = workspace.rows
        self.panel = GuidelinesPanel()
        self.panel.hide()
        self._columns.addWidget(self.panel)
        self._columns.setStretchFactor(self._columns.indexOf(self.panel), 0)
        self.panel.close_requested.connect(lambda: self.show(False))
        studio.selection_changed.connect(self.refresh)
        active.changed.connect(self.refresh)

    @property
    def visible(self) -> bool:
        """Whether they are open."""
        return not self.panel.isHidden()

    def toggle(self) -> None:
        """Open or close them."""
        self.show(not self.visible)

    def show(self, visible: bool) -> None:
        """Open or close them; the picture gives them its room."""
        if visible == self.visible:
            return
        sizes = self._columns.sizes()
        self.panel.setVisible(visible)
        place, picture = self._columns.indexOf(self.panel), self._columns.indexOf(self._picture)
        wide = max(_WIDE, sizes[place])
        sizes[place] = wide if visible else 0
        sizes[picture] += -wide if visible else wide
        self._columns.setSizes(sizes)
        self.refresh()
        self.toggled.emit(visible)

    def refresh(self) -> None:
        """Show the words of the track that is worked on."""
        session = self._studio.session
        if session is None or not self.visible:
            return
        scheme, track = self._active.scheme, self._active.track
        chosen = segment(session.study, self._studio.selected[0]) if self._studio.selected else None
        known = session.schemes.known(chosen.scheme) if chosen else None
        if chosen is not None and known is not None:
            scheme, track = known, known.lane(chosen.track)
        if scheme is not None and track is not None:
            self.panel.show_track(scheme, track)
