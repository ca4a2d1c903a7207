"""The job that suggests areas to mask: where text stands in a recording's picture."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from models.text_regions.text_detectors import StaticTextRegion, require_text_detector
from project.codec import load
from project.entities.face_regions import Region, RegionKind
from project.entities.study_records import Changes, Json
from project.progress import Progress
from project.queries.face_rows import regions_of
from project.queries.history_rows import latest_run
from project.session.jobs import JobKind, JobSpec, format_elapsed, store_run
from project.session.session import Session
from project.timebase import SECOND_US
from resources.translation import tr, trn

KIND = "text"
_INTERVAL_US = SECOND_US


@dataclass(frozen=True, slots=True)
class TextSearchParameters:
    """What is looked at, and how often."""

    path: Path
    fingerprint: str
    finder: str
    every_us: int


@dataclass(frozen=True, slots=True)
class TextSearchResult:
    """Where text stands."""

    areas: tuple[StaticTextRegion, ...]
    looks: int
    finder_parameters: Mapping[str, Json]
    seconds: float


def prepare(session: Session, recording_id: str, finder: str | None = None) -> JobSpec[TextSearchParameters]:
    """Make the job for one recording."""
    name = require_text_detector(finder)
    located = session.require_picture(recording_id)
    title = f"Look for text in recording {session.recording(recording_id).number}"
    parameters = TextSearchParameters(located.path, located.medium.fingerprint, name, _INTERVAL_US)
    return JobSpec(KIND, title, recording_id, parameters)


def compute(parameters: TextSearchParameters, progress: Progress) -> TextSearchResult:
    """Look once a second, and join what was found to areas that last."""
    from media.exact_frames import FrameReader
    from media.frame_index import load_index
    from models.text_regions.text_detectors import TextBoxes, create_text_detector, merge_static_regions

    began = time.monotonic()
    path, every = parameters.path, parameters.every_us
    finder = create_text_detector(parameters.finder)
    index = load_index(path)
    times = index.times
    frames = sorted({times.frame_at(at) for at in range(times.time_of(0), times.end_us, every)})

    def looks() -> Iterator[tuple[int, TextBoxes]]:
        with FrameReader(path, index, memory=0) as reader:
            for done, frame in enumerate(frames, 1):
                progress.check_cancelled()
                yield times.time_of(frame), finder.find(reader.frame_at(frame).image)
                progress.progress(done, len(frames), "Looking for text")

    areas = tuple(merge_static_regions(looks(), every))
    return TextSearchResult(areas, len(frames), dict(finder.parameters), round(time.monotonic() - began, 3))


def store(session: Session, work: JobSpec[TextSearchParameters], result: TextSearchResult) -> Changes:
    """Keep what was found as a run; a person accepts it as areas, or does not."""
    return store_run(session, work, work.parameters.finder, result)


def summarize(_work: JobSpec, result: TextSearchResult) -> str:
    """Say in how many places text was found."""
    places = trn("{count} place", "{count} places", len(result.areas))
    return tr("Text in {places}, {duration}").format(places=places, duration=format_elapsed(result.seconds))


JOB = JobKind(
    key=KIND,
    parameters=TextSearchParameters,
    result=TextSearchResult,
    compute=compute,
    store=store,
    summarize=summarize,
    resume=prepare,
    resume_fields=("finder",),
    single=True,
)


def suggested_areas(session: Session, recording_id: str) -> list[StaticTextRegion]:
    """Return where the newest run found text that no area of the recording hides yet, in order of time."""
    run = latest_run(session.study, recording_id, KIND)
    drawn = [region for region in regions_of(session.study, recording_id) if region.kind is not RegionKind.FACE]
    areas = () if run is None else load(tuple[StaticTextRegion, ...], run.result["areas"], "Search for text")
    return [area for area in areas if not any(_covers(region, area) for region in drawn)]


def _covers(region: Region, area: StaticTextRegion) -> bool:
    x, y, width, height = area.box
    return any(
        keyframe.x <= x
        and keyframe.y <= y
        and keyframe.x + keyframe.width >= x + width
        and keyframe.y + keyframe.height >= y + height
        for keyframe in region.keyframes
    )
