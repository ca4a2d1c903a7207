"""The lock beside a study, where files come and go while it is being taken."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from project import locking
from project.locking import StudyInUse, StudyLock, acquire, is_held, lock_path
from project.store import Study
from tests.waiting import HANG_S


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return tmp_path / "a.greenroom"


def test_only_one_holds_it_at_a_time(study: Path) -> None:
    assert not is_held(study)
    first = acquire(study)
    assert is_held(study)
    with pytest.raises(StudyInUse) as error:
        acquire(study)
    assert error.value.holder is not None
    assert error.value.holder.pid == os.getpid()
    first.release()
    first.release()
    assert not is_held(study)
    assert not lock_path(study).exists()
    acquire(study).release()


def test_what_a_killed_holder_was_about_to_start_is_waited_for(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """
import os, sys
from pathlib import Path
from project.locking import acquire

held = acquire(Path(sys.argv[1]))
if os.fork() == 0:
    sys.stdin.read()
os._exit(0)
"""
    holder = subprocess.Popen([sys.executable, "-c", program, str(study)], stdin=subprocess.PIPE)
    assert holder.wait(HANG_S) == 0
    assert is_held(study)
    assert holder.stdin is not None

    def let_go_and_pause(seconds: float) -> None:
        holder.stdin.close()  # type: ignore[union-attr]
        time.sleep(seconds)

    monkeypatch.setattr(locking, "_PATIENCE_S", HANG_S)
    monkeypatch.setattr(locking, "time", SimpleNamespace(monotonic=time.monotonic, sleep=let_go_and_pause))
    acquire(study).release()
    assert holder.stdin.closed
    assert not lock_path(study).exists()


@pytest.mark.parametrize("another_came_first", [False, True])
def test_a_file_that_was_removed_while_it_was_waited_for_is_no_lock(
    study: Path, monkeypatch: pytest.MonkeyPatch, another_came_first: bool
) -> None:
    """Between opening the file and locking it, its holder may close, and somebody else may be quicker."""
    really, others = locking._open, list[StudyLock]()

    def open_and_be_late(path: Path) -> tuple[int, bool]:
        found = really(path)
        monkeypatch.setattr(locking, "_open", really)
        path.unlink()
        if another_came_first:
            others.append(acquire(study))
        return found

    monkeypatch.setattr(locking, "_open", open_and_be_late)
    if another_came_first:
        with pytest.raises(StudyInUse):
            acquire(study)
        others[0].release()
    else:
        taken = acquire(study)
        assert is_held(study)
        assert json.loads(lock_path(study).read_text())["pid"] == os.getpid()
        taken.release()
    assert not lock_path(study).exists()


def test_a_link_in_the_place_of_the_lock_is_not_written_through(study: Path, tmp_path: Path) -> None:
    Study.create(study).close()
    precious = tmp_path / "precious"
    precious.write_text("mine")
    lock_path(study).symlink_to(precious)
    with Study.open(study) as opened:
        assert opened.read_only
        assert opened.get_property("name") == ""
    assert precious.read_text() == "mine"
