from pathlib import Path

import pytest

from project.errors import UserError
from project.files.filesystem import file_system_type, is_on_network
from project.queries.segment_rows import segments_of
from project.store import study as store
from project.store.study import Study
from tests.builders.small_study import furnish

MOUNTS = """\
22 28 0:20 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /mnt/a\\040b rw shared:2 - nfs4 server:/x rw,vers=4.2
24 22 0:22 / /mnt/smb rw - cifs //server/x rw
25 24 0:23 / /mnt/smb/local rw - xfs /dev/sdb1 rw
26 22 0:24 / /mnt/remote rw - fuse.sshfs me@server: rw
27 22 0:25 / /mnt/crypt rw - fuse.gocryptfs /x rw
28 22 0:26 / /mnt/twice rw - ext4 /dev/sdc rw
29 22 0:27 / /mnt/twice rw - ceph server:/ rw
nonsense
"""


@pytest.mark.parametrize(
    ("path", "kind", "network"),
    [
        ("/home/x/a.greenroom", "ext4", False),
        ("/mnt/a b/a.greenroom", "nfs4", True),
        ("/mnt/a bc/a.greenroom", "ext4", False),
        ("/mnt/smb/a.greenroom", "cifs", True),
        ("/mnt/smb/local/a.greenroom", "xfs", False),
        ("/mnt/remote/a.greenroom", "fuse.sshfs", True),
        ("/mnt/crypt/a.greenroom", "fuse.gocryptfs", False),
        ("/mnt/twice/a.greenroom", "ceph", True),
    ],
)
def test_the_kind_of_file_system(tmp_path: Path, path: str, kind: str, network: bool) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert file_system_type(Path(path), mounts) == kind
    assert is_on_network(Path(path), mounts) is network


def test_a_system_that_does_not_say(tmp_path: Path) -> None:
    assert file_system_type(tmp_path, tmp_path / "nothing") == ""
    assert not is_on_network(tmp_path, tmp_path / "nothing")


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "is_on_network", lambda path: True)


@pytest.mark.usefixtures("network")
def test_a_network_folder_gets_a_rollback_journal_and_one_window(tmp_path: Path) -> None:
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
