"""The job that writes the treated sound of a recording into a file of its own, and measures what the treatment did."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from annotate.interchange.document_export import exportable_recordings
from annotate.study.recording_files import require_usable_sound
from anonymize.voice.sound_choice import NONE, SoundChoice, SoundParameters, build_filter, gather_sound_parameters
from project.entities.study_records import Changes, Json
from project.errors import UserError, require_utf8
from project.progress import Progress
from project.queries.recording_rows import pseudonyms
from project.queries.transcript_rows import utterances_of
from project.session.jobs import JobKind, JobSpec, store_run
from project.session.session import Session

KIND = "voice"


@dataclass(frozen=True, slots=True)
class SoundFileParameters:
    """What is treated, and where the file goes.

    Attributes:
        said: the transcript: start, end, text and pseudonym of the speaker.
    """

    path: Path
    fingerprint: str
    track: int
    offset_us: int
    sound: SoundParameters
    said: tuple[tuple[int, int, str, str], ...]
    output: Path
    overwrite: bool


@dataclass(frozen=True, slots=True)
class SoundFileResult:
    """The file, and what was measured in it."""

    output: Path
    samples: int
    same_length: bool
    seconds: float
    measures: Mapping[str, Json]


def prepare(
    session: Session, recording_id: str, choice: SoundChoice, destination: Path, *, overwrite: bool = False
) -> JobSpec[SoundFileParameters]:
    """Make the job for one recording. The destination ends in `.flac` or `.wav`."""
    recording = session.recording(recording_id)
    if choice.voice == NONE:
        raise UserError("A file without sound would be empty.", "Choose a voice method, or keep the voices.")
    exportable_recordings(session, [recording_id])
    located = require_usable_sound(session, recording_id)
    require_utf8(destination)
    names = pseudonyms(session.study)
    parameters = SoundFileParameters(
        located.path,
        located.medium.fingerprint,
        located.medium.sound_track,
        located.medium.offset_us,
        gather_sound_parameters(session, recording_id, choice),
        tuple(
            (utterance.start_us, utterance.end_us, utterance.text, names.get(utterance.participant_id or "", ""))
            for utterance in utterances_of(session.study, recording_id)
        ),
        destination.absolute(),
        overwrite,
    )
    return JobSpec(KIND, f"Treat the sound of recording {recording.number}", recording_id, parameters)


def compute(parameters: SoundFileParameters, progress: Progress) -> SoundFileResult:
    """Write the file, then compare it with the recording."""
    from anonymize.voice.voice_measures import measure_voices
    from media.soundtrack import write_sound

    began = time.monotonic()
    path, output, track, offset = parameters.path, parameters.output, parameters.track, parameters.offset_us
    treatment = build_filter(parameters.sound, path, progress, track=track)
    assert treatment != "none"
    read, written = write_sound(
        path,
        output,
        None if treatment == "keep" else treatment,
        axis_us=offset,
        track=track,
        overwrite=parameters.overwrite,
        progress=progress,
    )
    treated_s = time.monotonic() - began
    said = [(start - offset, end - offset, text, who) for start, end, text, who in parameters.said]
    covered = [(start - offset, end - offset) for start, end in parameters.sound.plan.covered]
    return SoundFileResult(
        output,
        written,
        read == written,
        round(treated_s, 3),
        measure_voices(path, output, said, covered, progress, track=track),
    )


def store(session: Session, work: JobSpec[SoundFileParameters], result: SoundFileResult) -> Changes:
    """Record that this file was made, and how; of paths only the file's own name."""
    sound = work.parameters.sound
    facts: dict[str, Json] = {"output": result.output.name}
    return store_run(session, work, sound.choice.voice, result, parameters={"sound": sound.stored()}, facts=facts)


# Only the command line asks for it, so it is not resumed.
JOB = JobKind(
    key=KIND,
    parameters=SoundFileParameters,
    result=SoundFileResult,
    compute=compute,
    store=store,
    unsaved=("path", "output", "sound", "said"),
)
