"""Recreates interrupted jobs when their study is opened again."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from project.entities.study_records import Json
from project.errors import UserError
from project.session.job_notes import InterruptedJob
from project.session.jobs import JobSpec
from project.session.session import Session


def recreate_job(session: Session, job: InterruptedJob) -> JobSpec | None:
    """Return the job for the present state of the study; None if nothing is left to do."""
    session.study.require_writable()
    try:
        return _RECREATORS[job.kind](session, job)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"“{job.title}” cannot be resumed: its note is damaged.", "Start it anew.") from error


# One function for each kind of job. Modules of models are imported by the functions that need them.


def _faces(session: Session, job: InterruptedJob) -> JobSpec:
    from anonymize.faces import face_tracking_job
    from models.faces.tracking_options import FaceOptions

    options = FaceOptions(**cast(dict[str, Any], job.parameters["options"]))
    detectors, processor = str(job.parameters["detector"]), str(job.parameters["processor"])
    return face_tracking_job.prepare(session, job.recording_id, options, detectors, processor)


def _text(session: Session, job: InterruptedJob) -> JobSpec:
    from anonymize.faces import text_regions_job

    return text_regions_job.prepare(session, job.recording_id, str(job.parameters["finder"]))


def _speech(session: Session, job: InterruptedJob) -> JobSpec:
    from annotate.speech import voice_activity
    from models.speech.speech_recognizers import SpeechOptions

    return voice_activity.prepare(
        session, job.recording_id, SpeechOptions(**cast(dict[str, Any], job.parameters["options"]))
    )


def _transcribe(session: Session, job: InterruptedJob) -> JobSpec:
    from annotate.speech import transcription
    from annotate.transcript.utterance_drafts import CuttingOptions

    return transcription.prepare(
        session,
        job.recording_id,
        str(job.parameters["model"]),
        cast("str | None", job.parameters["language"]),
        replace=bool(job.parameters["replace"]),
        processor=str(job.parameters["processor"]),
        options=CuttingOptions(**cast(dict[str, Any], job.parameters["options"])),
    )


def _speakers(session: Session, job: InterruptedJob) -> JobSpec:
    from annotate.speech import speaker_detection

    return speaker_detection.prepare(session, job.recording_id, cast("int | None", job.parameters["number"]))


def _cues(session: Session, job: InterruptedJob) -> JobSpec:
    from annotate.cues import cue_detection

    return cue_detection.prepare(session, job.recording_id)


def _scenes(session: Session, job: InterruptedJob) -> JobSpec:
    from annotate.meta import scenes

    return scenes.prepare(session, job.recording_id)


def _sync(session: Session, job: InterruptedJob) -> JobSpec:
    from annotate.study import recording_files

    return recording_files.prepare(session, job.recording_id, str(job.parameters["medium"]))


def _privacy(session: Session, job: InterruptedJob) -> JobSpec:
    from anonymize.privacy import privacy_job

    options = cast(dict[str, Json], job.parameters["measure"])
    return privacy_job.prepare(session, Path(str(job.parameters["clip"])), options=options)


def _release(session: Session, job: InterruptedJob) -> JobSpec:
    from anonymize.release import release_job
    from anonymize.release.release_plan import ReleasePlan
    from project.codec import load

    plan = load(ReleasePlan, job.parameters["plan"], job.title)
    return release_job.prepare(session, Path(str(job.parameters["folder"])), plan)


def _fetch(session: Session, job: InterruptedJob) -> JobSpec:
    from anonymize.egress import weights_download_job

    name, key = str(job.parameters["name"]), str(job.parameters.get("key", ""))
    if "source" in job.parameters:
        return weights_download_job.prepare_adding(
            name, Path(str(job.parameters["source"])), str(job.parameters.get("licence", ""))
        )
    refusal = weights_download_job.download_refusal(session, name, key)
    if refusal is not None:
        raise refusal
    return weights_download_job.prepare(name, key)


def _ask(session: Session, job: InterruptedJob) -> JobSpec | None:
    from benchmark.judging.ask_job import unanswered

    return unanswered(session, JobSpec(job.kind, job.title, job.recording_id, job.parameters), job.since)


_RECREATORS: Mapping[str, Callable[[Session, InterruptedJob], JobSpec | None]] = {
    "faces": _faces,
    "text": _text,
    "speech": _speech,
    "transcribe": _transcribe,
    "speakers": _speakers,
    "cues": _cues,
    "scenes": _scenes,
    "sync": _sync,
    "privacy": _privacy,
    "release": _release,
    "fetch": _fetch,
    "ask": _ask,
}
