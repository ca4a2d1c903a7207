"""The job that suggests cues: what stands out in faces and voices from how the same person usually is."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import cast

from annotate.cues.cue_marks import SCHEME, NoticedCue, build_prelabels
from annotate.cues.prelabels import replace_prelabels
from annotate.study.recording_files import has_sound, require_usable_sound
from annotate.study.scheme_versions import use_shipped_scheme
from models.cues.cue_baseline import CueSuggestion
from models.faces.landmarks.landmark_finders import LANDMARKS
from models.faces.track_file import save_tracks, take_tracks
from project.entities.study_records import Changes, FaceTrack, Json, Run, Utterance
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.progress import Progress
from project.queries.face_rows import tracks_of
from project.queries.history_rows import insert_run
from project.queries.transcript_rows import utterances_of
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, utc_now
from project.version import __version__

KIND = "cues"
_FINDER = "mediapipe"
_TRANSIENT_PARAMETERS = ("path", "tracks", "sound", "utterances")


def prepare(session: Session, recording_id: str) -> JobSpec:
    """Make the job for one recording: faces where they were tracked, voices where the transcript says who speaks."""
    recording = session.recording(recording_id)
    require_cue_sources(session, recording_id)
    parameters: dict[str, Json] = {}
    if faces := _faces(session, recording_id):
        parameters["path"] = str(session.require_picture(recording_id).path)
        parameters["tracks"] = str(save_tracks(faces, cache_folder() / "faces"))
        parameters["finder"] = _FINDER
    if spoken := _attributed_utterances(session, recording_id):
        sound = require_usable_sound(session, recording_id)
        parameters["sound"] = str(sound.path)
        parameters["track"] = sound.medium.sound_track
        parameters["offset_us"] = sound.medium.offset_us
        parameters["utterances"] = [
            [utterance.participant_id, utterance.start_us, utterance.end_us, utterance.text] for utterance in spoken
        ]
    return JobSpec(KIND, f"Suggest cues in recording {recording.number}", recording_id, parameters)


def require_cue_sources(session: Session, recording_id: str) -> None:
    """Check that there is something to suggest cues from."""
    if not _faces(session, recording_id) and not _attributed_utterances(session, recording_id):
        raise UserError(
            f"Recording {session.recording(recording_id).number} has nothing to suggest cues from.",
            "Track its faces and fetch face-landmarks (`greenroom models fetch face-landmarks`), or say who speaks.",
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


def renew(session: Session, work: JobSpec) -> JobSpec:
    """Start with the tracks and the transcript as they are when the job's turn comes."""
    return prepare(session, work.recording_id)


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Watch the faces, then listen to the utterances."""
    began = time.monotonic()
    noticed: list[NoticedCue] = []
    watched = heard = 0
    if "tracks" in parameters:
        seen, watched = _detect_facial_cues(parameters, progress)
        noticed += seen
    if "utterances" in parameters:
        toned, heard = _detect_vocal_cues(parameters, progress)
        noticed += toned
    noticed.sort(key=lambda cue: (cue.start_us, cue.end_us, cue.kind))
    return {
        "noticed": [cast(Json, asdict(cue)) for cue in noticed],
        "faces": watched,
        "utterances": heard,
        "seconds": round(time.monotonic() - began, 3),
    }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Keep the figures as a run, and put pre-labels in place of those that nobody decided on."""
    noticed = [
        NoticedCue(
            cast(str | None, cue["participant_id"]),
            str(cue["kind"]),
            int(cast(int, cue["start_us"])),
            min(int(cast(int, cue["end_us"])), session.recording(work.recording_id).duration_us),
            float(cast(float, cue["strength"])),
            str(cue["told"]),
        )
        for cue in cast(list[dict[str, Json]], result["noticed"])
    ]
    found = build_prelabels(noticed, utterances_of(session.study, work.recording_id))
    parameters = {key: value for key, value in work.parameters.items() if key not in _TRANSIENT_PARAMETERS}
    facts = {**result, "prelabels": len(found)}
    backend = str(work.parameters.get("finder", "voice"))
    run = Run(new_id(), work.recording_id, KIND, backend, parameters, facts, utc_now(), __version__)
    changes = Changes.from_pairs([("run", run.id)])
    if found and not session.schemes.is_in_use(SCHEME):
        changes |= use_shipped_scheme(session, SCHEME)[1]
    with session.study.atomic():
        with session.study.run_transaction():
            insert_run(session.study, run)
        return changes | replace_prelabels(session, work.recording_id, found)


def _detect_facial_cues(parameters: Mapping[str, Json], progress: Progress) -> tuple[list[NoticedCue], int]:
    from media.frame_index import load_index
    from models.cues.facial_cues import face_cues, face_signals

    tracks = take_tracks(Path(str(parameters["tracks"])))
    people: dict[str, list[int]] = {}
    for at, track in enumerate(tracks):
        people.setdefault(track.participant_id or f"track {track.id}", []).append(at)
    owners = {name: tracks[at[0]].participant_id for name, at in people.items()}
    path = Path(str(parameters["path"]))
    finder = LANDMARKS.make(str(parameters["finder"]))
    try:
        signals = face_signals(
            path, load_index(path), {name: [tracks[i] for i in at] for name, at in people.items()}, finder, progress
        )
    finally:
        finder.close()
    found = [_to_noticed(owners[name], face_cues(seen)) for name, seen in signals.items()]
    return [noticed for part in found for noticed in part], len(signals)


def _detect_vocal_cues(parameters: Mapping[str, Json], progress: Progress) -> tuple[list[NoticedCue], int]:
    from media.sound import stream_mono
    from models.cues.vocal_cues import SAMPLE_RATE, UtteranceProsody, find_tone_cues, measure_prosody
    from models.sound_spans import cut_spans

    offset = int(cast(int, parameters["offset_us"]))
    rows = cast(list[tuple[str, int, int, str]], parameters["utterances"])
    spans = [tuple(max(0, time - offset) * SAMPLE_RATE // SECOND_US for time in row[1:3]) for row in rows]
    speakers: dict[str, list[UtteranceProsody]] = {}
    track = cast(int, parameters["track"])
    blocks = stream_mono(Path(str(parameters["sound"])), SAMPLE_RATE, progress, track=track)
    for at, samples in cut_spans(blocks, cast(list[tuple[int, int]], spans)):
        who, start, end, text = rows[at]
        speakers.setdefault(who, []).append(measure_prosody(samples, start, end, text))
    found = [_to_noticed(who, find_tone_cues(heard)) for who, heard in speakers.items()]
    return [noticed for part in found for noticed in part], len(rows)


def _to_noticed(who: str | None, found: Sequence[CueSuggestion]) -> list[NoticedCue]:
    return [
        NoticedCue(
            who,
            cue_suggestion.kind,
            cue_suggestion.start_us,
            cue_suggestion.end_us,
            round(cue_suggestion.strength, 3),
            cue_suggestion.told,
        )
        for cue_suggestion in found
    ]
