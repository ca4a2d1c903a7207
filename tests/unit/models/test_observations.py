"""The file that keeps partial work: whole records only, of the same work only."""

import errno
import os
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from models.faces.frame_detections import Observation, ObservationLog
from project.errors import UserError
from tests.builders.face_pictures import seen

WORK = {"source": "abc"}
SEEN = [seen(0, (1, 2, 3, 4, 0.5)), seen(1, looked=False), seen(2, cut=True, damaged=True)]


def _written(path: Path) -> None:
    with ObservationLog(path, WORK) as log:
        for observation in SEEN:
            log.add(observation)


def _plain(seen: list[Observation]) -> list[dict[str, object]]:
    return [{**asdict(o), "hits": o.hits.tolist(), "descriptions": o.descriptions.tolist()} for o in seen]


def _same(a: list[Observation], b: list[Observation]) -> bool:
    return _plain(a) == _plain(b)


def test_what_was_added_is_found_again(tmp_path: Path) -> None:
    _written(tmp_path / "log")
    with ObservationLog(tmp_path / "log", WORK) as log:
        assert _same(log.found, SEEN)


def test_every_torn_end_leaves_the_whole_records(tmp_path: Path) -> None:
    path = tmp_path / "log"
    _written(path)
    whole = path.read_bytes()
    counts = set()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with ObservationLog(path, WORK) as log:
            counts.add(len(log.found))
            assert _same(log.found, SEEN[: len(log.found)])
            log.add(SEEN[len(log.found)])
            before = len(log.found)
        with ObservationLog(path, WORK) as log:
            assert len(log.found) == before + 1
    assert counts == {0, 1, 2}


def test_a_flipped_bit_ends_what_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    _written(path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    with ObservationLog(path, WORK) as log:
        assert _same(log.found, SEEN[:2])


def test_other_work_starts_anew(tmp_path: Path) -> None:
    _written(tmp_path / "log")
    with ObservationLog(tmp_path / "log", {"source": "another"}) as log:
        assert log.found == []
    with ObservationLog(tmp_path / "log", WORK) as log:
        assert log.found == []


def test_removed_when_done(tmp_path: Path) -> None:
    with ObservationLog(tmp_path / "deep" / "log", WORK) as log:
        log.add(SEEN[0])
        log.remove()
    assert not (tmp_path / "deep" / "log").exists()


def test_a_folder_in_its_place_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be kept"):
        ObservationLog(tmp_path, WORK)


def test_a_full_disk_is_said_plainly() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    log = ObservationLog(None, WORK)
    log._path, log._file = full, full.open("r+b")
    with log, pytest.raises(UserError, match=re.escape(os.strerror(errno.ENOSPC).lower())):
        log.add(SEEN[0])
