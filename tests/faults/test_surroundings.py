"""Another program in the same file, and a clock that is set back: edits wait or are refused, and none is lost."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotate.segments.segment_edits import add_segment, set_field
from annotate.study.recording_edits import redo, undo
from project import ids
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.store.study import Study
from tests.builders.marked_study import WALK, mark

OTHER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def held_by_another_program(path: Path) -> Iterator[None]:
    """Let another process begin a transaction in the study, as a database browser does."""
    other = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    try:
        yield
    finally:
        other.communicate("go\n")


@pytest.mark.e2e
def test_another_program_writes_in_the_study_while_it_is_open_and_while_it_is_closed(session: Session) -> None:
    path = session.study.path
    mark(session, "Ada", 1, 2)
    session.study.rows("PRAGMA busy_timeout = 50")
    with held_by_another_program(path):
        with pytest.raises(UserError, match="Another program is using the study"):
            mark(session, "Ada", 3, 4)
        assert len(all_segments(session.study)) == 1, "what is there can be read meanwhile"
    mark(session, "Ada", 3, 4)
    with held_by_another_program(path):
        session.close()
        assert check_study(path) == []
    with Session.open(path, "Ada") as again:
        assert len(all_segments(again.study)) == 2
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_clock_that_is_set_back(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a day in the middle of the work: the order of steps is that in which they were made, and ids stay apart."""
    path = session.study.path
    session.close()
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    monkeypatch.setattr(ids, "time", SimpleNamespace(time_ns=lambda: round(now.timestamp() * 1e9)))
    with Session(Study.open(path, clock=lambda: now), "Ada") as session:
        made = []
        for number in range(6):
            if number == 3:
                now -= timedelta(days=1)
            segment, _ = add_segment(session, WALK, 1_000_000 * number, 1_000_000 * number + 500_000, "error", {})
            set_field(session, segment, "rationale", f"edit {number}", f"text {segment}")
            set_field(session, segment, "rationale", f"edit {number}, again", f"text {segment}")
            made.append(segment)
            now += timedelta(seconds=1)
        assert made == sorted(made), "ids of one process sort in the order they were made"
        for _ in range(12):
            undo(session)
        assert all_segments(session.study) == []
        for _ in range(12):
            redo(session)
        assert [each_segment.id for each_segment in all_segments(session.study)] == made
    assert check_study(path) == []
