"""What is in a study, in figures and a line for each recording."""

from dataclasses import dataclass

from app.core.cues.prelabels import nobodys
from app.core.session import MediaState, Session
from project.counted import counted
from project.names import shown
from project.queries.annotators import all_annotators
from project.queries.hold_outs import hold_outs
from project.queries.media import all_media
from project.queries.recordings import all_recordings
from project.queries.runs import latest_run
from project.queries.segments import segment_counts
from project.timebase import format_time
from project.types import Json, MediumRole, Recording, Run


@dataclass(frozen=True, slots=True)
class RecordingOverview:
    """One recording: its file, how many segments it has, the newest face tracking, and whether it is held out."""

    recording: Recording
    file: str
    state: MediaState | None
    segments: int
    faces: Run | None
    held_out: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """What `overview` found; `annotators` are those who made a segment."""

    study: str
    name: str
    annotators: tuple[str, ...]
    recordings: tuple[RecordingOverview, ...]

    @property
    def segments(self) -> int:
        """Number of segments in the whole study."""
        return sum(r.segments for r in self.recordings)

    def as_json(self) -> dict[str, Json]:
        """Return the figures, and one object for each recording."""
        return {
            "study": self.study,
            "name": self.name,
            "recordings": len(self.recordings),
            "segments": self.segments,
            "annotators": len(self.annotators),
            "annotator_names": [*self.annotators],
            "recording_list": [
                {
                    "id": r.recording.id,
                    "number": r.recording.number,
                    "name": r.recording.name,
                    "seconds": r.recording.duration_us / 1e6,
                    "file": r.file,
                    "media": r.state.value if r.state else "none",
                    "segments": r.segments,
                    "held_out": r.held_out,
                    "face_tracks": r.faces.result.get("tracks") if r.faces else None,
                }
                for r in self.recordings
            ],
        }

    def as_text(self) -> str:
        """Return the figures and a line for each recording, for people."""
        who = ", ".join(self.annotators) or "nobody yet"
        size = f"{counted(len(self.recordings), 'recording')}, {counted(self.segments, 'segment')}"
        lines = [f"{shown(self.name)}: {size}, by {who}"]
        for r in self.recordings:
            notes = [counted(r.segments, "segment")]
            if r.held_out:
                notes.append("held out")
            if r.faces:
                notes.append(counted(int(str(r.faces.result.get("tracks") or 0)), "face track"))
            if r.state is not None and r.state is not MediaState.PRESENT:
                notes.append(f"file {r.state.value}")
            length = format_time(r.recording.duration_us)
            lines.append(f"{r.recording.number:4}  {length}  {shown(r.recording.name)}  ({', '.join(notes)})")
        return "\n".join(lines)


def overview(session: Session) -> Overview:
    """Count what is in the study and look where its files are."""
    counts, kept_back = segment_counts(session.study), hold_outs(session.study)
    suggested = nobodys(session.study)
    counts = {place: {one: n for one, n in who.items() if one not in suggested} for place, who in counts.items()}
    wrote = {annotator_id for of_recording in counts.values() for annotator_id in of_recording}
    main = {m.recording_id: m for m in all_media(session.study) if m.role is MediumRole.MAIN}
    return Overview(
        str(session.study.path),
        str(session.study.get_property("name", session.study.path.stem)),
        tuple(a.name for a in all_annotators(session.study) if a.id in wrote),
        tuple(
            RecordingOverview(
                recording,
                main[recording.id].path if recording.id in main else "",
                session.locate(main[recording.id]).state if recording.id in main else None,
                sum(counts.get(recording.id, {}).values()),
                latest_run(session.study, recording.id, "faces"),
                recording.id in kept_back,
            )
            for recording in all_recordings(session.study)
        ),
    )
