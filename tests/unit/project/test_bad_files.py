"""Files that are no study, or no longer one: a clear message, and nothing changed on disk."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.schema.format_versions import APPLICATION_ID
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.greenroom"
    with Study.create(path) as study:
        fill_study(study, recordings=5, segments=300)
    return path.read_bytes()


def with_sql(*statements: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    return change


def cut(size: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, size)


def scribble(start: int, length: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(start)
            file.write(b"\xa5" * length)

    return change


def replaced(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "zero bytes": (cut(0), "empty"),
    "text": (replaced(b"hello world\n" * 50), "not a study"),
    "short text": (replaced(b"hi"), "not a study"),
    "video": (replaced(b"\0\0\0\x20ftypisom" + bytes(1000)), "not a study"),
    "another program's": (with_sql("PRAGMA application_id = 7"), "another program"),
    "no program's": (with_sql("PRAGMA application_id = 0"), "another program"),
    "cut in the header": (cut(50), "damaged"),
    "cut after one page": (cut(4096), "damaged"),
    "cut in the middle": (cut(100_000), "damaged"),
    "cut by a byte": (lambda path: os.truncate(path, path.stat().st_size - 1), "damaged"),
    "schema overwritten": (scribble(110, 3900), "damaged"),
    "pages overwritten": (scribble(4096 * 22, 4096 * 3), "damaged"),
    "newer": (with_sql("PRAGMA user_version = 99"), "newer version"),
    "no version": (with_sql("PRAGMA user_version = 0"), "damaged"),
    "trigger": (with_sql("CREATE TRIGGER t AFTER INSERT ON segment BEGIN DELETE FROM segment; END"), "trigger “t”"),
    "view": (with_sql("CREATE VIEW v AS SELECT 1"), "view “v”"),
    "virtual table": (with_sql("CREATE VIRTUAL TABLE f USING fts5(x)"), "virtual table “f”"),
    "table missing": (with_sql("DROP TABLE consent"), "consent"),
}


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("case", BAD)
def test_nothing_is_changed(tmp_path: Path, whole: bytes, case: str, read_only: bool) -> None:
    path = tmp_path / "a.greenroom"
    path.write_bytes(whole)
    change, message = BAD[case]
    change(path)
    before = path.read_bytes()
    with pytest.raises(UserError, match=message) as error:
        Study.open(path, read_only=read_only)
    assert error.value.hint
    assert "\n" not in error.value.message
    assert check_study(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.greenroom"]


@pytest.mark.parametrize("case", ["schema overwritten", "newer", "trigger"])
def test_nothing_is_changed_with_a_log_beside_it(tmp_path: Path, whole: bytes, case: str) -> None:
    path = tmp_path / "a.greenroom"
    path.write_bytes(whole)
    BAD[case][0](path)
    # A process that was killed in the middle leaves a log with committed edits.
    with Study.create(tmp_path / "other") as study, study.step("x"):
        study.set_property("x", 1)
    path.with_name("a.greenroom-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(4000))
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(UserError):
        Study.open(path)
    assert check_study(path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_missing_and_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no study"):
        Study.open(tmp_path / "a.greenroom")
    with pytest.raises(UserError, match="is a folder"):
        Study.open(tmp_path)
    (tmp_path / "pipe").symlink_to("/dev/null")
    with pytest.raises(UserError, match="not a file"):
        Study.open(tmp_path / "pipe")
    assert check_study(tmp_path / "a.greenroom")
    assert check_study(tmp_path)


def test_a_damaged_page_is_found_wherever_it_is(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "a.greenroom"
    silent = []
    for page in range(len(whole) // 4096):
        path.write_bytes(whole)
        scribble(page * 4096, 64)(path)
        before = path.read_bytes()
        try:
            Study.open(path).close()
            silent.append(page)
        except UserError:
            assert path.read_bytes() == before
    assert silent == []


def test_the_header_says_what_it_is(whole: bytes) -> None:
    assert int.from_bytes(whole[68:72]) == APPLICATION_ID
    assert int.from_bytes(whole[60:64]) == 1
