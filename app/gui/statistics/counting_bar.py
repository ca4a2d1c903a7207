"""The controls of what is counted: track, groups, phases, annotators and recordings."""

from collections.abc import Iterable

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QWidget

from annotate.agreement.study_agreement import PERSON
from annotate.statistics.study_observations import PHASE, ObservationQuery, available_groupings, default_groupings
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_recordings
from project.queries.study_schemes import label_counts
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.form.checklists import ChoiceButton
from widgets.form.controls import push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import FlowLayout, label_control

GROUPING_NAMES = {
    "participant": tr("Participant"),
    "annotator": tr("Annotator"),
    "recording": tr("Recording"),
    "collection": tr("Collection"),
    PHASE: tr("Phase"),
}


def grouping_name(key: str) -> str:
    """Return what people read for what rows are grouped by; a variable is called by its name."""
    return GROUPING_NAMES.get(key, key)


class CountingBar(QWidget):
    """Controls in a row that breaks where the window ends.

    Signals:
        changed: something else is to be counted.
        refresh_requested: compute again.
    """

    changed = Signal()
    refresh_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = FlowLayout(self)
        self.track = ChoiceBox(tr("Track"), tr("Scheme and track whose segments are counted"))
        self.by = ChoiceButton(tr("Group by"))
        self.phases = ChoiceBox(tr("Phases"), tr("A track whose segments divide each recording into phases"))
        self.people = ChoiceButton(tr("Annotators"))
        self.recordings = ChoiceButton(tr("Recordings"))
        self.refresh = push_button(
            tr("Refresh"),
            tr("Compute again from the study as it is now (F5)"),
            self.refresh_requested,
            shortcut="F5",
        )
        self._shown_track = ""
        self._groupings: tuple[str, ...] = ()
        self._phases = label_control(
            tr("Phases"), self.phases, tr("A track whose segments divide each recording into phases")
        )
        for part in (
            label_control(tr("Track"), self.track, tr("Scheme and track whose segments are counted")),
            *(self._phases, self.by, self.people, self.recordings, self.refresh),
        ):
            row.addWidget(part)
        for box in (self.track, self.phases):
            box.setMaximumWidth(theme.scaled(theme.GRID * 30))
        boxes: tuple[SignalInstance, ...] = (self.track.currentIndexChanged, self.phases.currentIndexChanged)
        for signal in boxes:
            signal.connect(lambda _: self.changed.emit())
        for button in (self.by, self.people, self.recordings):
            button.changed.connect(self.changed)

    def offer(self, session: Session) -> None:
        """Offer what the study has. Another track is grouped by its participants, where it names any."""
        study, tracks = session.study, _list_tracks(session)
        annotators = sorted(all_annotators(study), key=lambda annotator: annotator.kind != PERSON)
        recordings = {recording.id: f"{recording.number}. {recording.name}" for recording in all_recordings(study)}
        blocked = self.blockSignals(True)
        try:
            self.track.offer(tracks, first=_first_marked(session, tracks))
            others = {key: name for key, name in tracks.items() if key != self.track.key()}
            self.phases.offer({"": tr("None"), **others})
            self._phases.setVisible(bool(others))
            scheme, _, track = self.track.key().partition("/")
            self._groupings = available_groupings(session, scheme, track, phases=bool(self.phases.key()))
            self.by.set_choices({key: grouping_name(key) for key in self._groupings})
            if self.track.key() != self._shown_track:
                self._shown_track = self.track.key()
                self.by.set_ticked(default_groupings(session, scheme, track))
            self.people.set_choices({annotator.name: annotator.name for annotator in annotators})
            self.recordings.set_choices(recordings)
        finally:
            self.blockSignals(blocked)

    def query(self) -> ObservationQuery:
        """Return what is chosen."""
        scheme, _, track = self.track.key().partition("/")
        ticked = self.by.ticked_keys()
        return ObservationQuery(
            scheme=scheme,
            track=track,
            by=tuple(key for key in self._groupings if key in ticked),
            phases=self.phases.key(),
            annotators=tuple(sorted(self.people.ticked_keys())),
            recordings=tuple(sorted(self.recordings.ticked_keys())),
        )


def _list_tracks(session: Session) -> dict[str, str]:
    """Return SCHEME/TRACK -> name of every track."""
    return {
        f"{scheme.key}/{track.key}": scheme.name if len(scheme.tracks) == 1 else f"{scheme.name}: {track.name}"
        for scheme in session.schemes
        for track in scheme.tracks
    }


def _first_marked(session: Session, tracks: Iterable[str]) -> str | None:
    """Return the first of the tracks, given as SCHEME/TRACK, that has segments."""
    marked = {
        f"{scheme.key}/{track}" for scheme in session.schemes for track, _ in label_counts(session.study, scheme.key)
    }
    return next((key for key in tracks if key in marked), None)
