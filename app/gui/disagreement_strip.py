"""The strip over the timeline that shows where the annotators of the recording do not say the same."""

from PySide6.QtCore import QObject, QTimer

from app.core.agreement.disagreement import disagreements, last_before, next_after
from app.core.session import Session
from app.gui.playback import Playback
from app.gui.player import Player
from app.gui.studio import Studio
from app.gui.timeline_feed import TimelineFeed
from benchmark.agreement.disagreement import Disagreement, Kind
from project.merging.merge import COPY
from project.queries.annotators import all_annotators
from project.queries.comparison import completed, in_training
from project.queries.segments import segment, segments_of
from project.types import Changes, Segment
from resources.translation import tr
from widgets.label_looks import LabelLook, Pattern, Sign
from widgets.timeline.lane import Lane, LaneKind
from widgets.timeline.view import TimelineView

STRIP = "disagreement"
_KINDS = (Kind.LABEL, Kind.UNMARKED)
_LANE = Lane(
    STRIP,
    tr("Disagreement"),
    LaneKind.SPANS,
    looks=(
        LabelLook(Kind.LABEL, tr("Labels differ"), "error", Pattern.SOLID, Sign.CROSS),
        LabelLook(Kind.UNMARKED, tr("Not marked by all"), "uncertain", Pattern.HATCH, Sign.RING),
    ),
)
_PEOPLE = frozenset({"annotator", "completion", "assignment", "property"})
_MANY = 200
"""Segments changed at once from which reading the recording anew is quicker."""
_LIVE = 5_000
"""Segments in a recording up to which the strip follows each edit at once; with more, when the edits pause."""
_PAUSE_MS = 150


class DisagreementStrip(QObject):
    """Follows every edit. It is there while two or more people marked something here; in no annotator's own copy."""

    def __init__(
        self,
        studio: Studio,
        feed: TimelineFeed,
        timeline: TimelineView,
        player: Player,
        playback: Playback,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._feed = feed
        self._timeline = timeline
        self._player = player
        self._playback = playback
        self._wanted = True
        self._segments: dict[str, Segment] = {}
        self._workers: set[str] = set()
        self._kept_out: set[str] = set()
        self._known: set[str] = set()
        self._blind = False
        self.found: list[Disagreement] = []
        self._later = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._later.timeout.connect(self._show)
        studio.recording_changed.connect(self.reload)
        studio.bridge.changed.connect(lambda changes, _initiator: self.apply(changes))

    @property
    def wanted(self) -> bool:
        """Whether the strip is shown where there is something to compare."""
        return self._wanted

    def toggle(self) -> None:
        """Show the strip, or hide it."""
        self._wanted = not self._wanted
        self._show()

    def reload(self) -> None:
        """Read the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            self._segments, self._workers = {}, set()
        else:
            self._segments = {one.id: one for one in segments_of(session.study, recording.id)}
            self._read_people(session, recording.id)
        self._show(anew=True)

    def apply(self, changes: Changes) -> None:
        """Read what an edit touched."""
        session, recording = self._studio.session, self._studio.recording
        touched = changes.ids("segment")
        if session is None or recording is None or not (touched or _PEOPLE & set(changes)):
            return
        if len(touched) > _MANY:
            self.reload()
            return
        for segment_id in touched:
            now = segment(session.study, segment_id)
            if now is not None and now.recording_id == recording.id:
                self._segments[segment_id] = now
            else:
                self._segments.pop(segment_id, None)
        # Who makes their first segment was introduced by a step that announced nothing.
        new = not {self._segments[one].annotator_id for one in touched & self._segments.keys()} <= self._known
        if new or _PEOPLE & set(changes):
            self._read_people(session, recording.id)
        if len(self._segments) > _LIVE:
            self._later.start()
        else:
            self._show()

    def go(self, step: int) -> None:
        """Go to the next (1) or previous (-1) stretch."""
        at = self._player.position_us
        found = next_after(self.found, at) if step > 0 else last_before(self.found, at)
        if found is not None:
            self._playback.jump(found.start_us)
        elif not self.found:
            self._studio.told.emit(tr("The annotators of this recording do not disagree anywhere."))
        else:
            self._studio.told.emit(
                tr("There is no disagreement {words} this moment.").format(words="after" if step > 0 else "before")
            )

    def _show(self, anew: bool = False) -> None:
        """Work out the stretches, and draw them where they changed or the timeline was emptied."""
        self._later.stop()
        marked = {one.annotator_id for one in self._segments.values()} - self._kept_out
        there = self._wanted and not self._blind and len(marked) > 1
        before, self.found = self.found, []
        if there:
            people = marked | self._workers
            for scheme, track in {(one.scheme, one.track): None for one in self._segments.values()}:
                self.found += disagreements(list(self._segments.values()), people, scheme, track)
            self.found.sort(key=lambda one: (one.start_us, one.end_us))
        self._feed.set_strip(_LANE if there else None)
        if self.found == before and not anew:
            return
        kinds = [_KINDS.index(one.kind) for one in self.found]
        self._timeline.set_spans(STRIP, [(one.start_us, one.end_us) for one in self.found], kinds)

    def _read_people(self, session: Session, recording_id: str) -> None:
        """Note who worked here, and who is not compared: models, adjudicated lanes, and those in training."""
        people = all_annotators(session.study)
        self._known = {one.id for one in people}
        training = in_training(session.study)
        self._kept_out = {one.id for one in people if one.kind != "person" or (recording_id, one.id) in training}
        done = {annotator for recording, annotator in completed(session.study) if recording == recording_id}
        self._workers = done - self._kept_out
        self._blind = session.study.get_property(COPY) is not None
