"""The page of the mode Faces: find them, say whose they are, export without them."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QInputDialog,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedLayout,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from app.gui.face_tracks_model import Column, FaceTracksModel
from app.gui.participants_table import ROLES
from project.schemes.scheme import Choice
from project.types import FaceTrack, Participant, ParticipantRole
from widgets import theme
from widgets.empty_state import Choice as Button
from widgets.empty_state import EmptyState
from widgets.tick_row import TickRow

_UNTRACKED = (
    "Faces were not looked for yet",
    "Every face is found and followed through the recording, on this machine.",
)
_AGAIN = "Look for faces again (Ctrl+T); corrections stay with the earlier tracks"
_LOOKING = ("Faces are being looked for", "You can go on working meanwhile.")


class FacesPage(QWidget):
    """Lists the face tracks of a recording.

    Signals:
        track_requested: look for faces in this recording.
        cancel_requested: stop looking.
        jump_requested (object): microseconds at which the chosen track begins.
        track_selected (str): id of the chosen track, empty for none.
        assign_requested (str, object): track id and participant id, None for nobody.
        participant_requested (str, str, ParticipantRole): track id; make this participant and assign the track.
        role_requested (str, ParticipantRole): participant id and the new role.
        dismiss_requested (str, bool): track id; it is not a face, or it is one after all.
        boxes_toggled (bool): draw boxes over the picture.
        export_requested: open the export.
    """

    track_requested = Signal()
    cancel_requested = Signal()
    jump_requested = Signal(object)
    track_selected = Signal(str)
    assign_requested = Signal(str, object)
    participant_requested = Signal(str, str, object)
    role_requested = Signal(str, object)
    dismiss_requested = Signal(str, bool)
    boxes_toggled = Signal(bool)
    export_requested = Signal()

    def __init__(self, parent: QWidget | None = None, ask_name: Callable[[QWidget], str] | None = None) -> None:
        super().__init__(parent)
        self._ask_name = ask_name or _ask_pseudonym
        self._people: dict[str, Participant] = {}
        self._writable = True
        self.setAccessibleName("Faces")
        self.model = FaceTracksModel(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        self._stack = QStackedLayout()
        self._no_recording = EmptyState("scan-face", "No recording is open", "Choose one on the left.")
        self._no_picture = EmptyState("volume-2", "Sound only", "This recording has no picture to look for faces in.")
        self._untracked = EmptyState(
            "scan-face",
            *_UNTRACKED,
            [Button("track", "Track faces", "Ctrl+T", primary=True)],
        )
        self._untracked.chosen.connect(lambda _key: self.track_requested.emit())
        self._none_found = EmptyState(
            "scan-face", "No face was found", "You can look again.", [Button("track", "Track faces again", "Ctrl+T")]
        )
        self._none_found.chosen.connect(lambda _key: self.track_requested.emit())
        self._stack.addWidget(self._no_recording)
        self._stack.addWidget(self._no_picture)
        self._stack.addWidget(self._untracked)
        self._stack.addWidget(self._none_found)
        self._listing = self._make_listing()
        self._stack.addWidget(self._listing)
        column.addLayout(self._stack, 1)
        column.addWidget(self._make_progress())
        self.show_nothing()

    def show_nothing(self) -> None:
        """Show that no recording is open."""
        self.model.set_tracks([], {})
        self._stack.setCurrentWidget(self._no_recording)

    def show_no_picture(self) -> None:
        """Show that the recording is sound only."""
        self.model.set_tracks([], {})
        self._stack.setCurrentWidget(self._no_picture)

    def set_tracks(
        self, tracks: Sequence[FaceTrack], people: Mapping[str, Participant], facts: str, *, tracked: bool
    ) -> None:
        """Show the tracks of a recording; `facts` is a line about the run that found them."""
        chosen = self.selected_track()
        if dict(people) != self._people:
            self._people = dict(people)
            self._fill_people()
        self.model.set_tracks(tracks, people)
        self._facts.setText(facts)
        page = self._untracked if not tracked else self._listing if tracks else self._none_found
        self._stack.setCurrentWidget(page)
        if chosen is not None:
            self.select_track(chosen.id)
        self._show_chosen()

    def set_writable(self, writable: bool, reason: str = "") -> None:
        """Allow changes, or only looking; the reason is shown as a tooltip."""
        self._writable = writable
        self._again.setEnabled(writable)
        self._again.setToolTip(_AGAIN if writable else reason)
        for page in (self._untracked, self._none_found):
            page.set_choosable(writable)
            page.setToolTip("" if writable else reason)
        self._show_chosen()

    def set_progress(self, text: str | None, done: int = 0, total: int = 0) -> None:
        """Show how far the search is; None when there is none."""
        self._progress.setVisible(text is not None)
        self._untracked.set_text(*(_UNTRACKED if text is None else _LOOKING))
        for page in (self._untracked, self._none_found):
            page.set_choosable(self._writable and text is None)
        self._again.setEnabled(self._writable and text is None)
        if text is not None:
            self._bar.setRange(0, total)
            self._bar.setValue(done)
            self._bar.setFormat("%p %")
            self._words.setText(text)

    def select_track(self, track_id: str) -> None:
        """Choose a track in the list."""
        row = next((i for i, t in enumerate(self.model.tracks) if t.id == track_id), None)
        if row is not None and self.tree.currentIndex().row() != row:
            self.tree.setCurrentIndex(self.model.index(row, 0))

    def selected_track(self) -> FaceTrack | None:
        """Return the chosen track."""
        row = self.tree.currentIndex().row()
        return self.model.tracks[row] if 0 <= row < len(self.model.tracks) else None

    def set_boxes(self, visible: bool) -> None:
        """Show whether boxes are drawn."""
        self._boxes.setChecked(visible)

    def _make_listing(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self._facts = QLabel(wordWrap=True)
        self._facts.setAccessibleName("About this tracking")
        self.tree = QTreeView(rootIsDecorated=False, uniformRowHeights=True, allColumnsShowFocus=True)
        self.tree.setModel(self.model)
        self.tree.setAccessibleName("Face tracks")
        self.tree.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.tree.setStyleSheet("QTreeView::item { padding: 5px 8px; }")
        header = self.tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(Column.FACE, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(Column.SPAN, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.selectionModel().currentChanged.connect(self._chosen)
        self.tree.activated.connect(self._jump)
        self.tree.clicked.connect(self._jump)
        self._boxes = TickRow(Choice("boxes", "Show boxes over the picture", "Around every face.", "B"))
        self._boxes.toggled.connect(self.boxes_toggled)
        column.addWidget(self._facts)
        column.addWidget(self.tree, 1)
        column.addLayout(self._make_assignment())
        column.addWidget(self._boxes)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self._again = QPushButton("Track again")
        self._again.setToolTip(_AGAIN)
        self._again.clicked.connect(self.track_requested)
        export = QPushButton("Export anonymized…")
        export.setProperty("primary", True)
        export.setToolTip("Write clips in which the faces are hidden (Ctrl+E)")
        export.clicked.connect(self.export_requested)
        row.addWidget(self._again)
        row.addWidget(export, 1)
        column.addLayout(row)
        return page

    def _make_assignment(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(theme.GRID // 2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        who = QLabel("&Who")
        self._who = QComboBox()
        self._who.setAccessibleName("Whose face this is")
        self._who.setToolTip("Whose face this is, under a pseudonym")
        self._who.activated.connect(self._assign)
        who.setBuddy(self._who)
        self._role = QComboBox()
        for role, name in ROLES.items():
            self._role.addItem(name, role)
        self._role.setAccessibleName("Role of this participant")
        self._role.setToolTip("Role of this participant; a robot's face can be left as it is on export")
        self._role.activated.connect(self._change_role)
        row.addWidget(who)
        row.addWidget(self._who, 1)
        row.addWidget(self._role)
        column.addLayout(row)
        self._dismiss = TickRow(
            Choice("dismiss", "This is not a face", "Then it is neither hidden on export nor drawn.")
        )
        self._dismiss.clicked.connect(self._dismissed)
        column.addWidget(self._dismiss)
        return column

    def _make_progress(self) -> QWidget:
        self._progress = QWidget()
        row = QHBoxLayout(self._progress)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        inner = QVBoxLayout()
        inner.setSpacing(2)
        self._words = QLabel()
        self._bar = QProgressBar(textVisible=False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName("Progress of face tracking")
        inner.addWidget(self._words)
        inner.addWidget(self._bar)
        row.addLayout(inner, 1)
        cancel = QPushButton("Cancel")
        cancel.setToolTip("Stop looking for faces; what was done is taken up next time")
        cancel.clicked.connect(self.cancel_requested)
        row.addWidget(cancel)
        self._progress.hide()
        return self._progress

    def _fill_people(self) -> None:
        self._who.clear()
        self._who.addItem("Nobody assigned", None)
        for person in self._people.values():
            self._who.addItem(person.pseudonym, person.id)
        self._who.addItem("New participant…", "new")

    def _chosen(self, current: QModelIndex) -> None:
        self._show_chosen()
        track = self.model.tracks[current.row()] if current.isValid() else None
        self.track_selected.emit(track.id if track else "")

    def _show_chosen(self) -> None:
        track = self.selected_track()
        for control in (self._who, self._dismiss):
            control.setEnabled(self._writable and track is not None)
        if not self._who.count():
            self._fill_people()
        who = track.participant_id if track else None
        self._who.setCurrentIndex(max(0, self._who.findData(who, flags=Qt.MatchFlag.MatchExactly)) if who else 0)
        person = self._people.get(who or "")
        self._role.setEnabled(self._writable and person is not None)
        self._role.setCurrentIndex(list(ROLES).index(person.role) if person else 0)
        self._dismiss.setChecked(bool(track and track.dismissed))

    def _jump(self, index: QModelIndex) -> None:
        if index.isValid():
            self.jump_requested.emit(int(self.model.tracks[index.row()].times_us[0]))

    def _assign(self) -> None:
        track = self.selected_track()
        if track is None:
            return
        who = self._who.currentData()
        if who == "new":
            name = self._ask_name(self)
            if name:
                self.participant_requested.emit(track.id, name, ParticipantRole.USER)
            else:
                self._show_chosen()
        elif who != track.participant_id:
            self.assign_requested.emit(track.id, who)

    def _change_role(self) -> None:
        track = self.selected_track()
        person = self._people.get(track.participant_id or "") if track else None
        if person is not None and self._role.currentData() is not person.role:
            self.role_requested.emit(person.id, ParticipantRole(self._role.currentData()))

    def _dismissed(self, on: bool) -> None:
        track = self.selected_track()
        if track is not None:
            self.dismiss_requested.emit(track.id, on)


def _ask_pseudonym(parent: QWidget) -> str:
    name, given = QInputDialog.getText(parent, "New participant", "Pseudonym, such as P01 (never a real name):")
    return name.strip() if given else ""
