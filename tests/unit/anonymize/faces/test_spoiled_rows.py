"""Rows about faces that another program wrote: one clear line wherever they are read, and nothing passes for hidden."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from anonymize.faces.face_review import build_face_sheet
from anonymize.faces.masking_plan import gather_parameters
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from tests.builders.release_study import lab

_KINDS = {"frames": "<i4", "times_us": "<i8", "boxes": "<f4", "scores": "<f4", "origins": "u1"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab(tmp_path_factory.mktemp("lab"))


@contextmanager
def spoiled(made: Path, spoil: Callable[[sqlite3.Connection], object]) -> Iterator[tuple[Session, str]]:
    """Open a copy of the study beside it, into which another program wrote, and give its recording."""
    study = Path(shutil.copyfile(made, made.with_name("spoiled.greenroom")))
    with closing(sqlite3.connect(study)) as connection, connection:
        spoil(connection)
    with Session.open(study, "Ada Byron") as session:
        yield session, all_recordings(session.study)[0].id


def _set(column: str, place: int, value: float) -> Callable[[sqlite3.Connection], None]:
    """Return what sets one number of the first track, counted from its end where `place` is negative."""

    def spoil(connection: sqlite3.Connection) -> None:
        track, content = connection.execute(f"SELECT id, {column} FROM face_track ORDER BY position").fetchone()
        numbers = np.frombuffer(content, _KINDS[column]).copy()
        numbers[place] = value
        connection.execute(f"UPDATE face_track SET {column} = ? WHERE id = ?", (numbers.tobytes(), track))

    return spoil


def _facts(**wrong: object) -> Callable[[sqlite3.Connection], None]:
    """Return what sets facts of the faces run."""

    def spoil(connection: sqlite3.Connection) -> None:
        run, result = connection.execute("SELECT id, result FROM run WHERE kind = 'faces'").fetchone()
        told = json.dumps({**json.loads(result), **wrong})
        connection.execute("UPDATE run SET result = ? WHERE id = ?", (told, run))

    return spoil


SPOILED: Mapping[str, Callable[[sqlite3.Connection], None]] = {
    "a frame beyond the file": _set("frames", -1, 1_000_000),
    "frames out of order": _set("frames", 1, 0),
    "a time before zero": _set("times_us", 0, -(2**62)),
    "no box": _set("boxes", 0, float("nan")),
    "no origin": _set("origins", 0, 77),
    "no number of frames": _facts(frames="all"),
    "a damaged frame that is none": _facts(damaged_frames=["0"]),
    "a cut without end": _facts(cuts=[10**30]),
}


@pytest.mark.parametrize("how", [*SPOILED])
def test_what_another_program_wrote_about_faces_is_one_clear_line(made: Path, how: str) -> None:
    with spoiled(made, SPOILED[how]) as (session, recording):
        for read in (build_face_sheet, lambda *given: gather_parameters(*given, "solid")):
            with pytest.raises(UserError, match="of this study is damaged") as caught:
                read(session, recording)
            assert "\n" not in str(caught.value)
            assert "greenroom study check" in caught.value.hint
    if how in ("frames out of order", "no box", "no origin", "a time before zero"):
        assert [line for line in check_study(made.with_name("spoiled.greenroom")) if "face track" in line]
