"""Importing an ELAN file, against pympi-ling, which only parses it."""

import logging
import statistics
import tempfile
from pathlib import Path

from pympi.Elan import Eaf

from annotate.interchange.annotation_files import apply_import, get_format, plan_import, read_file
from annotate.interchange.document_export import export_recordings as export_files
from annotate.interchange.document_export import exportable_recordings
from annotate.interchange.lane_entries import guess_recordings
from annotate.interchange.lane_mapping import guess_mapping
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tools.bench.measuring import seconds
from tools.bench.row import Row

ANNOTATIONS = 10_000
ROUNDS = 7


def run() -> list[Row]:
    """Import a file of 10,000 annotations into a study that has none of them, and parse the same file with pympi."""
    logging.getLogger("pympi").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = _written_by_pympi(folder)
        own = _written_by_us(folder)
        segments = ANNOTATIONS // 4
        return [
            _row(f"Import of an .eaf of {ANNOTATIONS:,} annotations: read, mapped, written", folder, plain, "<= 1.5x"),
            _row(f"The same of {segments:,} segments of ours and their values", folder, own, "<= 2x"),
        ]


def _row(work: str, folder: Path, path: Path, target: str) -> Row:
    # In turns, so that whatever else the machine does falls on both.
    rounds = [(_import(folder / f"{path.stem} {n}.greenroom", path), seconds(lambda: Eaf(path))) for n in range(ROUNDS)]
    ours, peer = (statistics.median(times) for times in zip(*rounds, strict=True))
    against = f"pympi-ling parsing it: {peer:.3f} s"
    return Row.judged(work, f"{ours:.3f} s", ours / peer, target, against, f"{ours / peer:.2f}x")


def _import(study: Path, path: Path) -> float:
    with Study.create(study) as made:
        fill_study(made, 1, 0, 1)
    with Session.open(study, "Ada") as session:
        session.study.finish_opening()

        def bring() -> None:
            document = read_file(path)
            plan = plan_import(session, document, guess_mapping(session, document), guess_recordings(session, document))
            apply_import(session, plan, path.name)

        taken = seconds(bring)
        assert session.study.rows("SELECT count(*) FROM segment")[0][0] >= ANNOTATIONS // 4
    return taken


def _written_by_pympi(folder: Path) -> Path:
    made = Eaf(author="Ada")
    for number in range(4):
        made.add_tier(f"coder {number}")
        for n in range(ANNOTATIONS // 4):
            made.add_annotation(f"coder {number}", n * 20, n * 20 + 15, ("error", "competence")[n % 2])
    made.remove_tier("default")
    made.to_file(folder / "plain.eaf")
    return folder / "plain.eaf"


def _written_by_us(folder: Path) -> Path:
    with Study.create(folder / "own.greenroom") as made:
        fill_study(made, 1, ANNOTATIONS // 4, 2)
    with Session.open(folder / "own.greenroom", read_only=True) as session:
        [path] = export_files(session, get_format("eaf"), folder / "own.eaf", exportable_recordings(session))
    return path
