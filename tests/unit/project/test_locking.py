"""The lock beside a study, where files come and go while it is being taken, and where it lies on a network drive."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from project.errors import UserError
from project.files.filesystem import file_system_type, is_on_network
from project.queries.segment_rows import segments_of
from project.store import locking
from project.store import study as store
from project.store.locking import (
    StudyInUse,
    StudyLock,
    acquire_lock,
    background_holder,
    exclusive_lock,
    is_held,
    lock_path,
    read_holder,
)
from project.store.study import Study
from tests.builders.small_study import furnish
from tests.builders.waiting import HANG_S


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return tmp_path / "a.greenroom"


def test_only_one_holds_it_at_a_time(study: Path) -> None:
    assert not is_held(study)
    first = acquire_lock(study)
    assert is_held(study)
    with pytest.raises(StudyInUse) as error:
        acquire_lock(study)
    assert error.value.holder.pid == os.getpid()
    first.release()
    first.release()
    assert not is_held(study)
    assert not lock_path(study).exists()
    acquire_lock(study).release()


def test_what_a_killed_holder_was_about_to_start_is_waited_for(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """
import os, sys
from pathlib import Path
from project.store.locking import acquire_lock as acquire

held = acquire(Path(sys.argv[1]))
if os.fork() == 0:
    sys.stdin.read()
os._exit(0)
"""
    holder = subprocess.Popen([sys.executable, "-c", program, str(study)], stdin=subprocess.PIPE)
    assert holder.wait(HANG_S) == 0
    assert is_held(study)

    def let_go_and_pause(seconds: float) -> None:
        holder.stdin.close()
        time.sleep(seconds)

    monkeypatch.setattr(locking, "_TIMEOUT_S", HANG_S)
    monkeypatch.setattr(locking, "time", SimpleNamespace(monotonic=time.monotonic, sleep=let_go_and_pause))
    acquire_lock(study).release()
    assert holder.stdin.closed
    assert not lock_path(study).exists()


def test_a_file_that_was_removed_while_it_was_waited_for_is_no_lock(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening the file and locking it, its holder may close, and somebody else may be quicker."""
    really, others = locking._open, list[StudyLock]()

    def open_and_be_late(path: Path) -> tuple[int, bool]:
        found = really(path)
        monkeypatch.setattr(locking, "_open", really)
        path.unlink()
        others.append(acquire_lock(study))
        return found

    monkeypatch.setattr(locking, "_open", open_and_be_late)
    with pytest.raises(StudyInUse):
        acquire_lock(study)
    others[0].release()
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


def test_the_lock_says_whether_its_window_is_closed_while_jobs_go_on(study: Path) -> None:
    Study.create(study).close()
    with Study.open(study) as opened:
        before = read_holder(study)
        opened.announce_background(True)
        holder = read_holder(study)
        assert before is not None
        assert holder == replace(before, background=True), "since when it is held stays as it was"
        assert background_holder(study) is None, "it is this process itself"
        with Study.open(study) as second:
            assert "run in the background" in second.read_only_reason
            assert str(os.getpid()) in second.read_only_reason
        opened.announce_background(False)
        assert read_holder(study) == before
        with Study.open(study) as second:
            assert "open in another window" in second.read_only_reason
    assert not lock_path(study).exists()


def test_only_a_process_of_this_machine_that_holds_the_lock_is_asked_for_anything(study: Path) -> None:
    taken = acquire_lock(study)
    taken.announce_background(True)
    text = {**json.loads(lock_path(study).read_text()), "pid": os.getppid()}
    for changed, known in (({"pid": 2**22 + 1}, False), ({"host": "elsewhere"}, False), ({"pid": os.getppid()}, True)):
        lock_path(study).write_text(json.dumps({**text, **changed}))
        assert (background_holder(study) is not None) is known
    taken.release()
    lock_path(study).write_text(json.dumps({**text, "pid": os.getppid(), "background": True}))
    assert background_holder(study) is None, "nobody holds it, whatever a file says"


def test_a_study_that_was_taken_away_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "a.greenroom"
    Study.create(path).close()
    away = path.rename(tmp_path / "b.greenroom")
    with pytest.raises(UserError), exclusive_lock(path):
        pass
    away.rename(path)
    with Study.open(path) as study:
        assert not study.read_only


MOUNTS = """\
22 28 0:20 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /mnt/a\\040b rw shared:2 - nfs4 server:/x rw,vers=4.2
24 22 0:22 / /mnt/smb rw - cifs //server/x rw
25 24 0:23 / /mnt/smb/local rw - xfs /dev/sdb1 rw
26 22 0:24 / /mnt/remote rw - fuse.sshfs me@server: rw
28 22 0:26 / /mnt/twice rw - ext4 /dev/sdc rw
29 22 0:27 / /mnt/twice rw - ceph server:/ rw
nonsense
"""


@pytest.mark.parametrize(
    ("path", "kind", "network"),
    [
        ("/home/x/a.greenroom", "ext4", False),
        ("/mnt/a b/a.greenroom", "nfs4", True),
        ("/mnt/smb/a.greenroom", "cifs", True),
        ("/mnt/smb/local/a.greenroom", "xfs", False),
        ("/mnt/remote/a.greenroom", "fuse.sshfs", True),
        ("/mnt/twice/a.greenroom", "ceph", True),
    ],
)
def test_the_kind_of_file_system(tmp_path: Path, path: str, kind: str, network: bool) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert file_system_type(Path(path), mounts) == kind
    assert is_on_network(Path(path), mounts) is network
    assert not is_on_network(Path(path), tmp_path / "a system that does not say")


def test_a_network_folder_gets_a_rollback_journal_and_one_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "is_on_network", lambda path: True)
    with Study.create(tmp_path / "a") as study:
        small = furnish(study)
        added = small.add()
        assert study.row("PRAGMA main.journal_mode") == ("delete",)
        assert study.row("PRAGMA locking_mode") == ("exclusive",)
        assert not study.path.with_name("a.greenroom-wal").exists()
        for read_only in (False, True):
            with pytest.raises(UserError, match="another window") as error:
                Study.open(study.path, read_only=read_only)
            assert "network" in error.value.hint
        study.undo()
        study.redo()
    assert [p.name for p in tmp_path.iterdir()] == ["a.greenroom"]
    with Study.open(tmp_path / "a.greenroom") as study:
        assert segments_of(study, small.recording.id) == [added]


def test_a_log_left_on_a_network_folder_is_taken_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Study.create(tmp_path / "a") as study:
        small = furnish(study)
        small.add()
        left = {p.name: p.read_bytes() for p in tmp_path.iterdir() if not p.name.endswith(("-shm", ".lock"))}
    for name, content in left.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(store, "is_on_network", lambda path: True)
    with Study.open(tmp_path / "a.greenroom") as study:
        assert len(segments_of(study, small.recording.id)) == 1
        assert study.row("PRAGMA journal_mode") == ("delete",)
    assert [p.name for p in tmp_path.iterdir()] == ["a.greenroom"]
