"""The window keeps the size that somebody gave it, whatever is unfolded in it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from annotate.segments.bulk_edits import add_comment
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Utterance
from project.ids import new_id
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import insert_utterances
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study

SIZE = (800, 500)


def test_a_low_window_does_not_grow_where_comments_are_unfolded(
    tmp_path: Path, open_window: Callable[..., MainWindow]
) -> None:
    path = tmp_path / "lab.greenroom"
    with Study.create(path) as study:
        fill_study(study, 1, 4, 1)
        segment = all_segments(study)[0]
        add_comment(Session(study, "Ada"), segment.id, "Why?")
        with study.step("Transcript"):
            insert_utterances(
                study, [Utterance(new_id(), segment.recording_id, segment.start_us, segment.end_us, "Hello.")]
            )
    window = open_window(path)
    window.resize(*SIZE)
    window.show()
    window.choose_recording(segment.recording_id)
    window.studio.select([segment.id])
    box = window.comments.box
    panel = window.history.panel
    for head, part, whole in ((box.head, box.field, box), (panel.head, panel.turns, panel)):
        if not part.isVisibleTo(whole):
            head.click()
    assert box.field.isVisibleTo(box)
    QApplication.processEvents()
    page = window.workspace.pages.currentWidget()
    assert page.minimumSizeHint().height() < SIZE[1] // 2
    assert window.minimumSizeHint().height() <= SIZE[1]
    assert (window.width(), window.height()) == SIZE
