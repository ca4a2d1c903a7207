"""Keeps the list of recordings in step with the study, and makes its thumbnails."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from app.core.cues.prelabels import nobodys
from app.gui.background import Background
from app.gui.studio import Studio
from app.gui.timeline_feed import CameOrWent
from media.cache import cache_folder
from project.errors import UserError
from project.queries.annotators import all_annotators
from project.queries.collections import all_collections
from project.queries.hold_outs import hold_outs
from project.queries.media import all_media
from project.queries.plans import completions
from project.queries.recordings import all_recordings
from project.queries.runs import kinds_run
from project.queries.segments import segment_counts
from project.types import Changes, Medium, MediumRole, Recording
from resources.translation import tr
from widgets.recordings_list import RecordingsList
from widgets.recordings_model import RecordingRow

_SIDE = 192
_ALL = frozenset({"recording", "medium", "collection", "annotator", "hold_out", "completion"})


class RecordingsFeed(QObject):
    """Fills the list on the left."""

    def __init__(
        self, studio: Studio, listing: RecordingsList, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._list = listing
        self._background = background
        self._media: dict[str, Medium] = {}
        self._names: dict[str, str] = {}
        self._suggested: frozenset[str] = frozenset()
        self._collections: dict[str, str] = {}
        self._held_out: frozenset[str] = frozenset()
        self._done: frozenset[str] = frozenset()
        studio.recording_changed.connect(self._mark)
        listing.thumbnail_needed.connect(self._make_thumbnail)

    def reload(self) -> None:
        """Show all recordings of the study."""
        session = self._studio.session
        if session is None:
            self._list.set_rows([])
            return
        study = session.study
        self._media = {m.recording_id: m for m in all_media(study) if m.role is MediumRole.MAIN}
        self._names = {a.id: a.name for a in all_annotators(study)}
        self._suggested = nobodys(study)
        self._collections = {c.id: c.name for c in all_collections(study)}
        who = session.annotator()
        self._held_out = hold_outs(study)
        self._done = frozenset(place for place, whose in completions(study) if who is not None and whose == who.id)
        counts, kinds = segment_counts(study), kinds_run(study)
        self._list.set_rows([self._row(r, counts.get(r.id, {}), kinds.get(r.id, set())) for r in all_recordings(study)])
        self._mark()

    def apply(self, changes: Changes, came_or_went: CameOrWent, here: dict[str, int]) -> None:
        """Read what an edit touched; `here` counts the segments of the recording that is shown, by annotator."""
        session = self._studio.session
        if session is None:
            return
        if _ALL & set(changes):
            self.reload()
            return
        shown = self._studio.recording
        if came_or_went is CameOrWent.HERE and shown is not None:
            row = self._list.model.row(shown.id)
            if row is not None:
                self._list.update_row(replace(row, segments=self._named(here)))
        elif came_or_went:
            counts = segment_counts(session.study)
            now = ((row, self._named(counts.get(row.id, {}))) for row in self._list.model.rows())
            self._list.update_rows([replace(row, segments=found) for row, found in now if found != row.segments])

    def runs_changed(self, recording_id: str) -> None:
        """Show that faces were found in a recording, or that it was exported."""
        session = self._studio.session
        if session is not None:
            recording = session.recording(recording_id)
            counts, kinds = segment_counts(session.study), kinds_run(session.study)
            row = self._row(recording, counts.get(recording_id, {}), kinds.get(recording_id, set()))
            self._list.update_row(row)

    def medium(self, recording_id: str) -> Medium | None:
        """Return the main file of a recording."""
        return self._media.get(recording_id)

    def _row(self, recording: Recording, counts: dict[str, int], kinds: set[str]) -> RecordingRow:
        session = self._studio.session
        assert session is not None
        medium = self._media.get(recording.id)
        return RecordingRow(
            recording.id,
            recording.number,
            recording.name,
            recording.duration_us,
            self._collections.get(recording.collection_id, ""),
            self._named(counts),
            "faces" in kinds,
            "anonymize" in kinds,
            medium is not None and not session.seems_there(medium),
            recording.id in self._held_out,
            recording.id in self._done,
            medium.fingerprint if medium is not None else "",
        )

    def _named(self, counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
        session = self._studio.session
        if session is not None and not counts.keys() <= self._names.keys():
            self._names = {a.id: a.name for a in all_annotators(session.study)}
            self._suggested = nobodys(session.study)
        own = ((who, count) for who, count in sorted(counts.items()) if who not in self._suggested)
        return tuple((self._names.get(who, "?"), count) for who, count in own)

    def _mark(self) -> None:
        if self._studio.recording is not None:
            self._list.select(self._studio.recording.id)

    def _make_thumbnail(self, recording_id: str) -> None:
        session, medium = self._studio.session, self._media.get(recording_id)
        if session is None or medium is None or medium.facts.video is None:
            return
        path = session.place_of(medium)
        if path is None:
            return
        kept = cache_folder() / "thumbnails" / f"{medium.fingerprint}.png"
        at = medium.facts.duration_us // 3
        self._background.run_confined(
            lambda _progress: _thumbnail(path, at, kept),
            lambda image: self._show_thumbnail(recording_id, medium, image),
        )

    def _show_thumbnail(self, recording_id: str, of: Medium, image: QImage) -> None:
        """Show a picture that was made, unless the recording has another file by now, or none."""
        row = self._list.model.row(recording_id)
        if row is not None and row.file == of.fingerprint:
            self._list.set_thumbnail(recording_id, image)


def _thumbnail(path: Path, time_us: int, kept: Path) -> QImage:
    image = QImage(str(kept))
    if not image.isNull():
        return image
    from media.thumbnail import thumbnail

    array = thumbnail(path, time_us, _SIDE)
    height, width = array.shape[:2]
    image = QImage(array.tobytes(), width, height, width * 3, QImage.Format.Format_RGB888).copy()
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part.png")
        if image.save(str(part)):
            part.replace(kept)
    except OSError as error:
        raise UserError(
            tr("The thumbnail cannot be kept: {strerror}").format(strerror=error.strerror),
            tr("Make room in the cache folder."),
        ) from error
    return image
