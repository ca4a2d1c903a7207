"""The job that suggests areas to mask: where text stands in a recording's picture."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from models.text_regions.text_detectors import require_text_detector
from project.entities.face_regions import Region, RegionKind
from project.entities.study_records import Changes, Json, Run
from project.ids import new_id
from project.progress import Progress
from project.queries.face_rows import regions_of
from project.queries.history_rows import insert_run, latest_run
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, utc_now
from project.version import __version__

KIND = "text"
_INTERVAL_US = SECOND_US


@dataclass(frozen=True, slots=True)
class SuggestedArea:
    """Where text stands for a while: x, y, width, height in pixels; times in microseconds."""

    box: tuple[int, int, int, int]
    start_us: int
    end_us: int


def prepare(session: Session, recording_id: str, finder: str | None = None) -> JobSpec:
    """Make the job for one recording."""
    name = require_text_detector(finder)
    located = session.require_picture(recording_id)
    title = f"Look for text in recording {session.recording(recording_id).number}"
    parameters: dict[str, Json] = {
        "path": str(located.path),
        "fingerprint": located.medium.fingerprint,
        "finder": name,
        "every_us": _INTERVAL_US,
    }
    return JobSpec(KIND, title, recording_id, parameters)


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Look once a second, and join what was found to areas that last."""
    from media.exact_frames import FrameReader
    from media.frame_index import load_index
    from models.text_regions.text_detectors import TextBoxes, create_text_detector, merge_static_regions

    began = time.monotonic()
    path, every = Path(str(parameters["path"])), int(str(parameters["every_us"]))
    finder = create_text_detector(str(parameters["finder"]))
    index = load_index(path)
    times = index.times
    frames = sorted({times.frame_at(at) for at in range(times.time_of(0), times.end_us, every)})

    def looks() -> Iterator[tuple[int, TextBoxes]]:
        with FrameReader(path, index, memory=0) as reader:
            for done, frame in enumerate(frames, 1):
                progress.check_cancelled()
                yield times.time_of(frame), finder.find(reader.decoded_frame_at(frame).image)
                progress.progress(done, len(frames), "Looking for text")

    areas = merge_static_regions(looks(), every)
    return {
        "areas": [asdict(area) | {"box": [*area.box]} for area in areas],
        "looks": len(frames),
        "finder_parameters": dict(finder.parameters),
        "seconds": round(time.monotonic() - began, 3),
    }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Keep what was found as a run; a person accepts it as areas, or does not."""
    parameters = {key: value for key, value in work.parameters.items() if key != "path"}
    backend = str(work.parameters["finder"])
    run = Run(new_id(), work.recording_id, work.kind, backend, parameters, dict(result), utc_now(), __version__)
    with session.study.run_transaction():
        insert_run(session.study, run)
    return Changes.from_pairs([("run", run.id)])


def suggested_areas(session: Session, recording_id: str) -> list[SuggestedArea]:
    """Return where the newest run found text that no area of the recording hides yet, in order of time."""
    run = latest_run(session.study, recording_id, KIND)
    stored = run.result.get("areas") if run is not None else None
    drawn = [region for region in regions_of(session.study, recording_id) if region.kind is not RegionKind.FACE]
    found = [_area(area) for area in stored if isinstance(area, dict)] if isinstance(stored, list) else []
    return [suggested_area for suggested_area in found if not any(_covers(region, suggested_area) for region in drawn)]


def _area(stored: dict[str, Json]) -> SuggestedArea:
    box = stored["box"]
    assert isinstance(box, list)
    x, y, width, height = (int(str(side)) for side in box)
    return SuggestedArea((x, y, width, height), int(str(stored["start_us"])), int(str(stored["end_us"])))


def _covers(region: Region, area: SuggestedArea) -> bool:
    x, y, width, height = area.box
    return any(
        keyframe.x <= x
        and keyframe.y <= y
        and keyframe.x + keyframe.width >= x + width
        and keyframe.y + keyframe.height >= y + height
        for keyframe in region.keyframes
    )
