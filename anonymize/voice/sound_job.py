"""The job that writes the treated sound of a recording into a file of its own, and measures what the treatment did."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from annotate.interchange.document_export import exportable_recordings
from annotate.study.recording_files import require_usable_sound
from anonymize.sound.sound_cover import TimeSpan
from anonymize.sound.sound_plan import SoundPlan, sound_filter
from anonymize.sound.voice_methods import MUTE
from anonymize.sound.voice_stream import VoiceSpan
from anonymize.voice.sound_choice import KEEP, NONE, SoundChoice, gather_sound_parameters
from project.entities.study_records import Changes, Json, Run
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress
from project.queries.history_rows import insert_run
from project.queries.recording_rows import all_participants
from project.queries.transcript_rows import utterances_of
from project.session.jobs import JobSpec
from project.session.session import Session
from project.text_format import require_utf8
from project.timebase import utc_now
from project.version import __version__

if TYPE_CHECKING:
    from media.sound import SoundFilter


def build_filter(
    sound: Mapping[str, Json],
    source: Path,
    progress: Progress | None = None,
    near: tuple[int, int | None] = (0, None),
    *,
    track: int,
) -> "SoundFilter | Literal['keep', 'none']":
    """Return what treats a sound track of a file, from what `gather_sound_parameters` gave."""
    if sound["voice"] == NONE:
        return "none"
    plan = parse_sound_plan(sound)
    return "keep" if plan.is_unchanged else sound_filter(plan, source, progress, near, track=track)


def parse_sound_plan(sound: Mapping[str, Json]) -> SoundPlan:
    """Return what is done to sound that stays, from what `gather_sound_parameters` gave."""
    name, cover = str(sound["voice"]), str(sound["cover"])
    spans = cast(list[list[int]], sound["spans"])
    speakers = cast(list[list[Any]], sound["speakers"])
    return SoundPlan(
        spans=[TimeSpan(start, end) for start, end in spans],
        cover=MUTE if cover == NONE else cover,
        voice=None if name in (KEEP, NONE) else name,
        options=cast(Mapping[str, Any], sound["options"]),
        speakers=[VoiceSpan(start, end, who) for start, end, who in speakers],
        seeds=cast(Mapping[str, str], sound["seeds"]),
    )


def stored_parameters(sound: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a run keeps of it: the choice, the checksum, how many places are covered; no times, no secrets."""
    found = {key: sound[key] for key in ("voice", "options", "cover", "state")}
    return {**found, "covered": len(cast(list[Json], sound["spans"]))}


KIND = "voice"


def prepare(
    session: Session, recording_id: str, choice: SoundChoice, destination: Path, *, overwrite: bool = False
) -> JobSpec:
    """Make the job for one recording.

    Args:
        session: where the recording is.
        recording_id: which one.
        choice: how its sound is treated; not `NONE`, since a file of no sound is of no use.
        destination: ends in `.flac` or `.wav`.
        overwrite: whether a file of that name may be replaced.
    """
    recording = session.recording(recording_id)
    if choice.voice == NONE:
        raise UserError("A file without sound is of no use.", "Choose a voice method, or keep the voices.")
    exportable_recordings(session, [recording_id])
    located = require_usable_sound(session, recording_id)
    require_utf8(destination)
    names = {participant.id: participant.pseudonym for participant in all_participants(session.study)}
    parameters: dict[str, Json] = {
        "path": str(located.path),
        "fingerprint": located.medium.fingerprint,
        "track": located.medium.sound_track,
        "offset_us": located.medium.offset_us,
        "sound": gather_sound_parameters(session, recording_id, choice),
        "said": [
            [utterance.start_us, utterance.end_us, utterance.text, names.get(utterance.participant_id or "", "")]
            for utterance in utterances_of(session.study, recording_id)
        ],
        "output": str(destination.absolute()),
        "overwrite": overwrite,
    }
    return JobSpec(KIND, f"Treat the sound of recording {recording.number}", recording_id, parameters)


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Write the file, then compare it with the recording."""
    from anonymize.voice.voice_measures import measure_voices
    from media.soundtrack import write_sound

    began = time.monotonic()
    path, output = Path(str(parameters["path"])), Path(str(parameters["output"]))
    sound = cast(dict[str, Json], parameters["sound"])
    offset, track = cast(int, parameters["offset_us"]), cast(int, parameters["track"])
    treatment = build_filter(sound, path, progress, track=track)
    assert treatment != "none"
    read, written = write_sound(
        path,
        output,
        None if treatment == "keep" else treatment,
        axis_us=offset,
        track=track,
        overwrite=bool(parameters["overwrite"]),
        progress=progress,
    )
    treated_s = time.monotonic() - began
    said = [(a - offset, b - offset, text, who) for a, b, text, who in cast(list[list[object]], parameters["said"])]  # type: ignore[operator]
    covered = [(a - offset, b - offset) for a, b in cast(list[list[int]], sound["spans"])]
    return {
        "output": str(output),
        "samples": written,
        "same_length": read == written,
        "seconds": round(treated_s, 3),
        "measures": measure_voices(path, output, said, covered, progress, track=track),  # type: ignore[arg-type]
    }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Record that this file was made, and how; of paths only the file's own name."""
    left_out = ("path", "output", "sound", "said")
    parameters = {key: value for key, value in work.parameters.items() if key not in left_out}
    sound = cast(dict[str, Json], work.parameters["sound"])
    parameters["sound"] = stored_parameters(sound)
    kept = {**result, "output": Path(str(result["output"])).name}
    run = Run(new_id(), work.recording_id, KIND, str(sound["voice"]), parameters, kept, utc_now(), __version__)
    with session.study.run_transaction():
        insert_run(session.study, run)
    return Changes.from_pairs([("run", run.id)])
