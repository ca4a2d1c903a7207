"""A damaged study becomes a sound one: what can be read is saved, and what is lost is told."""

import random
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.recovery.recovery import copy_backup, recover
from project.recovery.table_reader import RecoveredTable, recover_tables
from project.schema.tables import TABLES
from project.store.opening import connect
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study

_PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.greenroom"
    with Study.create(path, "Wellness") as study:
        fill_study(study, recordings=3, segments=80)
        for number in range(30):
            with study.step(f"Edit {number}"):
                study.write(
                    "UPDATE segment SET end_us = end_us - 1 WHERE id = (SELECT id FROM segment LIMIT 1 OFFSET ?)",
                    (number,),
                )
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, whole: bytes) -> Path:
    (tmp_path / "a.greenroom").write_bytes(whole)
    return tmp_path / "a.greenroom"


def _rows(path: Path, table: str) -> set[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return set(connection.execute(f"SELECT {', '.join(TABLES[table].names)} FROM {table}"))


def _root(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()[0])


def _spoil(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * _PAGE)
        file.write(b"\xa5" * _PAGE)


def _read(path: Path, known: Path | None = None) -> dict[str, RecoveredTable]:
    keys = {name: table.rows.keys() for name, table in _read(known).items()} if known else {}
    with closing(connect(path, "ro", immutable=True)) as connection:
        return recover_tables(connection, keys)


def _leaves(content: bytes, page: int) -> list[int]:
    """Return the leaf pages of the b-tree below a page, in order."""
    start = (page - 1) * _PAGE
    if content[start] not in (0x02, 0x05):
        return [page]
    cells = struct.unpack_from(f">{int.from_bytes(content[start + 3 : start + 5])}H", content, start + 12)
    children = [*(int.from_bytes(content[start + at :][:4]) for at in cells), int.from_bytes(content[start + 8 :][:4])]
    return [leaf for child in children for leaf in _leaves(content, child)]


@pytest.mark.parametrize("table", ["segment_value", "journal_change"])
def test_a_lost_page_costs_the_rows_on_it_alone(path: Path, tmp_path: Path, whole: bytes, table: str) -> None:
    (tmp_path / "backup.greenroom").write_bytes(whole)
    before = _read(path)[table].rows
    leaves = _leaves(whole, _root(path, table))
    for page in (leaves[len(leaves) // 3], leaves[len(leaves) * 2 // 3]):
        _spoil(path, page)
    left = _read(path, tmp_path / "backup.greenroom")[table]
    assert left.incomplete
    assert 0 < len(before) - len(left.rows) <= len(before) * 3 / len(leaves)
    assert all(before[key] == row for key, row in left.rows.items())


def test_a_lost_index_costs_nothing(path: Path, tmp_path: Path) -> None:
    _spoil(path, _root(path, "journal_change_by_step"))
    found = recover(path, tmp_path / "new")
    assert (found.problems, found.has_losses, found.whole_history) == ((), False, True)
    for name in TABLES:
        assert _rows(found.path, name) == _rows(tmp_path / "new.greenroom", name)
    with Study.open(found.path) as study:
        study.undo()


def test_rows_of_a_lost_table_come_from_the_backup_but_for_those_that_were_deleted(
    path: Path, tmp_path: Path, with_backup: Path
) -> None:
    with Study.open(path) as study, study.step("Delete"):
        ((deleted,),) = study.rows("SELECT segment_id FROM segment_value LIMIT 1")
        study.write("DELETE FROM segment_value WHERE segment_id = ?", (deleted,))
    before = _rows(path, "segment_value")
    _spoil(path, _root(path, "segment_value"))
    found = recover(path, tmp_path / "new")
    (saved,) = (table for table in found.tables if table.name == "segment_value")
    assert check_study(found.path) == []
    assert _rows(found.path, "segment_value") == before
    assert saved.incomplete
    assert saved.from_backup + saved.from_history == saved.saved == len(before)


def test_what_rows_refer_to_is_made_up_where_it_is_lost(path: Path, tmp_path: Path) -> None:
    before = {table: _rows(path, table) for table in ("segment", "segment_value", "recording")}
    for table in ("collection", "annotator", "recording"):
        _spoil(path, _root(path, table))
    found = recover(path, tmp_path / "new")
    assert check_study(found.path) == []
    assert _rows(found.path, "segment") == before["segment"], "work was thrown away because a name was lost"
    assert _rows(found.path, "segment_value") == before["segment_value"]
    assert {row[0] for row in _rows(found.path, "recording")} == {row[0] for row in before["recording"]}
    assert found.has_losses


def test_rows_that_are_lost_come_back_from_the_history(tmp_path: Path) -> None:
    path = tmp_path / "a.greenroom"
    with Study.create(path) as study:
        for number in range(20):
            with study.step("x"):
                study.set_property(f"p{number}", number)
        with study.step("x"):
            study.write("DELETE FROM property WHERE key = 'p3'", ())
        identity = study.id
    before = _rows(path, "property")
    _spoil(path, _root(path, "property"))
    found = recover(path, tmp_path / "new")
    assert check_study(found.path) == []
    assert {row for row in _rows(found.path, "property") if str(row[0]).startswith("p")} == {
        row for row in before if str(row[0]).startswith("p")
    }, "what was deleted must not come back, what was not must"
    assert found.whole_history, "not a row was lost that the history knows"
    assert identity not in str(_rows(found.path, "property")), "its id was in no history: another one is made"


@settings(max_examples=settings.default.max_examples // 3)
@given(st.integers(0, 2**32), st.sampled_from([1, 3, 10]))
def test_whatever_is_damaged_the_new_study_is_sound(
    tmp_path_factory: pytest.TempPathFactory, whole: bytes, seed: int, times: int
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    path = folder / "a.greenroom"
    path.write_bytes(_damaged(whole, random.Random(seed), times))
    content = path.read_bytes()
    if not check_study(path):
        return
    if not any(table.rows for table in _read(path).values()):
        return
    found = recover(path, folder / "new")
    assert check_study(found.path) == list(found.problems) == []
    assert path.read_bytes() == content, "the damaged file was touched"
    with Study.open(found.path) as study:
        with study.step("Go on"):
            study.set_property("x", 1)
        study.undo()
    assert check_study(found.path) == []


def _damaged(whole: bytes, chance: random.Random, times: int) -> bytes:
    content = bytearray(whole)
    for _ in range(times):
        at = chance.randrange(_PAGE, len(content))
        match chance.randrange(3):
            case 0:
                content[at : at + _PAGE] = chance.randbytes(len(content[at : at + _PAGE]))
            case 1:
                for _ in range(30):
                    content[chance.randrange(100, len(content))] ^= 1 << chance.randrange(8)
            case _:
                content[at : at + 512] = bytes(len(content[at : at + 512]))
    return bytes(content)


@pytest.fixture
def with_backup(path: Path) -> Path:
    backup = path.with_name(path.name + ".bak-1")
    backup.write_bytes(path.read_bytes())
    return backup


def test_what_is_lost_comes_from_the_newest_backup(path: Path, tmp_path: Path, with_backup: Path, whole: bytes) -> None:
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError):
        Study.open(path)
    found = recover(path, tmp_path / "new")
    assert (check_study(found.path), found.has_losses) == ([], True)
    assert found.backup[0] == with_backup
    assert sum(table.from_backup for table in found.tables) > 0
    assert _rows(found.path, "segment") == _rows(with_backup, "segment")
    with Study.open(found.path) as study, Study.open(with_backup, read_only=True) as before:
        assert study.id == before.id, "copies of the study could not be merged any more"


def test_a_backup_is_copied_under_a_new_name(path: Path, tmp_path: Path, with_backup: Path) -> None:
    assert copy_backup(path, 1, tmp_path / "old").read_bytes() == with_backup.read_bytes()
    with pytest.raises(UserError, match="no backup 2"):
        copy_backup(path, 2, tmp_path / "older")
    with pytest.raises(UserError, match="already exists"):
        copy_backup(path, 1, tmp_path / "old")
    _spoil(with_backup, 4)
    with pytest.raises(UserError, match="is damaged"):
        copy_backup(path, 1, tmp_path / "older")


def test_refusals(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not damaged"):
        recover(path, tmp_path / "new")
    with Study.open(path), pytest.raises(UserError, match="open in another window"):
        recover(path, tmp_path / "new")
    _spoil(path, 1)
    with pytest.raises(UserError, match="Nothing can be recovered") as refused:
        recover(path, tmp_path / "new")
    assert "backup" in refused.value.hint
    with pytest.raises(UserError, match="cannot be read"):
        recover(tmp_path / "gone", tmp_path / "new")
    assert not (tmp_path / "new.greenroom").exists()
