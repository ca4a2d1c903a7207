import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from project.entities.study_records import Annotator
from project.errors import Cancelled, UserError
from project.files.sqlcipher import sqlite3
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.queries.annotator_rows import insert_annotator
from project.queries.history_rows import read_steps
from project.queries.segment_rows import find_segment, insert_segment, segments_of, update_segment
from project.store import locking as access
from project.store import study as store
from project.store.column_values import to_json
from project.store.locking import lock_path
from project.store.study import Study
from tests.builders.cancelling import CancelAt
from tests.builders.clock import Clock
from tests.builders.small_study import Small, furnish
from tests.builders.waiting import HANG_S


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail_after(do: Callable[[], object]) -> None:
    do()
    raise ZeroDivisionError


def test_what_was_created_is_there_after_reopening_and_one_file_of_any_name_is_left(tmp_path: Path) -> None:
    name = "q?mode=memory#x&%41 b'\"\n😀.greenroom"
    with Study.create(tmp_path / name, "Émile's 😀 study") as study:
        identity = study.id
        assert (study.path, study.folder) == (tmp_path / name, tmp_path)
        small = furnish(study)
        added = small.add()
    assert names(tmp_path) == [name]
    assert study.path.read_bytes()[18] == 1, "the file must not be left with a log"
    lock_path(study.path).write_text('{"user": "ghost", "host": "h", "pid": 1, "since": "2020-01-01T00:00:00+00:00"}')
    with Study.open(study.path, read_only=True) as reader:
        assert reader.read_only
        with Study.open(study.path) as writer:
            assert json.loads(lock_path(study.path).read_text())["pid"] == os.getpid(), "nobody held the lock"
            assert (writer.read_only, writer.id) == (False, identity)
            second = replace(small, study=writer).add(5_000_000, 6_000_000)
            assert segments_of(reader, small.recording.id) == [added, second]
    assert names(tmp_path) == [name]
    assert check_study(study.path) == []
    with pytest.raises(UserError, match="does not exist"):
        Study.create(tmp_path / "nowhere" / "a.greenroom")


@pytest.mark.parametrize("appears", ["before", "meanwhile", "meanwhile on a drive without links"])
def test_create_never_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, appears: str) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    (tmp_path / "a.greenroom").write_text("mine")
    if appears != "before":
        monkeypatch.setattr("project.store.creation.os.path.lexists", lambda _: False)
    if appears == "meanwhile on a drive without links":
        monkeypatch.setattr("project.store.creation.os.link", refuse)
    with pytest.raises(UserError, match="already exists"):
        Study.create(tmp_path / "a.greenroom")
    assert names(tmp_path) == ["a.greenroom"]
    assert (tmp_path / "a.greenroom").read_text() == "mine"


def test_a_step_that_raises_changes_nothing(small: Small) -> None:
    with pytest.raises(ZeroDivisionError), small.study.step("Add"):
        fail_after(lambda: insert_segment(small.study, small.segment()))
    assert segments_of(small.study, small.recording.id) == []
    assert small.study.undo_name is None
    small.add()


def test_a_step_tells_what_it_changed_and_one_that_changed_nothing_leaves_no_trace(small: Small) -> None:
    added = small.segment()
    with small.study.step("Add", small.annotator.id) as step:
        insert_segment(small.study, added)
    assert dict(step.changes.tables) == {"segment": frozenset({added.id})}
    steps = read_steps(small.study)
    with small.study.step("Move") as step:
        update_segment(small.study, added)
    assert not step.changes
    assert read_steps(small.study) == steps
    assert dict(small.study.undo().tables) == {"segment": frozenset({added.id})}
    newest, added_step, *_ = read_steps(small.study)
    assert (newest.kind, newest.name, added_step.annotator_id) == ("undo", "Add", small.annotator.id)
    assert datetime.fromisoformat(newest.at).utcoffset() == timedelta(0)


def test_steps_do_not_nest_and_edits_need_one(small: Small) -> None:
    with pytest.raises(RuntimeError):
        insert_segment(small.study, small.segment())
    with small.study.step("Outer"), pytest.raises(RuntimeError), small.study.step("Inner"):
        pass
    with small.study.run_transaction(), pytest.raises(RuntimeError):
        insert_segment(small.study, small.segment())


def test_no_path_around_the_journal(small: Small) -> None:
    added = small.add()
    for sql in ("UPDATE segment SET end_us = end_us + 9", "DELETE FROM segment", "UPDATE property SET value = '1'"):
        with pytest.raises(sqlite3.IntegrityError, match="outside a step"):
            small.study._connection.execute(sql)
    assert find_segment(small.study, added.id) == added


def test_every_connection_is_careful(small: Small) -> None:
    with Study.open(small.study.path) as reader:
        for study in (small.study, reader):
            for pragma, wanted in (("trusted_schema", 0), ("foreign_keys", 1), ("cell_size_check", 1)):
                assert study.row(f"PRAGMA {pragma}") == (wanted,), pragma


def test_each_edit_reaches_the_disk(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "configure_connection", access.configure_connection)
    small.study.close()
    with Study.open(small.study.path) as study:
        full = 2
        assert study.row("PRAGMA synchronous") == (full,)


def test_a_new_edit_clears_redo_unless_it_is_not_undoable_and_undo_says_when_there_is_nothing(small: Small) -> None:
    with pytest.raises(UserError, match="nothing to undo"):
        small.study.undo()
    small.add()
    small.study.undo()
    with small.study.step("Introduce", undoable=False):
        insert_annotator(small.study, Annotator("x", "Bert"))
    assert (small.study.undo_name, small.study.redo_name) == (None, "Add segment")
    small.study.redo()
    assert len(segments_of(small.study, small.recording.id)) == 1
    small.study.undo()
    kept = small.add()
    assert (small.study.undo_name, small.study.redo_name) == ("Add segment", None)
    with pytest.raises(UserError, match="nothing to redo"):
        small.study.redo()
    assert segments_of(small.study, small.recording.id) == [kept]


def test_a_drag_is_one_step(tmp_path: Path) -> None:
    clock = Clock(datetime(2026, 1, 1, tzinfo=UTC))
    with Study.create(tmp_path / "a", clock=clock) as study:
        small = furnish(study)
        added = small.add()
        for end in range(3_000_000, 3_000_050):
            clock.now += timedelta(seconds=1.5)
            with study.step("Move", "anna", merge_key="drag"):
                update_segment(study, replace(added, end_us=end))
        assert study.row("SELECT count(*) FROM journal_change WHERE operation = 'update'") == (1,)
        clock.now += timedelta(seconds=2.5)
        with study.step("Move", "anna", merge_key="drag"):
            update_segment(study, replace(added, end_us=5_000_000))
        with study.step("Move", "bert", merge_key="drag"):
            update_segment(study, replace(added, end_us=6_000_000))
        ends = []
        for _ in range(3):
            study.undo()
            ends.append(segments_of(study, small.recording.id)[0].end_us)
        assert ends == [5_000_000, 3_000_049, added.end_us]
        for _ in range(3):
            study.redo()
        assert segments_of(study, small.recording.id)[0].end_us == 6_000_000
        with study.step("Move", "bert", merge_key="drag"):
            update_segment(study, replace(added, end_us=7_000_000))
        study.undo()
        assert segments_of(study, small.recording.id)[0].end_us == 6_000_000, "a redone step is not joined"
    assert check_study(tmp_path / "a.greenroom") == []


def test_a_drag_that_ends_on_somebody_new_is_undone_at_once(tmp_path: Path) -> None:
    """The step's one change of the segment is older than the annotator it ends on, who goes first."""
    with Study.create(tmp_path / "a", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as study:
        small = furnish(study)
        added = small.add()
        bert = Annotator("bert", "Bert")
        with study.step("Hand over", merge_key="drag"):
            update_segment(study, replace(added, end_us=3_000_000))
        with study.step("Hand over", merge_key="drag"):
            insert_annotator(study, bert)
            update_segment(study, replace(added, end_us=4_000_000, annotator_id=bert.id))
        study.undo()
        assert segments_of(study, small.recording.id) == [added]
        study.redo()
        assert segments_of(study, small.recording.id)[0].annotator_id == bert.id
    assert check_study(tmp_path / "a.greenroom") == []


def test_rows_that_a_step_changes_twice_are_undone_and_done_again_exactly(small: Small) -> None:
    old = small.add()
    new = replace(old, id=new_id())
    with small.study.step("Edit"):
        for end_us in (3_000_000, 4_000_000):
            update_segment(small.study, replace(old, end_us=end_us))
        insert_segment(small.study, new)
        update_segment(small.study, replace(new, end_us=5_000_000))
    small.study.undo()
    assert segments_of(small.study, small.recording.id) == [old]
    small.study.redo()
    assert [segment.end_us for segment in segments_of(small.study, small.recording.id)] == [4_000_000, 5_000_000]


def test_values_survive_undo_exactly(study: Study) -> None:
    numbers = [0, -1, 2**62, 0.1, 1e300, 1.7976931348623157e308, 5e-324, True, None]
    values = [*numbers, "", "a\0b\n\"'\\\u2028😀é", "\ud83d", [1, [None, {}]]]
    for value in (values, None):
        with study.step("Set"):
            study.set_property("x", value)
    study.undo()
    assert repr(study.get_property("x")) == repr(values)
    with pytest.raises(ValueError, match="JSON"):
        to_json(float("nan"))


def test_the_second_window_reads_and_says_why(small: Small) -> None:
    path = small.study.path
    with Study.open(path) as second:
        assert second.read_only
        assert f"process {os.getpid()}" in second.read_only_reason
        assert second.id == small.study.id
        with pytest.raises(UserError) as error, second.step("Add"):
            pass
        assert "another window" in error.value.hint
        with pytest.raises(UserError):
            second.undo()
        with pytest.raises(UserError):
            second.require_writable()
        added = small.add()
        assert segments_of(second, small.recording.id) == [added], "sees what the first window saves"
        assert second.undo_name == "Add segment"
    third = Study.open(path)
    small.study.close()
    assert segments_of(third, small.recording.id) == [added]
    third.close()
    assert names(path.parent) == [path.name], "one file is left whoever closes last"


@pytest.fixture
def foreign_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that this process may not write to as another user, who may write temporary files."""
    folder = Path(os.path.realpath(tmp_path_factory.mktemp("foreign")))
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    temporary = folder.with_name(f"{folder.name}-temporary")
    temporary.mkdir()
    temporary.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return folder


@pytest.mark.parametrize(("crashed", "own"), [(False, False), (True, True)])
def test_a_read_only_folder(foreign_folder: Path, crashed: bool, own: bool) -> None:
    path = foreign_folder / "a.greenroom"
    with Study.create(path) as study:
        small = furnish(study)
        added = small.add()
        leftovers = {p.name: p.read_bytes() for p in foreign_folder.iterdir()}
    if crashed:
        for name, content in leftovers.items():
            if not name.endswith("-shm"):
                (foreign_folder / name).write_bytes(content)
    before = {p.name: p.read_bytes() for p in foreign_folder.iterdir()}
    foreign_folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        for file in foreign_folder.iterdir() if own else ():
            os.chown(file, 65534, 65534)
        os.seteuid(65534)
    try:
        with Study.open(path) as study:
            assert study.read_only
            assert "cannot be written" in study.read_only_reason
            assert segments_of(study, small.recording.id) == [added]
        with pytest.raises(UserError, match="cannot be written"):
            Study.create(foreign_folder / "b")
    finally:
        if root:
            os.seteuid(0)
        foreign_folder.chmod(0o755)
    assert {p.name: p.read_bytes() for p in foreign_folder.iterdir()} == before


def test_a_full_disk_is_a_message_and_the_study_stays_usable(small: Small) -> None:
    small.add()
    pages = small.study.row("PRAGMA page_count")
    small.study.rows(f"PRAGMA max_page_count = {pages[0] if pages else 0}")
    with pytest.raises(UserError, match="is full"), small.study.step("Note"):
        small.study.set_property("long", "x" * 100_000)
    small.study.rows("PRAGMA max_page_count = 1000000")
    assert small.study.get_property("long") is None
    assert len(read_steps(small.study)) == 2
    small.add()
    assert small.study.undo_name == "Add segment"


def test_whoever_comes_second_waits_and_sees_nothing_half_done(study: Study) -> None:
    begun, reading = threading.Event(), threading.Event()

    def write() -> None:
        with study.step("Two"):
            study.set_property("one", 1)
            begun.set()
            assert reading.wait(HANG_S)
            study.set_property("two", 2)

    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write)
        assert begun.wait(HANG_S)
        reading.set()
        assert [study.get_property("one"), study.get_property("two")] == [1, 2]
        written.result()
    assert study.undo_name == "Two"


def test_a_thread_that_never_waits_reads_what_was_saved_before_with_the_eyes_of_whoever_looks(study: Study) -> None:
    with study.step("Before"):
        study.set_property("one", 0)
    study.read_without_waiting()
    seen = "SELECT (SELECT value FROM property WHERE key = 'one'), (SELECT group_concat(name) FROM temp.viewer)"
    found = []
    begun, read = threading.Event(), threading.Event()

    def write(number: int) -> None:
        with study.step("One"):
            study.set_property("one", number)
            begun.set()
            assert read.wait(HANG_S)

    with ThreadPoolExecutor(1) as pool:
        for number, viewer in ((1, "Ada"), (2, "Ben")):
            study.set_viewer(viewer)
            begun.clear()
            read.clear()
            written = pool.submit(write, number)
            assert begun.wait(HANG_S)
            found.append(study.row(seen))
            read.set()
            written.result()
            found.append(study.row(seen))
    assert found == [("0", "Ada"), ("1", "Ada"), ("1", "Ben"), ("2", "Ben")]
    study.close()
    assert names(study.folder) == [study.path.name]


def test_whoever_reads_while_edits_become_cancellable_does_not_wait_for_ever(tmp_path: Path) -> None:
    program = """
import sys, threading, time
from project.progress import Silent
from project.store.study import Study

study = Study.create(sys.argv[1])
done = []

def change():
    for number in range(10):
        with study.cancellable(Silent()):
            time.sleep(0.005)
        done.append(number)

changes = threading.Thread(target=change)
changes.start()
while changes.is_alive():
    study.row("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT sum(i) FROM n")
assert len(done) == 10
study.close()
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.greenroom")], check=True, timeout=HANG_S)


def write_many(study: Study, *counts: int) -> None:
    for count in counts:
        with study.step("Many"):
            for number in range(count):
                study.set_property(f"key {number}", number)


def test_what_is_stopped_changed_nothing_and_how_far_it_is_is_told(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_PROGRESS_INSTRUCTIONS", 500)
    write_many(study, 1)
    with pytest.raises(Cancelled), study.cancellable(CancelAt(6), 2_000):
        write_many(study, 1_000)
    with pytest.raises(Cancelled), study.atomic(), study.cancellable(CancelAt(40)):
        write_many(study, 2, 1_000)
    assert study.undo_name == "Many"
    assert study.get_property("key 1") is None
    progress = CancelAt(None)
    with study.cancellable(progress, 400):
        write_many(study, 200)
    assert study.get_property("key 1") == 1
    assert len(progress.told) > 3
    assert progress.told == sorted(progress.told)
    assert {total for _, total, _ in progress.told} == {400}


def test_transactions_together_are_saved_or_none_of_them(study: Study) -> None:
    with study.atomic():
        write_many(study, 1)
        with study.step("Nothing"):
            pass
        with study.step("Other"):
            study.set_property("other", 1)
    assert study.undo_name == "Other"
    assert study.undo()
    assert study.undo_name == "Many"

    with pytest.raises(ZeroDivisionError), study.atomic():
        fail_after(lambda: write_many(study, 2))
    assert study.get_property("key 1") is None
    with study.atomic():
        with pytest.raises(ZeroDivisionError), study.step("Half"):
            fail_after(lambda: study.set_property("half", 1))
        write_many(study, 3)
    assert study.get_property("half") is None
    assert study.get_property("key 2") == 2
    with pytest.raises(RuntimeError), study.step("Outer"), study.atomic():
        pass


def test_what_another_program_wrote_is_told_and_what_this_one_writes_is_not(study: Study) -> None:
    study.read_without_waiting()
    before = study.data_version()
    busy, read = threading.Event(), threading.Event()

    def edit() -> None:
        with study.step("Edit"):
            study.set_property("mine", 1)
            busy.set()
            assert read.wait(HANG_S)

    with ThreadPoolExecutor(1) as pool:
        edited = pool.submit(edit)
        assert busy.wait(HANG_S)
        meanwhile = study.data_version()
        read.set()
        edited.result()
    assert (meanwhile, study.data_version()) == (before, before)
    with contextlib.closing(sqlite3.connect(study.path)) as connection, connection:
        connection.execute("INSERT INTO property VALUES ('theirs', '1')")
    assert study.data_version() != before
