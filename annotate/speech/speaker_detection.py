"""The job that suggests who speaks: by voices that are alike and by mouths that move with the sound."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from annotate.study.recording_files import require_usable_sound
from models.faces.landmarks.landmark_finders import LANDMARKS as LANDMARK_FINDERS
from models.faces.track_file import save_tracks, take_tracks
from models.voices.voice_embeddings import default_voice_embedder
from project.entities.study_records import Changes, FaceTrack, Json, Participant, ParticipantRole, Run, Utterance
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.progress import Progress
from project.queries.face_rows import searched_frames, tracks_of
from project.queries.history_rows import insert_run, latest_run
from project.queries.recording_rows import all_participants, participants_in
from project.queries.transcript_rows import find_utterances, speech_spans, update_utterance, utterances_of
from project.session.jobs import JobSpec
from project.session.session import MediaState, Session
from project.timebase import utc_now
from project.version import __version__

if TYPE_CHECKING:
    from models.speakers.active_speaker import FaceMovement
    from models.speakers.diarization import DiarizationResult, UtteranceSpan

KIND = "speakers"
LANDMARKS = "mediapipe"
MIN_CONFIDENCE = 0.4
"""A speaker who is less probable is not written into the transcript."""
FACE_KEY_PREFIX = "face:"
"""Before the id of a face track, it is the key of somebody who is no participant yet."""
_TRANSIENT_PARAMETERS = ("path", "pictures", "tracks", "stretches", "cast", "cuts")
_LISTENING_SHARE = 0.3
"""The share of the work that listening is taken for."""


def prepare(session: Session, recording_id: str, number: int | None = None) -> JobSpec:
    """Make the job for one recording.

    Args:
        session: holds the study.
        recording_id: of a recording with a transcript, or with speech that was found.
        number: of people who speak, where somebody knows it.
    """
    recording = session.recording(recording_id)
    located = require_usable_sound(session, recording_id)
    stretches = _speech_spans(session, recording_id)
    if not stretches and speech_spans(session.study, recording_id) is not None:
        raise UserError(
            f"Nobody was heard to speak in recording {recording.number}.",
            "If somebody does, add what they say in the transcript first.",
        )
    if not stretches:
        raise UserError(
            f"Nothing is known about what is said in recording {recording.number}.",
            f"Find speech first: greenroom transcribe STUDY --speech-only --recording {recording.number}",
        )
    embedder = default_voice_embedder()
    pictures, tracks = _faces(session, recording_id)
    if embedder is None and not tracks:
        raise UserError(
            f"There is nothing to tell the speakers of recording {recording.number} by.",
            "Track its faces (Ctrl+T), or get the voice embedding: greenroom models fetch voice-embedding",
        )
    parameters: dict[str, Json] = {
        "path": str(located.path),
        "fingerprint": located.medium.fingerprint,
        "track": located.medium.sound_track,
        "offset_us": located.medium.offset_us,
        "pictures": None if pictures is None or not tracks else str(pictures),
        "tracks": str(save_tracks(tracks, cache_folder() / "faces")),
        "stretches": [[stretch.id, stretch.start_us, stretch.end_us, stretch.known_speaker] for stretch in stretches],
        "cast": cast(Json, _candidate_speakers(session, recording_id, tracks, stretches, number)),
        "number": number,
        "embedder": embedder,
        "landmarks": LANDMARKS if tracks and LANDMARK_FINDERS.is_installed(LANDMARKS) else None,
        **_faces_facts(session, recording_id),
    }
    return JobSpec(KIND, f"Suggest speakers in recording {recording.number}", recording_id, parameters)


def renew(session: Session, work: JobSpec) -> JobSpec:
    """Make the job again with what the study says now."""
    Path(str(work.parameters["tracks"])).unlink(missing_ok=True)
    return prepare(session, work.recording_id, cast("int | None", work.parameters["number"]))


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Listen, watch mouths, and conclude."""
    from media.sound import stream_mono
    from models.speakers.diarization import Cast, UtteranceSpan, diarize, shift_to_axis
    from models.speakers.voice_clustering import analyze_sound
    from models.voices.voice_embeddings import SAMPLE_RATE, create_voice_embedder

    began = time.monotonic()
    tracks = take_tracks(Path(str(parameters["tracks"])))
    stretches = [UtteranceSpan(*stretch) for stretch in cast("list[list[Any]]", parameters["stretches"])]
    offset = int(str(parameters["offset_us"]))
    name = parameters["embedder"]
    model = None if name is None else create_voice_embedder(str(name))
    spans = [(stretch.start_us - offset, stretch.end_us - offset) for stretch in stretches]
    share = _LISTENING_SHARE if parameters["pictures"] is not None else 1.0
    telling = _StepProgress(progress, 0, share, "Listening to the voices")
    track = cast(int, parameters["track"])
    blocks = stream_mono(Path(str(parameters["path"])), SAMPLE_RATE, telling, track=track)
    heard = analyze_sound(blocks, spans, model)
    sound = shift_to_axis(heard, offset)
    looks, cuts_us = _watch_mouths(
        parameters, tracks, stretches, _StepProgress(progress, share, 1.0, "Watching mouths")
    )
    known = cast("dict[str, Any]", parameters["cast"])
    found = diarize(stretches, sound, looks, cuts_us, Cast(**{**known, "people": tuple(known["people"])}))
    return {
        **_result_to_json(found),
        "embedder_parameters": None if model is None else dict(model.parameters),
        "faces_watched": len(looks),
        "seconds": round(time.monotonic() - began, 3),
    }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Keep the run, and write its suggestions into the transcript as one step, never over what a person chose."""
    parameters = {key: value for key, value in work.parameters.items() if key not in _TRANSIENT_PARAMETERS}
    backend = " + ".join(str(work.parameters[key]) for key in ("embedder", "landmarks") if work.parameters[key])
    run = Run(new_id(), work.recording_id, KIND, backend or "pixels", parameters, dict(result), utc_now(), __version__)
    changes = Changes.from_pairs([("run", run.id)])
    new = _changed_utterances(session, cast("list[dict[str, Any]]", result["suggestions"]))
    number = session.recording(work.recording_id).number
    with session.study.atomic():
        with session.study.run_transaction():
            insert_run(session.study, run)
        if new:
            with session.step(f"Suggest speakers in recording {number}") as step:
                for utterance in new:
                    update_utterance(session.study, utterance)
            changes |= step.changes
    return changes


def _changed_utterances(session: Session, suggestions: Sequence[Mapping[str, Any]]) -> list[Utterance]:
    """Return the utterances whose speaker changes; an earlier suggestion that holds no more is taken back."""
    there = find_utterances(
        session.study, [str(suggestion["utterance"]) for suggestion in suggestions if suggestion["utterance"]]
    )
    people = {participant.id for participant in all_participants(session.study)}
    new = []
    for suggestion in suggestions:
        old = there.get(str(suggestion["utterance"]))
        if old is None or (old.participant_id is not None and not old.suggested):
            continue
        if (old.start_us, old.end_us) != (suggestion["start_us"], suggestion["end_us"]):
            continue
        fits = suggestion["participant"] in people and suggestion["confidence"] >= MIN_CONFIDENCE
        whose = suggestion["participant"] if fits else None
        if whose != old.participant_id:
            new.append(replace(old, participant_id=whose, suggested=whose is not None))
    return new


def _speech_spans(session: Session, recording_id: str) -> "list[UtteranceSpan]":
    from models.speakers.diarization import UtteranceSpan

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


def _faces_facts(session: Session, recording_id: str) -> dict[str, Json]:
    run = latest_run(session.study, recording_id, "faces")
    return {"faces_run": run.id if run else None, "cuts": [*searched_frames(run).cuts] if run else []}


def _candidate_speakers(
    session: Session,
    recording_id: str,
    tracks: Sequence[FaceTrack],
    stretches: "Sequence[UtteranceSpan]",
    number: int | None,
) -> dict[str, Json]:
    """Return who may speak, as JSON: participants of the recording, then faces that are nobody's yet."""
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
    return {
        "people": [*keys],
        "faces": cast(Json, faces),
        "robot": robot,
        "number": number,
        "expected": len(people) if len(people) > 1 else None,
    }


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
    parameters: Mapping[str, Json],
    tracks: Sequence[FaceTrack],
    stretches: "Sequence[UtteranceSpan]",
    progress: Progress,
) -> "tuple[dict[str, FaceMovement], list[int]]":
    if parameters["pictures"] is None:
        return {}, []
    from media.frame_index import load_index
    from models.faces.landmarks.landmark_finders import create_landmark_finder
    from models.speakers.mouth_pass import watch_mouths

    path = Path(str(parameters["pictures"]))
    index = load_index(path)
    finder = None if parameters["landmarks"] is None else create_landmark_finder(str(parameters["landmarks"]))
    try:
        looks = watch_mouths(
            path, index, tracks, [(stretch.start_us, stretch.end_us) for stretch in stretches], finder, progress
        )
    finally:
        if finder is not None:
            finder.close()
    cuts = [frame for frame in cast("list[int]", parameters["cuts"]) if 0 <= frame < len(index)]
    return looks, sorted(index.times.time_of(cut) for cut in cuts)


def _result_to_json(found: "DiarizationResult") -> dict[str, Json]:
    """Return all that was found as JSON."""
    suggestions: list[Json] = [
        {
            "utterance": suggestion.stretch.id,
            "start_us": suggestion.stretch.start_us,
            "end_us": suggestion.stretch.end_us,
            "speaker": suggestion.speaker,
            "participant": suggestion.person
            if suggestion.person is not None and not suggestion.person.startswith(FACE_KEY_PREFIX)
            else None,
            "track": suggestion.person[len(FACE_KEY_PREFIX) :]
            if suggestion.person is not None and suggestion.person.startswith(FACE_KEY_PREFIX)
            else None,
            "confidence": round(suggestion.confidence, 3),
            "faces": {track: round(score, 3) for track, score in suggestion.faces.items() if score >= 0.01},
            "nobody": round(suggestion.nobody, 3),
        }
        for suggestion in found.suggestions
    ]
    return {
        "voices": found.voices,
        "suggestions": suggestions,
        "flags": [cast(Json, asdict(flag)) for flag in found.flags],
    }


class _StepProgress:
    """A part of the work: progress from one share of the whole to another."""

    def __init__(self, progress: Progress, first: float, last: float, text: str) -> None:
        self._progress, self._first, self._last, self._text = progress, first, last, text
        self.check_cancelled = progress.check_cancelled

    def progress(self, done: int, total: int, _text: str = "") -> None:
        """Report a part of this part."""
        share = self._first + (self._last - self._first) * done / max(total, 1)
        self._progress.progress(round(1000 * share), 1000, self._text)
