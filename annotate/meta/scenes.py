"""The job that suggests scene changes: pre-labels of the scheme `scenes`, until somebody accepts or rejects them.

It also reads segments of the scheme `scenes`: scene changes, unexpected events and voice-over.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotate.cues.cue_marks import CuePrelabel
from annotate.cues.prelabels import decided_prelabels, replace_prelabels, uncounted_annotators
from annotate.study.scheme_versions import ensure_scheme
from project.entities.study_records import Changes, Segment, Utterance
from project.progress import Progress
from project.queries.recording_rows import pseudonyms
from project.queries.segment_rows import segments_of, values_in
from project.session.jobs import JobKind, JobSpec, store_run
from project.session.session import Session
from project.timebase import SECOND_US
from resources.translation import trn

SCHEME = "scenes"
CHANGE, EVENT, SOUND = "change", "event", "sound"
"""Its tracks."""
CUT, VOICE_OVER = "cut", "voice_over"
MARK_DURATION_US = SECOND_US // 2
"""Length of a suggested scene change: a segment cannot be a point."""


@dataclass(frozen=True, slots=True)
class SceneEvent:
    """Something of the scheme `scenes`.

    Attributes:
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
    names = pseudonyms(session.study)
    scheme = session.schemes.find(SCHEME)
    made = []
    for segment in sorted(found, key=lambda segment: (segment.start_us, segment.end_us, segment.id)):
        if segment.id in done:
            continue
        given = values.get(segment.id, {})
        label = None if scheme is None else scheme.track_or_empty(segment.track).label(segment.label)
        made.append(
            SceneEvent(
                segment,
                segment.label if label is None else label.name,
                str(given.get("description") or "").strip(),
                names.get(str(given.get("participant") or ""), ""),
                segment.annotator_id in suggested,
            )
        )
    return made


def deduplicate_marks(found: Sequence[SceneEvent]) -> list[SceneEvent]:
    """Return what people marked, by start; of the same label over shared time, as several people mark it, the first."""
    kept: list[SceneEvent] = []
    for scene in found:
        place = scene.segment.track, scene.segment.label
        known = (other.segment for other in kept if (other.segment.track, other.segment.label) == place)
        if not scene.prelabel and not any(scene.segment.start_us < segment.end_us for segment in known):
            kept.append(scene)
    return kept


def find_voice_overs(session: Session, recording_id: str) -> list[Segment]:
    """Return where somebody marked a voice that belongs to nobody in the scene, by start."""
    suggested = uncounted_annotators(session.study)
    found = segments_of(session.study, recording_id, scheme=SCHEME)
    marked = [
        segment
        for segment in found
        if (segment.track, segment.label) == (SOUND, VOICE_OVER) and segment.annotator_id not in suggested
    ]
    return sorted(marked, key=lambda segment: (segment.start_us, segment.end_us, segment.id))


def is_voice_over(said: Utterance, over: Sequence[Segment]) -> bool:
    """Tell whether more than half of an utterance lies in voice-over."""
    covered, reached = 0, said.start_us
    for segment in over:
        start, end = max(segment.start_us, reached), min(segment.end_us, said.end_us)
        if end > start:
            covered += end - start
            reached = end
    return 2 * covered > said.end_us - said.start_us


KIND = "scenes"
_BACKEND = "pictures"


@dataclass(frozen=True, slots=True)
class SceneChangeParameters:
    """What is looked at."""

    path: Path
    fingerprint: str


@dataclass(frozen=True, slots=True)
class SceneChangeResult:
    """Positions of the frames that begin a scene, and their times on the recording's axis."""

    frames: int
    changes: tuple[int, ...]
    times_us: tuple[int, ...]
    seconds: float


def prepare(session: Session, recording_id: str) -> JobSpec[SceneChangeParameters]:
    """Make the job for one recording."""
    located = session.require_picture(recording_id)
    title = f"Find scene changes in recording {session.recording(recording_id).number}"
    return JobSpec(KIND, title, recording_id, SceneChangeParameters(located.path, located.medium.fingerprint))


def compute(parameters: SceneChangeParameters, progress: Progress) -> SceneChangeResult:
    """Look at every picture."""
    from media.frame_index import load_index
    from models.faces.scene_changes import scene_changes

    began = time.monotonic()
    index = load_index(parameters.path)
    found = tuple(scene_changes(parameters.path, index, progress))
    times_us = tuple(index.times.time_of(frame) for frame in found)
    return SceneChangeResult(len(index), found, times_us, round(time.monotonic() - began, 3))


def store(session: Session, work: JobSpec[SceneChangeParameters], result: SceneChangeResult) -> Changes:
    """Keep the figures as a run, and put pre-labels in place of those that nobody decided on."""
    last = session.recording(work.recording_id).duration_us
    found = [
        CuePrelabel(CHANGE, CUT, time_us, min(time_us + MARK_DURATION_US, last), None, "")
        for time_us in result.times_us
        if time_us < last
    ]
    changes = ensure_scheme(session, SCHEME) if found else Changes()
    with session.study.atomic():
        changes |= store_run(session, work, _BACKEND, result)
        return changes | replace_prelabels(session, work.recording_id, found, SCHEME)


def summarize(_work: JobSpec, result: SceneChangeResult) -> str:
    """Say how many changes of scene were found."""
    return trn("{count} change of scene", "{count} changes of scene", len(result.changes))


JOB = JobKind(
    key=KIND,
    parameters=SceneChangeParameters,
    result=SceneChangeResult,
    compute=compute,
    store=store,
    summarize=summarize,
    resume=prepare,
    single=True,
)
