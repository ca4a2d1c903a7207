"""What is recognised survives the end of the process, for its owner's eyes only."""

import os
import stat
from pathlib import Path

import pytest

from annotate.speech.recognition_log import SUFFIX, RecognitionLog, read_log, remove_abandoned_logs
from models.speech.speech_recognizers import RecognizedWord
from project.errors import UserError

WORK = {"model": "a"}
WORD = RecognizedWord(" hello", 10, 20, 0.5)


def filled(path: Path) -> None:
    with RecognitionLog(path, WORK) as log:
        log.add_speech([[0, 100]], 200)
        log.add_words(2, (WORD,), "en", 0.9)
        log.add_words(1, (WORD, WORD), "en", 0.9)


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "deep" / f"a{SUFFIX}"
    filled(path)
    with RecognitionLog(path, WORK) as log:
        assert (log.found.speech, log.found.end_us, log.found.windows) == ([[0, 100]], 200, 3)
        assert log.found.pieces == [WORD] * 3
        log.add_words(1, (), "en", 0.9)
    assert read_log(path).windows == 4
    assert read_log(path).pieces == [WORD] * 3


@pytest.mark.parametrize("torn", range(1, 60, 7))
def test_a_torn_end_is_cut_off_and_the_rest_kept(torn: int, tmp_path: Path) -> None:
    path = tmp_path / f"a{SUFFIX}"
    filled(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-torn])
    with RecognitionLog(path, WORK) as log:
        assert log.found.windows == 2
        log.add_words(1, (WORD, WORD), "en", 0.9)
    assert path.read_bytes() == whole


def test_a_changed_byte_ends_what_is_believed(tmp_path: Path) -> None:
    path = tmp_path / f"a{SUFFIX}"
    filled(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], lines[2].replace(b"hello", b"hallo"), lines[3]]))
    with RecognitionLog(path, WORK) as log:
        assert (log.found.speech, log.found.windows) == ([[0, 100]], 0)


def test_other_work_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / f"a{SUFFIX}"
    filled(path)
    with RecognitionLog(path, {"model": "b"}) as log:
        assert log.found.speech is None
    with pytest.raises(UserError, match="no longer in the cache"):
        read_log(path)


def test_only_its_owner_reads_it_also_where_it_was_there_before(tmp_path: Path) -> None:
    path = tmp_path / f"a{SUFFIX}"
    path.write_bytes(b"")
    path.chmod(0o644)
    filled(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_nobody_came_back_for_goes_after_a_week(tmp_path: Path) -> None:
    old, new = tmp_path / f"old{SUFFIX}", tmp_path / f"new{SUFFIX}"
    filled(old)
    filled(new)
    os.utime(old, (0, 0))
    remove_abandoned_logs(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [new.name]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be kept"):
        RecognitionLog(tmp_path / "file" / "a", WORK)
