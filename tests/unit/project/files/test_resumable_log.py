"""The file that keeps partial work: whole records only, of the same work only."""

import errno
import os
import re
import stat
from pathlib import Path

import pytest

from project.errors import UserError
from project.files.resumable_log import ResumableLog

WORK = {"source": "abc"}
RECORDS = [b"first", b"", b"the third"]


def read(path: Path, work: dict[str, str] = WORK, *added: bytes) -> list[bytes]:
    found: list[bytes] = []

    def accept(record: bytes) -> bool:
        found.append(record)
        return True

    with ResumableLog(path, {**work}, accept, "a test") as log:
        for record in added:
            log.append(record)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "deep" / "log"
    assert read(path, WORK, *RECORDS) == []
    return path


def test_what_was_added_is_found_again_by_its_owner_alone(path: Path) -> None:
    path.chmod(0o644)
    assert read(path) == RECORDS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_every_torn_end_leaves_the_whole_records(path: Path) -> None:
    whole = path.read_bytes()
    counts = set()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        found = read(path)
        assert found == RECORDS[: len(found)]
        read(path, WORK, *RECORDS[len(found) :])
        assert path.read_bytes() == whole
        counts.add(len(found))
    assert counts == {0, 1, 2}


def test_a_flipped_bit_and_a_record_that_is_not_accepted_end_what_is_believed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    assert read(path) == RECORDS[:2]
    ResumableLog(path, WORK, lambda record: record == RECORDS[0], "a test").close()
    assert read(path) == RECORDS[:1]


def test_other_work_starts_anew(path: Path) -> None:
    assert read(path, {"source": "another"}) == []
    assert read(path) == []


def test_a_full_disk_and_a_file_in_the_way_are_said_plainly(path: Path) -> None:
    with pytest.raises(UserError, match="cannot be kept"):
        read(path / "below")
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    log = ResumableLog(path, WORK, lambda _: True, "a test")
    log.close()
    log._file = full.open("r+b")
    with log, pytest.raises(UserError, match=re.escape(os.strerror(errno.ENOSPC).lower())):
        log.append(b"more")
