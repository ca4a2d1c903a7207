"""Two copies of a study of SHREC's size merged home, against copying the study's file to the same disk."""

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from annotate.team.assignments import PlanOptions, make_plan
from annotate.team.study_copies import merge_copies, split_study
from project.ids import new_id
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_recordings, recording_numbers
from project.session.session import Session
from project.store.study import Cell, Study
from project.synthetic.synthetic_segments import fill_study
from tools.bench.measuring import RECORDINGS, SEGMENTS
from tools.bench.row import Row

NAMES = ("Annotator 1", "Annotator 2")
REPEAT = 9


def run() -> list[Row]:
    """Measure, in one folder on the disk that the repository is on."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        home, copies = _prepare(Path(folder))
        times, copying, again = [], [], []
        for number in range(REPEAT):
            fresh = Path(shutil.copyfile(home, Path(folder) / f"home-{number}.greenroom"))
            with Session.open(fresh, "Owner") as session:
                started = time.perf_counter()
                done = merge_copies(session, copies)
                times.append(time.perf_counter() - started)
                assert sum(merged_copy.merged.tables["segment"].added for merged_copy in done) == SEGMENTS
                started = time.perf_counter()
                second = merge_copies(session, copies)
                again.append(time.perf_counter() - started)
                assert all(merged_copy.merged.is_empty for merged_copy in second)
            copying.append(_copied(fresh, Path(folder) / "copied"))
            size = fresh.stat().st_size / 1e6
            fresh.unlink()
    merged, copied = statistics.median(times), statistics.median(copying)
    return [
        Row.judged(
            f"merging two copies with {SEGMENTS:,} new segments in {RECORDINGS} recordings, journalled and synced",
            f"{1000 * merged:.0f} ms (again, with nothing new: {1000 * statistics.median(again):.0f} ms)",
            merged / copied,
            "<= 20x",
            f"copying the merged file ({size:.0f} MB), synced, {1000 * copied:.1f} ms",
            f"{merged / copied:.1f}",
        )
    ]


def _prepare(folder: Path) -> tuple[Path, list[Path]]:
    """Make the study, split it for both annotators, and give each copy one annotator's segments as edits."""
    full, home = folder / "full.greenroom", folder / "home.greenroom"
    for path, segments in ((full, SEGMENTS), (home, 0)):
        with Study.create(path, "bench") as study:
            fill_study(study, recordings=RECORDINGS, segments=segments, annotators=len(NAMES), seed=1)
    copies = []
    with Session.open(home, "Owner") as session:
        make_plan(session, PlanOptions(NAMES))
        places = {recording.number: recording.id for recording in all_recordings(session.study)}
        for name in NAMES:
            copies.append(split_study(session, name, folder / f"{name}.greenroom").path)
    with Study.open(full, read_only=True) as source:
        people = {annotator.name: annotator.id for annotator in all_annotators(source)}
        numbers = recording_numbers(source)
        for name, path in zip(NAMES, copies, strict=True):
            _annotate(source, people[name], {place: places[number] for place, number in numbers.items()}, path, name)
    return home, copies


def _annotate(source: Study, author: str, places: dict[str, str], path: Path, name: str) -> None:
    with Study.open(path) as copy:
        who = next(annotator.id for annotator in all_annotators(copy) if annotator.name == name)
        for version in source.rows("SELECT * FROM scheme_version"):
            with copy.step("Keep scheme"):
                copy.write_many("INSERT INTO scheme_version VALUES (?, ?, ?) ON CONFLICT DO NOTHING", [version])
        for place, here in places.items():
            segments: list[tuple[Cell, ...]] = []
            values: list[tuple[Cell, ...]] = []
            for row in source.rows(
                "SELECT id, scheme, track, label, start_us, end_us FROM segment "
                "WHERE recording_id = ? AND annotator_id = ?",
                (place, author),
            ):
                made = new_id()
                segments.append((made, here, who, *row[1:]))
                found = source.rows(
                    "SELECT scheme, version, field, value FROM segment_value WHERE segment_id = ?", row[:1]
                )
                values += [(made, *value) for value in found]
            with copy.step("Add segments", who):
                copy.write_many("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?)", segments)
                copy.write_many("INSERT INTO segment_value VALUES (?, ?, ?, ?, ?)", values)


def _copied(source: Path, target: Path) -> float:
    started = time.perf_counter()
    with source.open("rb") as buffered_reader, target.open("wb") as other:
        shutil.copyfileobj(buffered_reader, other, 1 << 20)
        other.flush()
        os.fsync(other.fileno())
    taken = time.perf_counter() - started
    target.unlink()
    return taken
