"""The guidelines panel beside the form: definitions and examples for the track of the selected segment."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from app.gui.study.study_controller import ActiveTrack, StudyController
from project.queries.segment_rows import find_segment
from project.schemes.scheme import Scheme, Track
from resources.translation import tr
from widgets import theme
from widgets.form.controls import tool_button
from widgets.form.layouts import make_column, make_row
from widgets.inspector.scheme_browser import SchemeBrowser
from widgets.text_labels import ElidedLabel, PlainLabel


class GuidelinesPanel(QWidget):
    """A head with the scheme's name, and its words.

    Signals:
        close_requested: by its button.
    """

    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, accessibleName=tr("Guidelines"), minimumWidth=240)
        title = PlainLabel(tr("Guidelines"), font=theme.font(semibold=True))
        self._scheme = ElidedLabel(look="quiet")
        close = tool_button(
            "x", tr("Close the guidelines"), tr("Close the guidelines (F3)"), self.close_requested, side=14
        )
        self.words = SchemeBrowser(tr("Guidelines"))
        self.setLayout(
            make_column(
                make_row(
                    title, self._scheme, 1, close, margin=(theme.GRID * 3 // 2, theme.GRID, theme.GRID, theme.GRID // 2)
                ),
                self.words,
                1,
                margin=(0, 0, theme.GRID // 2, 0),
                spacing=0,
            )
        )

    def show_track(self, scheme: Scheme, track: Track) -> None:
        """Show the guidelines of a track."""
        self._scheme.set_text(scheme.name)
        self.words.show_guidelines(scheme, track)


_PANEL_WIDTH = 280


class Guidelines(QObject):
    """Shows those of the selected segment's scheme, else of the track that new segments go to.

    Signals:
        toggled (bool): they were opened or closed.
    """

    toggled = Signal(bool)

    def __init__(
        self,
        studio: StudyController,
        active: ActiveTrack,
        columns: QSplitter,
        picture: QSplitter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._active = active
        self._columns = columns
        self._picture = picture
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
        wide = max(_PANEL_WIDTH, sizes[place])
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
        chosen = find_segment(session.study, self._studio.selected[0]) if self._studio.selected else None
        known = session.schemes.find(chosen.scheme) if chosen else None
        if chosen is not None and known is not None:
            scheme, track = known, known.track_or_empty(chosen.track)
        if scheme is not None and track is not None:
            self.panel.show_track(scheme, track)
