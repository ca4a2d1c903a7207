"""The job that suggests cues: what stands out in faces and voices from how the same person usually is."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotate.cues.cue_marks import SCHEME, NoticedCue, build_prelabels
from annotate.cues.prelabels import replace_prelabels
from annotate.study.recording_files import has_sound, require_usable_sound
from annotate.study.scheme_versions import ensure_scheme
from models.cues.cue_baseline import CueSuggestion
from models.faces.landmarks.landmark_finders import LANDMARKS
from models.faces.track_file import save_tracks, take_tracks
from project.entities.study_records import Changes, FaceTrack, Utterance
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.progress import Progress
from project.queries.face_rows import tracks_of
from project.queries.transcript_rows import utterances_of
from project.session.jobs import JobKind, JobSpec, format_elapsed, store_run
from project.session.session import Session
from project.timebase import SECOND_US
from resources.translation import tr, trn

KIND = "cues"
_FINDER = "mediapipe"


@dataclass(frozen=True, slots=True, kw_only=True)
class CueDetectionParameters:
    """What is watched, None where there are no faces, and what is listened to, None where nobody is known to speak.

    Attributes:
        spoken: id of the participant, start and end on the recording's axis, text.
    """

    path: Path | None = None
    tracks: Path | None = None
    finder: str = ""
    sound: Path | None = None
    track: int = 0
    offset_us: int = 0
    spoken: tuple[tuple[str, int, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CueDetectionResult:
    """What was noticed, and in how many faces and utterances."""

    noticed: tuple[NoticedCue, ...]
    faces: int
    utterances: int
    seconds: float


def prepare(session: Session, recording_id: str) -> JobSpec[CueDetectionParameters]:
    """Make the job for one recording: faces where they were tracked, voices where the transcript says who speaks."""
    recording = session.recording(recording_id)
    require_cue_sources(session, recording_id)
    parameters = CueDetectionParameters()
    if faces := _faces(session, recording_id):
        path = session.require_picture(recording_id).path
        parameters = replace(parameters, path=path, tracks=save_tracks(faces, cache_folder() / "faces"), finder=_FINDER)
    if spoken := _attributed_utterances(session, recording_id):
        sound = require_usable_sound(session, recording_id)
        parameters = replace(
            parameters,
            sound=sound.path,
            track=sound.medium.sound_track,
            offset_us=sound.medium.offset_us,
            spoken=tuple(
                (utterance.participant_id or "", utterance.start_us, utterance.end_us, utterance.text)
                for utterance in spoken
            ),
        )
    return JobSpec(KIND, f"Suggest cues in recording {recording.number}", recording_id, parameters)


def require_cue_sources(session: Session, recording_id: str) -> None:
    """Check that there is something to suggest cues from."""
    if not _faces(session, recording_id) and not _attributed_utterances(session, recording_id):
        raise UserError(
            f"Recording {session.recording(recording_id).number} has no material to suggest cues from.",
            "Track its faces and fetch face-landmarks (`greenroom model fetch face-landmarks`), or say who speaks.",
        )


def _faces(session: Session, recording_id: str) -> list[FaceTrack]:
    if not LANDMARKS.is_installed(_FINDER) or not session.has_picture(recording_id):
        return []
    return [track for track in tracks_of(session.study, recording_id) if not track.dismissed]


def _attributed_utterances(session: Session, recording_id: str) -> list[Utterance]:
    if not has_sound(session, recording_id):
        return []
    return [
        utterance for utterance in utterances_of(session.study, recording_id) if utterance.participant_id is not None
    ]


def renew(session: Session, work: JobSpec[CueDetectionParameters]) -> JobSpec[CueDetectionParameters]:
    """Start with the tracks and the transcript as they are when the job's turn comes."""
    discard(work.parameters)
    return prepare(session, work.recording_id)


def discard(parameters: CueDetectionParameters) -> None:
    """Remove the file of tracks."""
    if parameters.tracks is not None:
        parameters.tracks.unlink(missing_ok=True)


def compute(parameters: CueDetectionParameters, progress: Progress) -> CueDetectionResult:
    """Watch the faces, then listen to the utterances."""
    began = time.monotonic()
    noticed: list[NoticedCue] = []
    watched = heard = 0
    if parameters.path is not None and parameters.tracks is not None:
        seen, watched = _detect_facial_cues(parameters.path, parameters.tracks, parameters.finder, progress)
        noticed += seen
    if parameters.sound is not None:
        toned, heard = _detect_vocal_cues(parameters.sound, parameters, progress)
        noticed += toned
    noticed.sort(key=lambda cue: (cue.start_us, cue.end_us, cue.kind))
    return CueDetectionResult(tuple(noticed), watched, heard, round(time.monotonic() - began, 3))


def store(session: Session, work: JobSpec[CueDetectionParameters], result: CueDetectionResult) -> Changes:
    """Keep the figures as a run, and put pre-labels in place of those that nobody decided on."""
    last = session.recording(work.recording_id).duration_us
    noticed = [replace(cue, end_us=min(cue.end_us, last)) for cue in result.noticed]
    found = build_prelabels(noticed, utterances_of(session.study, work.recording_id))
    changes = ensure_scheme(session, SCHEME) if found else Changes()
    with session.study.atomic():
        changes |= store_run(session, work, work.parameters.finder or "voice", result, facts={"prelabels": len(found)})
        return changes | replace_prelabels(session, work.recording_id, found)


def _detect_facial_cues(
    path: Path, tracks_file: Path, finder_name: str, progress: Progress
) -> tuple[list[NoticedCue], int]:
    from media.frame_index import load_index
    from models.cues.facial_cues import face_cues, face_signals

    tracks = take_tracks(tracks_file)
    people: dict[str, list[int]] = {}
    for at, track in enumerate(tracks):
        people.setdefault(track.participant_id or f"track {track.id}", []).append(at)
    owners = {name: tracks[at[0]].participant_id for name, at in people.items()}
    finder = LANDMARKS.make(finder_name)
    try:
        signals = face_signals(
            path, load_index(path), {name: [tracks[i] for i in at] for name, at in people.items()}, finder, progress
        )
    finally:
        finder.close()
    found = [_to_noticed(owners[name], face_cues(seen)) for name, seen in signals.items()]
    return [noticed for part in found for noticed in part], len(signals)


def _detect_vocal_cues(
    sound: Path, parameters: CueDetectionParameters, progress: Progress
) -> tuple[list[NoticedCue], int]:
    from media.sound import stream_mono
    from models.cues.vocal_cues import SAMPLE_RATE, UtteranceProsody, find_tone_cues, measure_prosody
    from models.sound_spans import cut_spans

    rows = parameters.spoken

    def sample_of(time_us: int) -> int:
        return max(0, time_us - parameters.offset_us) * SAMPLE_RATE // SECOND_US

    speakers: dict[str, list[UtteranceProsody]] = {}
    blocks = stream_mono(sound, SAMPLE_RATE, progress, track=parameters.track)
    for at, samples in cut_spans(blocks, [(sample_of(start), sample_of(end)) for _, start, end, _ in rows]):
        who, start, end, text = rows[at]
        speakers.setdefault(who, []).append(measure_prosody(samples, start, end, text))
    found = [_to_noticed(who, find_tone_cues(heard)) for who, heard in speakers.items()]
    return [noticed for part in found for noticed in part], len(rows)


def _to_noticed(who: str | None, found: Sequence[CueSuggestion]) -> list[NoticedCue]:
    return [NoticedCue(cue.kind, cue.start_us, cue.end_us, round(cue.strength, 3), cue.told, who) for cue in found]


def summarize(_work: JobSpec, result: CueDetectionResult) -> str:
    """Say how much was noticed."""
    cues = trn("{count} thing", "{count} things", len(result.noticed))
    return tr("{cues} noticed, {duration}").format(cues=cues, duration=format_elapsed(result.seconds))


JOB = JobKind(
    key=KIND,
    parameters=CueDetectionParameters,
    result=CueDetectionResult,
    compute=compute,
    store=store,
    summarize=summarize,
    renew=renew,
    resume=prepare,
    unsaved=("path", "tracks", "sound", "spoken"),
    discard=discard,
    single=True,
)
