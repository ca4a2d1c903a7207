"""What is saved is on the disk: its content before it takes its name, and the name before anybody is told."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotate.team import study_copies
from media.encoding import atomic_output
from project.erasure import erased_file
from project.progress import Silent
from project.recovery.recovery import copy_backup
from project.session.settings import store_object
from project.store import encryption_change
from project.store.backups import back_up
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.disk_record import DiskRecord


def create_study(folder: Path) -> None:
    Study.create(folder / "new.greenroom").close()


def back_up_study(folder: Path) -> None:
    with Study.create(folder / "a.greenroom") as study, study.step("First"):
        study.set_property("word", "kept")
    connection = sqlite3.connect(folder / "a.greenroom")
    assert back_up(connection, folder / "a.greenroom", 3, datetime.now(UTC) + timedelta(hours=1))
    connection.close()


def restore_backup(folder: Path) -> None:
    back_up_study(folder)
    copy_backup(folder / "a.greenroom", 1, folder / "restored.greenroom")


def erase_from_study(folder: Path) -> None:
    with Study.create(folder / "a.greenroom") as study:
        memory = erased_file.copy_to_memory(study)
    with erased_file.prepare_rewrite(memory, folder / "a.greenroom") as rewritten:
        rewritten.publish()
    memory.close()


def encrypt_study(folder: Path) -> None:
    Study.create(folder / "a.greenroom").close()
    encryption_change.encrypt_study(folder / "a.greenroom", "correct horse")


def replace_clip(folder: Path) -> None:
    (folder / "clip.mp4").write_bytes(b"old")
    with atomic_output(folder / "clip.mp4", (), overwrite=True) as unfinished:
        unfinished.write_bytes(b"frames")


PUBLISHED: dict[Callable[[Path], None], str] = {
    create_study: "new.greenroom",
    back_up_study: "a.greenroom.bak-1",
    restore_backup: "restored.greenroom",
    erase_from_study: "a.greenroom",
    encrypt_study: "a.greenroom",
    replace_clip: "clip.mp4",
}


@pytest.mark.parametrize("publish", PUBLISHED, ids=lambda publish: publish.__name__)
def test_a_file_is_whole_under_its_name_after_a_power_cut(
    publish: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_keys_cheap(monkeypatch)
    disk = DiskRecord(monkeypatch)
    publish(tmp_path)
    assert PUBLISHED[publish] in disk.published
    assert disk.lost == []


def test_a_policy_and_media_beside_a_copy_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "walk.mp4").write_bytes(b"frames")
    disk = DiskRecord(monkeypatch)
    store_object(tmp_path / "policies.json", {"study": "nothing"}, durable=True)
    study_copies._copy_file(tmp_path / "walk.mp4", tmp_path / "copy.mp4", 0, 6, Silent())
    assert all(disk.is_synced(tmp_path / name) for name in ("policies.json", "copy.mp4"))
