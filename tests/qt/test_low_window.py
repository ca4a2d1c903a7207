"""The window keeps the size that somebody gave it, whatever is unfolded in it."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from annotate.segments.bulk_edits import add_comment
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Utterance
from project.ids import new_id
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import insert_utterances
from tests.builders.marked_study import SECOND, WALK, mark, open_study

SIZE = (800, 500)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        add_comment(session, mark(session, "Ada", 1, 2), "Why?")
        with session.study.step("Transcript"):
            insert_utterances(session.study, [Utterance(new_id(), WALK, SECOND, 2 * SECOND, "Hello.")])
        return session.study.path


def test_a_low_window_does_not_grow_where_comments_are_unfolded(window: MainWindow) -> None:
    window.resize(*SIZE)
    window.choose_recording(WALK)
    window.studio.select([segment.id for segment in all_segments(window.studio.session.study)])
    box = window.comments.box
    panel = window.history.panel
    for head, part, whole in ((box.head, box.field, box), (panel.head, panel.turns, panel)):
        if not part.isVisibleTo(whole):
            head.click()
    assert box.field.isVisibleTo(box)
    QApplication.processEvents()
    page = window.pages.current_view()
    assert page.minimumSizeHint().height() < SIZE[1] // 2
    assert window.minimumSizeHint().height() <= SIZE[1]
    assert (window.width(), window.height()) == SIZE
