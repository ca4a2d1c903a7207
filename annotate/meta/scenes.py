"""The job that suggests scene changes: pre-labels of the scheme `scenes`, until somebody accepts or rejects them.

Scene changes, unexpected events and sound that was laid over: segments of the scheme `scenes`.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from annotate.cues.cue_marks import CuePrelabel
from annotate.cues.prelabels import decided_prelabels, replace_prelabels, uncounted_annotators
from annotate.study.scheme_versions import use_shipped_scheme
from project.entities.study_records import Changes, Json, Run, Segment, Utterance
from project.ids import new_id
from project.progress import Progress
from project.queries.history_rows import insert_run
from project.queries.recording_rows import all_participants
from project.queries.segment_rows import segments_of, values_in
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, utc_now
from project.version import __version__

SCHEME = "scenes"
CHANGE, EVENT, SOUND = "change", "event", "sound"
"""Its tracks."""
CUT, VOICE_OVER = "cut", "voice_over"
MARK_DURATION_US = SECOND_US // 2
"""How long a suggested scene change is marked: segments are no points."""


@dataclass(frozen=True, slots=True)
class SceneEvent:
    """Something of the scheme `scenes`.

    Attributes:
        name: of its label.
        who: pseudonym of whom it is about; "" for nobody.
        prelabel: a model suggests it, and nobody decided on it yet.
    """

    segment: Segment
    name: str
    description: str
    who: str
    prelabel: bool


def read_scene_events(session: Session, recording_id: str) -> list[SceneEvent]:
    """Return everything of the scheme `scenes` in a recording, by start, without pre-labels that were decided on."""
    found = segments_of(session.study, recording_id, scheme=SCHEME)
    if not found:
        return []
    suggested = uncounted_annotators(session.study)
    done = decided_prelabels(session, recording_id)
    values = values_in(session.study, recording_id)
    names = {one.id: one.pseudonym for one in all_participants(session.study)}
    scheme = session.schemes.known(SCHEME)
    made = []
    for one in sorted(found, key=lambda each: (each.start_us, each.end_us, each.id)):
        if one.id in done:
            continue
        given = {key: value.value for key, value in values.get(one.id, {}).items()}
        label = None if scheme is None else scheme.lane(one.track).label(one.label)
        made.append(
            SceneEvent(
                one,
                one.label if label is None else label.name,
                str(given.get("description") or "").strip(),
                names.get(str(given.get("participant") or ""), ""),
                one.annotator_id in suggested,
            )
        )
    return made


def deduplicate_marks(found: Sequence[SceneEvent]) -> list[SceneEvent]:
    """Return what people marked, by start; of the same label over shared time, as several people mark it, the first."""
    kept: list[SceneEvent] = []
    for one in found:
        place = one.segment.track, one.segment.label
        known = (each.segment for each in kept if (each.segment.track, each.segment.label) == place)
        if not one.prelabel and not any(one.segment.start_us < each.end_us for each in known):
            kept.append(one)
    return kept


def find_voice_overs(session: Session, recording_id: str) -> list[Segment]:
    """Return where somebody marked a voice that belongs to nobody in the scene, by start."""
    suggested = uncounted_annotators(session.study)
    found = segments_of(session.study, recording_id, scheme=SCHEME)
    marked = [
        one for one in found if (one.track, one.label) == (SOUND, VOICE_OVER) and one.annotator_id not in suggested
    ]
    return sorted(marked, key=lambda one: (one.start_us, one.end_us, one.id))


def is_voice_over(said: Utterance, over: Sequence[Segment]) -> bool:
    """Tell whether more than half of an utterance lies in voice-over."""
    covered, reached = 0, said.start_us
    for one in over:
        start, end = max(one.start_us, reached), min(one.end_us, said.end_us)
        if end > start:
            covered += end - start
            reached = end
    return 2 * covered > said.end_us - said.start_us


KIND = "scenes"
_BACKEND = "pictures"


def prepare(session: Session, recording_id: str) -> JobSpec:
    """Make the job for one recording.

    Raises:
        UserError: its file is missing, was replaced, or has no picture.
    """
    located = session.usable_picture(recording_id)
    recording = session.recording(recording_id)
    parameters: dict[str, Json] = {"path": str(located.path), "fingerprint": located.medium.fingerprint}
    return JobSpec(KIND, f"Find scene changes in recording {recording.number}", recording_id, parameters)


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Look at every picture; `changes` are positions of frames, `times_us` their times on the recording's axis."""
    from media.frame_index import load_index
    from models.faces.scene_changes import scene_changes

    began = time.monotonic()
    path = Path(str(parameters["path"]))
    index = load_index(path)
    found = scene_changes(path, index, progress)
    return {
        "frames": len(index),
        "changes": [*found],
        "times_us": [index.times.time_of(one) for one in found],
        "seconds": round(time.monotonic() - began, 3),
    }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Keep the figures as a run, and put pre-labels in place of those that nobody decided on."""
    last = session.recording(work.recording_id).duration_us
    parameters = {key: value for key, value in work.parameters.items() if key != "path"}
    run = Run(new_id(), work.recording_id, KIND, _BACKEND, parameters, dict(result), utc_now(), __version__)
    found = [
        CuePrelabel(CHANGE, CUT, time_us, min(time_us + MARK_DURATION_US, last), None, "")
        for time_us in cast(list[int], result["times_us"])
        if time_us < last
    ]
    changes = Changes.of([("run", run.id)])
    if found and not session.schemes.uses(SCHEME):
        changes |= use_shipped_scheme(session, SCHEME)[1]
    with session.study.together():
        with session.study.recording_run():
            insert_run(session.study, run)
        return changes | replace_prelabels(session, work.recording_id, found, SCHEME)
