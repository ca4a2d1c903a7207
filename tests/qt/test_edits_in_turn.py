"""What one thread changes of a row and what another changes meanwhile are both there afterwards."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from annotate.segments.segment_edits import move_segments
from app.gui.study.study_controller import LARGE, StudyController
from project.entities.study_records import Changes, Verdict
from project.queries.segment_rows import all_segments, find_segment, update_segment
from project.session.session import Session
from tests.builders.marked_study import mark, open_study

MOVED = (5_000_000, 6_000_000)


@pytest.fixture
def studio(qapp: QApplication, tmp_path: Path) -> Iterator[StudyController]:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 1, 2)
        path = session.study.path
    studio = StudyController()
    studio.open(path, "Ada")
    studio.session.study.finish_opening()
    yield studio
    studio.close()


@pytest.mark.parametrize("before_it_writes", [True, False])
def test_neither_edit_is_lost(studio: StudyController, before_it_writes: bool) -> None:
    (marked,) = all_segments(studio.session.study)
    inside, go_on = threading.Event(), threading.Event()
    moved: list[bool] = []

    def relabel(session: Session) -> Changes:
        old = find_segment(session.study, marked.id)
        if before_it_writes:
            inside.set()
            go_on.wait(0.5)
        with session.step("Relabel all") as step:
            update_segment(session.study, replace(old, label=Verdict.COMPETENCE))
            inside.set()
            go_on.wait(0.5)
        return step.changes

    def move() -> None:
        if not inside.is_set():
            QTimer.singleShot(1, move)
            return
        moved.append(studio.edit(lambda session: move_segments(session, [(marked.id, *MOVED)])))
        go_on.set()

    QTimer.singleShot(1, move)
    assert studio.edit_many(relabel, LARGE, "Relabelling")
    assert moved == [True]
    found = find_segment(studio.session.study, marked.id)
    assert (found.label, found.start_us, found.end_us) == (Verdict.COMPETENCE, *MOVED)
