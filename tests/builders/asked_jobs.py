"""How a job of each kind that is about a recording is asked for."""

import importlib
from collections.abc import Callable
from pathlib import Path

from annotate.cues import cue_detection as cues
from annotate.speech import speaker_detection as speakers
from annotate.speech import transcription
from annotate.speech import voice_activity as speech
from annotate.study import recording_files as synchronizing
from anonymize.export import export_job as anonymization
from anonymize.export import preview_job as preview
from anonymize.faces import text_regions_job as text_regions
from anonymize.privacy import privacy_job as privacy
from anonymize.release import release_job as release
from anonymize.release.release_plan import ReleasePlan
from anonymize.voice import sound_job as voice
from anonymize.voice import sound_preview_job as voice_preview
from anonymize.voice.sound_choice import SoundChoice
from models.speech.speech_recognizers import SpeechOptions
from project.entities.study_records import Participant, ParticipantRole, Utterance
from project.ids import new_id
from project.progress import Silent
from project.queries.recording_rows import insert_participant, media_of
from project.queries.transcript_rows import insert_utterances, utterances_of
from project.session.jobs import JOB_MODULES, JobSpec, run_inline
from project.session.session import Session
from tests.builders.text_network import install_text_network
from tests.builders.tiny_whisper import write_tiny_whisper


def exported(session: Session, recording: str, folder: Path) -> Path:
    """Export a clip, for the jobs that are about one, unless it is there."""
    for clip in folder.glob("*.mp4"):
        return clip
    result, _ = run_inline(
        session, anonymization.prepare(session, recording, "solid", folder, overwrite=True), Silent()
    )
    return result.output


def text_search(session: Session, recording: str, folder: Path) -> JobSpec:
    """Ask for a search for text, once a network for it is installed."""
    install_text_network(folder)
    return text_regions.prepare(session, recording)


def store_speech(session: Session, recording: str, spans: list[tuple[int, int]]) -> None:
    """Store where somebody speaks, as if it had been found."""
    parameters = speech.SpeechDetectionParameters(Path(), "", 0, 0, "told", SpeechOptions())
    result = speech.SpeechDetectionResult(tuple(spans), {}, "", 0.0)
    speech.store(session, JobSpec("speech", "", recording, parameters), result)


def suggested_speakers(session: Session, recording: str, folder: Path) -> JobSpec:
    """Ask who speaks, once it is known when somebody does."""
    store_speech(session, recording, [(100_000, 900_000), (1_000_000, 1_900_000)])
    return speakers.prepare(session, recording)


def suggested_cues(session: Session, recording: str, folder: Path) -> JobSpec:
    """Ask for cues, once somebody says something."""
    if all(utterance.participant_id is None for utterance in utterances_of(session.study, recording)):
        with session.study.step("Somebody speaks", undoable=False):
            insert_participant(session.study, Participant("speaker", "Speaker", ParticipantRole.USER))
            said = Utterance(new_id(), recording, 0, 1_000_000, "Well then", "speaker")
            insert_utterances(session.study, [said])
    return cues.prepare(session, recording)


def usual(kind: str) -> Callable[[Session, str, Path], JobSpec]:
    """Return how a kind is asked for that needs nothing but a recording."""
    return lambda session, recording, folder: importlib.import_module(JOB_MODULES[kind]).prepare(session, recording)


WITHOUT_STUDY = {"ask", "fetch", "pii", "try_judge"}
"""Kinds that are about no recording and store nothing; they have tests of their own."""
PREPARE: dict[str, Callable[[Session, str, Path], JobSpec]] = {
    **{kind: usual(kind) for kind in JOB_MODULES if kind not in WITHOUT_STUDY},
    "anonymize": lambda session, recording, folder: anonymization.prepare(
        session, recording, "solid", folder, overwrite=True
    ),
    "privacy": lambda session, recording, folder: privacy.prepare(session, exported(session, recording, folder)),
    "preview": lambda session, recording, folder: preview.prepare(session, recording, "blur", 0),
    "voice": lambda session, recording, folder: voice.prepare(
        session, recording, SoundChoice(), folder.parent / f"{new_id()}.flac"
    ),
    "listen": lambda session, recording, folder: voice_preview.prepare(session, recording, SoundChoice(), 0),
    "release": lambda session, recording, folder: release.prepare(
        session, folder.parent / new_id(), ReleasePlan(methods=("solid",))
    ),
    "sync": lambda session, recording, folder: synchronizing.prepare(
        session, recording, media_of(session.study, recording)[1].id
    ),
    "text": text_search,
    "speakers": suggested_speakers,
    "cues": suggested_cues,
    "transcribe": lambda session, recording, folder: transcription.prepare(
        session, recording, str(write_tiny_whisper(folder / "model")), replace=True
    ),
}
"""How a job of each kind is asked for; a new kind needs a line here where a recording is not enough."""
