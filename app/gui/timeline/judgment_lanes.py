"""Two parts of the timeline: the strip where annotators disagree, and the lanes that show each judge's labels."""

from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

from annotate.agreement.annotator_lanes import find_disagreements, next_disagreement, previous_disagreement
from annotate.agreement.span_matching import Disagreement, DisagreementKind
from annotate.blinding.label_disagreement import VerdictBoard, Verdicts, Voice, sort_voices
from app.gui.player.playback import Playback
from app.gui.player.player import Player
from app.gui.study.study_controller import StudyController
from app.gui.timeline.timeline_presenter import TimelineFeed
from benchmark.disclosure.conditions import condition_names
from project.entities.judgments import RAW_CONDITION
from project.entities.study_records import Changes, Segment
from project.merging.merge import COPY_PROPERTY
from project.queries.annotator_rows import all_annotators, completions
from project.queries.judgment_rows import find_judgments
from project.queries.segment_rows import find_segment, segments_of, training_work
from project.schemes.scheme import Pattern
from project.session.session import Session
from resources.translation import tr
from widgets.labels import LabelLook, Sign, label_looks
from widgets.timeline.lanes import (
    HIDDEN_LABEL,
    SILENT_LABEL,
    Lane,
    LaneKind,
    VerdictBar,
    lane_key_of,
    verdict_bar,
    verdict_lane,
)
from widgets.timeline.timeline_view import TimelineView

STRIP_KEY = "disagreement"
_SHOWN_KINDS = (DisagreementKind.LABEL, DisagreementKind.UNMARKED)
_STRIP_LANE = Lane(
    STRIP_KEY,
    tr("Disagreement"),
    LaneKind.SPANS,
    looks=(
        LabelLook(DisagreementKind.LABEL, tr("Labels differ"), "error", Pattern.SOLID, Sign.CROSS),
        LabelLook(DisagreementKind.UNMARKED, tr("Not marked by all"), "uncertain", Pattern.HATCH, Sign.RING),
    ),
)
_PEOPLE_TABLES = frozenset({"annotator", "completion", "assignment", "property"})
_MAX_INCREMENTAL_SEGMENTS = 200
"""Segments changed at once from which reading the recording again is quicker."""
_LIVE = 5_000
"""Segments in a recording up to which the strip follows each edit at once; with more, when the edits pause."""
_STRIP_PAUSE_MS = 150


class DisagreementStrip(QObject):
    """Follows every edit. It is there while two or more people marked something here; in no annotator's own copy."""

    def __init__(
        self,
        studio: StudyController,
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
        self._later = QTimer(self, singleShot=True, interval=_STRIP_PAUSE_MS)
        self._later.timeout.connect(self._show)
        studio.recording_changed.connect(self.reload)
        studio.bridge.changed.connect(lambda changes, _initiator: self.apply(changes))

    @property
    def is_enabled(self) -> bool:
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
            self._segments = {segment.id: segment for segment in segments_of(session.study, recording.id)}
            self._read_people(session, recording.id)
        self._show(anew=True)

    def apply(self, changes: Changes) -> None:
        """Read what an edit touched."""
        session, recording = self._studio.session, self._studio.recording
        touched = changes.ids("segment")
        if session is None or recording is None or not (touched or _PEOPLE_TABLES & set(changes)):
            return
        if len(touched) > _MAX_INCREMENTAL_SEGMENTS:
            self.reload()
            return
        for segment_id in touched:
            now = find_segment(session.study, segment_id)
            if now is not None and now.recording_id == recording.id:
                self._segments[segment_id] = now
            else:
                self._segments.pop(segment_id, None)
        # Who makes their first segment was introduced by a step that announced nothing.
        new = (
            not {self._segments[segment_id].annotator_id for segment_id in touched & self._segments.keys()}
            <= self._known
        )
        if new or _PEOPLE_TABLES & set(changes):
            self._read_people(session, recording.id)
        if len(self._segments) > _LIVE:
            self._later.start()
        else:
            self._show()

    def step(self, step: int) -> None:
        """Go to the next (1) or previous (-1) stretch."""
        at = self._player.position_us
        found = next_disagreement(self.found, at) if step > 0 else previous_disagreement(self.found, at)
        if found is not None:
            self._playback.jump(found.start_us)
        elif not self.found:
            self._studio.message.emit(tr("The annotators of this recording do not disagree anywhere."))
        else:
            self._studio.message.emit(
                tr("There is no disagreement {words} this moment.").format(words="after" if step > 0 else "before")
            )

    def _show(self, anew: bool = False) -> None:
        """Work out the stretches, and draw them where they changed or the timeline was emptied."""
        self._later.stop()
        marked = {segment.annotator_id for segment in self._segments.values()} - self._kept_out
        there = self._wanted and not self._blind and len(marked) > 1
        before, self.found = self.found, []
        if there:
            people = marked | self._workers
            for scheme, track in {(segment.scheme, segment.track): None for segment in self._segments.values()}:
                self.found += find_disagreements(list(self._segments.values()), people, scheme, track)
            self.found.sort(key=lambda disagreement: (disagreement.start_us, disagreement.end_us))
        self._feed.set_strip(_STRIP_LANE if there else None)
        if self.found == before and not anew:
            return
        kinds = [_SHOWN_KINDS.index(disagreement.kind) for disagreement in self.found]
        self._timeline.set_spans(
            STRIP_KEY, [(disagreement.start_us, disagreement.end_us) for disagreement in self.found], kinds
        )

    def _read_people(self, session: Session, recording_id: str) -> None:
        """Note who worked here, and who is not compared: models, adjudicated lanes, and those in training."""
        people = all_annotators(session.study)
        self._known = {person.id for person in people}
        training = training_work(session.study)
        self._kept_out = {
            person.id for person in people if person.kind != "person" or (recording_id, person.id) in training
        }
        done = {annotator for recording, annotator in completions(session.study) if recording == recording_id}
        self._workers = done - self._kept_out
        self._blind = session.study.get_property(COPY_PROPERTY) is not None


_LANES_PAUSE_MS = 300
_RELOAD_TABLES = frozenset(
    {"segment", "utterance", "property", "annotator", "recording", "scheme_version", "reveal", "run"}
)


class JudgesStrip(QObject):
    """Follows judgments and edits. It is there while judges said something about the recording that is shown."""

    def __init__(
        self, studio: StudyController, feed: TimelineFeed, timeline: TimelineView, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._feed = feed
        self._timeline = timeline
        self._wanted = True
        self._board: VerdictBoard | None = None
        self._voices: set[str] = set()
        self._looks: list[LabelLook] = []
        self._judged: set[str] = set()
        self._forms: set[str] = set()
        self._anew = False
        self._later = QTimer(self, singleShot=True, interval=_LANES_PAUSE_MS)
        self._later.timeout.connect(self._read_waiting)
        studio.recording_changed.connect(self.reload)
        studio.bridge.changed.connect(lambda changes, _initiator: self.apply(changes))

    @property
    def is_enabled(self) -> bool:
        """Whether the lanes are shown where there is something in them."""
        return self._wanted

    @property
    def board(self) -> VerdictBoard | None:
        """What the lanes show; None while they are hidden or no recording is open."""
        return self._board

    def toggle(self) -> None:
        """Show the lanes, or hide them."""
        self._wanted = not self._wanted
        self.reload()

    def reload(self) -> None:
        """Read the recording that is shown."""
        self._later.stop()
        self._judged.clear()
        self._forms.clear()
        self._anew = False
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None or not self._wanted:
            self._board = None
            self._feed.set_judges(())
            return
        self._board = VerdictBoard(session, recording.id)
        self._show(session)

    def apply(self, changes: Changes) -> None:
        """Note what an edit or a judgment touched; it is read when nothing more comes for a moment."""
        if self._board is None:
            return
        self._judged |= changes.ids("judgment")
        if self._board.rows:
            self._forms |= changes.ids("segment_value")
            self._anew = self._anew or bool(_RELOAD_TABLES & set(changes))
        if (self._judged or self._forms or self._anew) and not self._later.isActive():
            self._later.start()

    def _read_waiting(self) -> None:
        session, board = self._studio.session, self._board
        if session is None or board is None:
            return
        if self._anew:
            self.reload()
            return
        before = dict(board.rows)
        board.refresh_verdicts(
            {judgment.segment_id for judgment in find_judgments(session.study, sorted(self._judged))}
        )
        board.refresh_forms(self._forms)
        self._judged.clear()
        self._forms.clear()
        touched = [key for key, row in board.rows.items() if before.get(key) is not row]
        board.record_shown(touched)
        if {f"judge {key}" for key in board.voices} != self._voices or _label_looks(session, board) != self._looks:
            self._show(session)
            return
        self._timeline.update_verdicts(bar for key in touched for bar in self._bars(board.rows[key]))

    def _show(self, session: Session) -> None:
        board = self._board
        assert board is not None
        board.record_shown(board.rows.keys())
        self._looks = _label_looks(session, board)
        self._voices = {f"judge {key}" for key in board.voices}
        voices = sort_voices(board.voices.values())
        places = {}
        if any(voice.condition != RAW_CONDITION for voice in voices):
            places = condition_names(session, board.recording_id)
        lanes = [
            verdict_lane(f"judge {voice.key}", voice.name, _voice_subtitle(voice, places), self._looks)
            for voice in voices
        ]
        self._feed.set_judges(lanes)
        bars: dict[str, list[VerdictBar]] = {lane.key: [] for lane in lanes}
        for row in board.rows.values():
            for bar in self._bars(row):
                bars[lane_key_of(bar)].append(bar)
        for key, found in bars.items():
            self._timeline.set_verdicts(key, found)

    def _bars(self, row: Verdicts) -> Iterator[VerdictBar]:
        """Yield what each voice says about a segment."""
        names = {look.key: look.name for look in self._looks}
        people = ", ".join(f"{name}: {names.get(label, label)}" for name, label in row.people.items())
        counts = Counter(names.get(label, label) for label in row.judges.values())
        said = ", ".join(f"{name} {number}" for name, number in counts.most_common())
        for voice, label in row.judges.items():
            yield verdict_bar(f"judge {voice}", row.segment, label, (people, f"Judges: {said}"))
        for voice in row.hidden:
            yield verdict_bar(f"judge {voice}", row.segment, HIDDEN_LABEL, (row.hidden_reason,))
        for voice in row.silent:
            yield verdict_bar(f"judge {voice}", row.segment, SILENT_LABEL, (people,))


def _label_looks(session: Session, board: VerdictBoard) -> list[LabelLook]:
    """Return how the labels look of the tracks that were judged; of two with the same key, the first one's."""
    found: dict[str, LabelLook] = {}
    for scheme, track in sorted({(row.segment.scheme, row.segment.track) for row in board.rows.values()}):
        known = session.schemes.find(scheme)
        for look in label_looks(known.track_or_empty(track)) if known is not None else ():
            found.setdefault(look.key, look)
    return [*found.values()]


def _voice_subtitle(voice: Voice, places: dict[str, str]) -> str:
    if voice.person:
        return tr("in the form")
    return "" if voice.condition == RAW_CONDITION else places.get(voice.condition, tr("a rendering that is gone"))
