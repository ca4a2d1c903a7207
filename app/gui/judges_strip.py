"""The lanes of the timeline that show what each judge says about every segment, as far as it may be seen."""

from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

from app.core.judging.annotators.disagreement import VerdictBoard, Verdicts, Voice, ordered
from app.core.judging.seeing.conditions import condition_names
from app.core.session import Session
from app.gui.studio import Studio
from app.gui.timeline_feed import TimelineFeed
from project.judging import RAW
from project.queries.judgments import judgments_called
from project.types import Changes
from resources.translation import tr
from widgets.label_looks import LabelLook, looks_of
from widgets.timeline.lane import lane_of
from widgets.timeline.verdicts import HIDDEN, SILENT, VerdictBar, verdict_bar, verdict_lane
from widgets.timeline.view import TimelineView

_PAUSE_MS = 300
_ANEW = frozenset({"segment", "utterance", "property", "annotator", "recording", "scheme_version", "reveal", "run"})


class JudgesStrip(QObject):
    """Follows judgments and edits. It is there while judges said something about the recording that is shown."""

    def __init__(
        self, studio: Studio, feed: TimelineFeed, timeline: TimelineView, parent: QObject | None = None
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
        self._later = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._later.timeout.connect(self._catch_up)
        studio.recording_changed.connect(self.reload)
        studio.bridge.changed.connect(lambda changes, _initiator: self.apply(changes))

    @property
    def wanted(self) -> bool:
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
            self._anew = self._anew or bool(_ANEW & set(changes))
        if (self._judged or self._forms or self._anew) and not self._later.isActive():
            self._later.start()

    def _catch_up(self) -> None:
        session, board = self._studio.session, self._board
        if session is None or board is None:
            return
        if self._anew:
            self.reload()
            return
        before = dict(board.rows)
        board.renew({one.segment_id for one in judgments_called(session.study, sorted(self._judged))})
        board.renew_forms(self._forms)
        self._judged.clear()
        self._forms.clear()
        touched = [key for key, row in board.rows.items() if before.get(key) is not row]
        board.note_shown(touched)
        if {f"judge {key}" for key in board.voices} != self._voices or _looks(session, board) != self._looks:
            self._show(session)
            return
        self._timeline.update_verdicts(bar for key in touched for bar in self._bars(board.rows[key]))

    def _show(self, session: Session) -> None:
        board = self._board
        assert board is not None
        board.note_shown(board.rows.keys())
        self._looks = _looks(session, board)
        self._voices = {f"judge {key}" for key in board.voices}
        voices = ordered(board.voices.values())
        places = {}
        if any(voice.condition != RAW for voice in voices):
            places = condition_names(session, board.recording_id)
        lanes = [verdict_lane(f"judge {one.key}", one.name, _subtitle(one, places), self._looks) for one in voices]
        self._feed.set_judges(lanes)
        bars: dict[str, list[VerdictBar]] = {lane.key: [] for lane in lanes}
        for row in board.rows.values():
            for bar in self._bars(row):
                bars[lane_of(bar)].append(bar)
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
            yield verdict_bar(f"judge {voice}", row.segment, HIDDEN, (row.why_not,))
        for voice in row.silent:
            yield verdict_bar(f"judge {voice}", row.segment, SILENT, (people,))


def _looks(session: Session, board: VerdictBoard) -> list[LabelLook]:
    """Return how the labels look of the tracks that were judged; of two with the same key, the first one's."""
    found: dict[str, LabelLook] = {}
    for scheme, track in sorted({(row.segment.scheme, row.segment.track) for row in board.rows.values()}):
        known = session.schemes.known(scheme)
        for look in looks_of(known.lane(track)) if known is not None else ():
            found.setdefault(look.key, look)
    return [*found.values()]


def _subtitle(voice: Voice, places: dict[str, str]) -> str:
    if voice.person:
        return tr("in the form")
    return "" if voice.condition == RAW else places.get(voice.condition, tr("a rendering that is gone"))
