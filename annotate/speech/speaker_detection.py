"""The job that suggests who speaks: by voices that are alike and by mouths that move with the sound."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotate.speech.speaker_suggestions import KIND, SpeakerGuess
from annotate.study.recording_files import require_usable_sound
from models.faces.landmarks.landmark_finders import LANDMARKS as LANDMARK_FINDERS
from models.faces.track_file import save_tracks, take_tracks
from models.speakers.diarization import Cast, Flag, SpeakerSuggestion, UtteranceSpan
from models.voices.voice_embeddings import default_voice_embedder
from project.entities.study_records import Changes, FaceTrack, Json, Participant, ParticipantRole, Run, Utterance
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.progress import Progress, SubtaskProgress
from project.queries.face_rows import searched_frames, tracks_of
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_participants, participants_in
from project.queries.transcript_rows import find_utterances, speech_spans, update_utterance, utterances_of
from project.session.jobs import JobKind, JobSpec, format_elapsed, store_run
from project.session.session import MediaState, Session
from resources.translation import tr, trn

if TYPE_CHECKING:
    from models.speakers.active_speaker import FaceMovement

LANDMARKS = "mediapipe"
MIN_CONFIDENCE = 0.4
"""A speaker who is less probable is not written into the transcript."""
FACE_KEY_PREFIX = "face:"
"""Before the id of a face track, it is the key of somebody who is no participant yet."""
_LISTENING_PERCENT = 30
"""The part of the work that listening is taken for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerDetectionParameters:
    """What is listened to and watched, and who may speak."""

    path: Path
    fingerprint: str
    track: int
    offset_us: int
    pictures: Path | None
    tracks: Path
    stretches: tuple[UtteranceSpan, ...]
    cast: Cast
    number: int | None
    embedder: str | None
    landmarks: str | None
    faces_run: str | None
    cuts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SpeakerDetectionResult:
    """Who speaks when, and where a person should look."""

    voices: int
    suggestions: tuple[SpeakerGuess, ...]
    flags: tuple[Flag, ...]
    embedder_parameters: Mapping[str, Json] | None
    faces_watched: int
    seconds: float


def prepare(session: Session, recording_id: str, number: int | None = None) -> JobSpec[SpeakerDetectionParameters]:
    """Make the job for one recording.

    It needs a transcript, or speech that was found; `number` is that of people who speak, where somebody knows it.
    """
    recording = session.recording(recording_id)
    located = require_usable_sound(session, recording_id)
    stretches = _speech_spans(session, recording_id)
    if not stretches and speech_spans(session.study, recording_id) is not None:
        raise UserError(
            f"No speech was found in recording {recording.number}.",
            "If somebody speaks, add the utterances to the transcript first.",
        )
    if not stretches:
        raise UserError(
            f"Speech has not been detected in recording {recording.number} yet.",
            f"Find speech first: greenroom speech transcribe STUDY --speech-only --recording {recording.number}",
        )
    embedder = default_voice_embedder()
    pictures, tracks = _faces(session, recording_id)
    if embedder is None and not tracks:
        raise UserError(
            f"The speakers of recording {recording.number} cannot be told apart: there are neither face "
            "tracks nor a voice embedding.",
            "Track its faces (Ctrl+T), or get the voice embedding: greenroom model fetch voice-embedding",
        )
    run = latest_run(session.study, recording_id, "faces")
    parameters = SpeakerDetectionParameters(
        path=located.path,
        fingerprint=located.medium.fingerprint,
        track=located.medium.sound_track,
        offset_us=located.medium.offset_us,
        pictures=pictures if tracks else None,
        tracks=save_tracks(tracks, cache_folder() / "faces"),
        stretches=tuple(stretches),
        cast=_candidate_speakers(session, recording_id, tracks, stretches, number),
        number=number,
        embedder=embedder,
        landmarks=LANDMARKS if tracks and LANDMARK_FINDERS.is_installed(LANDMARKS) else None,
        faces_run=run.id if run else None,
        cuts=tuple(searched_frames(run).cuts) if run else (),
    )
    return JobSpec(KIND, f"Suggest speakers in recording {recording.number}", recording_id, parameters)


def renew(session: Session, work: JobSpec[SpeakerDetectionParameters]) -> JobSpec[SpeakerDetectionParameters]:
    """Make the job again with what the study says now."""
    work.parameters.tracks.unlink(missing_ok=True)
    return prepare(session, work.recording_id, work.parameters.number)


def compute(parameters: SpeakerDetectionParameters, progress: Progress) -> SpeakerDetectionResult:
    """Listen, watch mouths, and conclude."""
    from media.sound import stream_mono
    from models.speakers.diarization import diarize, shift_to_axis
    from models.speakers.voice_clustering import analyze_sound
    from models.voices.voice_embeddings import SAMPLE_RATE, create_voice_embedder

    began = time.monotonic()
    tracks = take_tracks(parameters.tracks)
    stretches, offset = parameters.stretches, parameters.offset_us
    model = None if parameters.embedder is None else create_voice_embedder(parameters.embedder)
    spans = [(stretch.start_us - offset, stretch.end_us - offset) for stretch in stretches]
    percent = _LISTENING_PERCENT if parameters.pictures is not None else 100
    listening = SubtaskProgress(progress, 0, percent, 100, "Listening to the voices")
    blocks = stream_mono(parameters.path, SAMPLE_RATE, listening, track=parameters.track)
    heard = analyze_sound(blocks, spans, model)
    sound = shift_to_axis(heard, offset)
    watching = SubtaskProgress(progress, percent, 100 - percent, 100, "Watching mouths")
    looks, cuts_us = _watch_mouths(parameters, tracks, watching)
    found = diarize(stretches, sound, looks, cuts_us, parameters.cast)
    return SpeakerDetectionResult(
        found.voices,
        tuple(_to_guess(suggestion) for suggestion in found.suggestions),
        found.flags,
        None if model is None else dict(model.parameters),
        len(looks),
        round(time.monotonic() - began, 3),
    )


def store(session: Session, work: JobSpec[SpeakerDetectionParameters], result: SpeakerDetectionResult) -> Changes:
    """Keep the run, and write its suggestions into the transcript as one step, never over what a person chose."""
    backend = " + ".join(filter(None, (work.parameters.embedder, work.parameters.landmarks)))
    new = _changed_utterances(session, result.suggestions)
    number = session.recording(work.recording_id).number
    with session.study.atomic():
        changes = store_run(session, work, backend or "pixels", result)
        if new:
            with session.step(f"Suggest speakers in recording {number}") as step:
                for utterance in new:
                    update_utterance(session.study, utterance)
            changes |= step.changes
    return changes


def _changed_utterances(session: Session, suggestions: Sequence[SpeakerGuess]) -> list[Utterance]:
    """Return the utterances whose speaker changes; an earlier suggestion that holds no more is taken back."""
    there = find_utterances(session.study, [guess.utterance for guess in suggestions if guess.utterance])
    people = {participant.id for participant in all_participants(session.study)}
    new = []
    for guess in suggestions:
        old = there.get(guess.utterance)
        if old is None or (old.participant_id is not None and not old.suggested):
            continue
        if (old.start_us, old.end_us) != (guess.start_us, guess.end_us):
            continue
        whose = guess.participant if guess.participant in people and guess.confidence >= MIN_CONFIDENCE else None
        if whose != old.participant_id:
            new.append(replace(old, participant_id=whose, suggested=whose is not None))
    return new


def _speech_spans(session: Session, recording_id: str) -> list[UtteranceSpan]:
    written = utterances_of(session.study, recording_id)
    if written:
        return [
            UtteranceSpan(
                utterance.id,
                utterance.start_us,
                utterance.end_us,
                None if utterance.suggested else utterance.participant_id,
            )
            for utterance in written
        ]
    return [UtteranceSpan("", start, end) for start, end in sorted(speech_spans(session.study, recording_id) or [])]


def _faces(session: Session, recording_id: str) -> tuple[Path | None, list[FaceTrack]]:
    """Return the file that shows the faces and their tracks; nothing where the file is not as it was tracked."""
    medium = session.main_medium(recording_id)
    run = latest_run(session.study, recording_id, "faces")
    if medium is None or medium.facts.video is None or run is None:
        return None, []
    located = session.locate(medium)
    if located.state is not MediaState.PRESENT or run.parameters.get("fingerprint") != medium.fingerprint:
        return None, []
    return located.path, [track for track in tracks_of(session.study, recording_id) if not track.dismissed]


def _candidate_speakers(
    session: Session,
    recording_id: str,
    tracks: Sequence[FaceTrack],
    stretches: Sequence[UtteranceSpan],
    number: int | None,
) -> Cast:
    """Return who may speak: participants of the recording, then faces that are nobody's yet."""
    people = participants_in(session.study, recording_id)
    faces = _owners(tracks, latest_run(session.study, recording_id, "faces"))
    robot = _robot(people)
    keys = dict.fromkeys(
        [
            *(person.id for person in people),
            *faces.values(),
            *(stretch.known_speaker for stretch in stretches if stretch.known_speaker is not None),
        ]
    )
    return Cast(tuple(keys), faces, robot, number, len(people) if len(people) > 1 else None)


def _robot(people: Sequence[Participant]) -> str | None:
    robots = [person.id for person in people if person.role is ParticipantRole.ROBOT]
    return robots[0] if len(robots) == 1 else None


def _owners(tracks: Sequence[FaceTrack], run: Run | None) -> dict[str, str]:
    """Return track -> participant, or one key for tracks that look like one person, or a key of its own."""
    faces = {track.id: track.participant_id or FACE_KEY_PREFIX + track.id for track in tracks}
    stored = run.result.get("suggested") if run is not None else None
    for group in stored if isinstance(stored, list) else ():
        members = [str(track_id) for track_id in group if track_id in faces] if isinstance(group, list) else []
        known = {faces[member] for member in members if not faces[member].startswith(FACE_KEY_PREFIX)}
        if members and len(known) < 2:
            whose = next(iter(known), faces[members[0]])
            faces |= dict.fromkeys(members, whose)
    return faces


def _watch_mouths(
    parameters: SpeakerDetectionParameters, tracks: Sequence[FaceTrack], progress: Progress
) -> "tuple[dict[str, FaceMovement], list[int]]":
    if parameters.pictures is None:
        return {}, []
    from media.frame_index import load_index
    from models.faces.landmarks.landmark_finders import create_landmark_finder
    from models.speakers.mouth_pass import watch_mouths

    index = load_index(parameters.pictures)
    finder = None if parameters.landmarks is None else create_landmark_finder(parameters.landmarks)
    spans = [(stretch.start_us, stretch.end_us) for stretch in parameters.stretches]
    try:
        looks = watch_mouths(parameters.pictures, index, tracks, spans, finder, progress)
    finally:
        if finder is not None:
            finder.close()
    cuts = [frame for frame in parameters.cuts if 0 <= frame < len(index)]
    return looks, sorted(index.times.time_of(cut) for cut in cuts)


def _to_guess(suggestion: SpeakerSuggestion) -> SpeakerGuess:
    person = suggestion.person or ""
    is_face = person.startswith(FACE_KEY_PREFIX)
    return SpeakerGuess(
        utterance=suggestion.stretch.id,
        start_us=suggestion.stretch.start_us,
        end_us=suggestion.stretch.end_us,
        speaker=suggestion.speaker,
        participant=suggestion.person if not is_face else None,
        track=person.removeprefix(FACE_KEY_PREFIX) if is_face else None,
        confidence=round(suggestion.confidence, 3),
        faces={track: round(score, 3) for track, score in suggestion.faces.items() if score >= 0.01},
        nobody=round(suggestion.nobody, 3),
    )


def summarize(_work: JobSpec, result: SpeakerDetectionResult) -> str:
    """Say how many speakers were told apart in how many places."""
    speakers = {guess.speaker for guess in result.suggestions} - {None}
    return tr("{speakers} in {places} where somebody speaks, {duration}").format(
        speakers=trn("{count} speaker", "{count} speakers", len(speakers)),
        places=trn("{count} place", "{count} places", len(result.suggestions)),
        duration=format_elapsed(result.seconds),
    )


JOB = JobKind(
    key=KIND,
    parameters=SpeakerDetectionParameters,
    result=SpeakerDetectionResult,
    compute=compute,
    store=store,
    summarize=summarize,
    renew=renew,
    resume=prepare,
    resume_fields=("number",),
    unsaved=("path", "pictures", "tracks", "stretches", "cast", "cuts"),
    discard=lambda parameters: parameters.tracks.unlink(missing_ok=True),
    single=True,
)
