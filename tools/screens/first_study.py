"""The pictures of the tutorial about a code book and two coders: `python -m tools.screens.first_study`."""

import sys
import tempfile
from pathlib import Path

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.study.scheme_versions import drop_scheme, use_scheme
from app.demo_study import sample_video
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.store.study import Study
from tests.builders.gaze_eaf import write_gaze_eaf
from tests.builders.scripted_dialogs import Answers
from tests.contract.documentation import ROOT
from tools.screens.taking import WindowCamera, offscreen_platform, sample_window, use_own_folders

_SECOND = 1_000_000
_CODE_BOOK = """
key = "visits"
name = "Visits"
version = 1
definition = "Who has the floor in a visit, and what the patient shows."

[[tracks]]
key = "floor"
name = "Floor"
labels = [
  { key = "doctor", name = "Doctor", shortcut = "D", colour = "#4f8fd6", pattern = "hatch" },
  { key = "patient", name = "Patient", shortcut = "P", colour = "#cf7a2c", pattern = "bars" },
]

[[tracks]]
key = "gestures"
name = "Gestures"
extent = "point"
labels = [
  { key = "nod", name = "Nod", shortcut = "N", colour = "#4f8fd6", definition = "The head goes down and up." },
  { key = "smile", name = "Smile", shortcut = "E", colour = "#cf7a2c" },
]
"""
_FLOOR = {"Ada": ((0, 8, "doctor"), (8, 16, "patient")), "Bo": ((0, 10, "doctor"), (10, 16, "patient"))}


def main() -> int:
    """Make the study of the tutorial on the sample, and take its pictures."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        use_own_folders(folder, offscreen_platform(home, 1280, 800))
        book, path = home / "visits.toml", home / "visits.greenroom"
        book.write_text(_CODE_BOOK, "utf-8")
        video = sample_video(home)
        gaze = write_gaze_eaf(
            home / "gaze study.eaf", video.name, "Eva", [(0, 4, "face"), (4, 6.5, "away"), (7, 12, "face")]
        )
        Study.create(path, "Visits").close()
        with Session.open(path, "Ada") as session:
            add_recordings(session, [probe_file(video)])
        with sample_window(path, ROOT / "docs", Answers(file=book, annotations=[gaze])) as camera:
            _take_editor(camera)
            _mark(camera, book)
            _take_import(camera)
            _take_budget(camera)
    return 0


def _take_editor(camera: WindowCamera) -> None:
    from app.gui.settings.scheme_editor import SchemeEditor
    from app.gui.settings.schemes_window import CodeBookSource, SchemesWindow

    def show_label(dialog: object) -> None:
        assert isinstance(dialog, SchemeEditor)
        dialog.tracks.table.selectRow(1)
        dialog.labels.table.selectRow(0)
        dialog.label_form.name.setFocus()
        dialog.preview.redraw()

    view = camera.window.windows.open_window("schemes")
    assert isinstance(view, SchemesWindow)
    camera.modal("first-code-book", lambda: view.new_requested.emit(CodeBookSource.FILE), show_label)
    view.window().close()


def _mark(camera: WindowCamera, book: Path) -> None:
    """Use the code book, and code as two people do."""
    session = camera.session
    camera.window.studio.edit(lambda session: use_scheme(session, book.read_text("utf-8"), book.name, default=True)[1])
    camera.window.studio.edit(lambda session: drop_scheme(session, "shrec"))
    (recording,) = all_recordings(session.study)
    for annotator, floor in _FLOOR.items():
        session.annotator_name = annotator
        for start, end, label in floor:
            add_segment(session, recording.id, start * _SECOND, end * _SECOND, label)


def _take_import(camera: WindowCamera) -> None:
    from app.gui.files.annotation_import import ImportWindow

    view = camera.window.windows.open_window("import_annotations")
    assert isinstance(view, ImportWindow)
    camera.settle(until=view.apply.isEnabled)
    camera.take("first-import", view.window())
    view.window().close()


def _take_budget(camera: WindowCamera) -> None:
    from app.gui.pages.live import LiveState
    from app.gui.statistics.time_budget_tab import TimeBudgetTab

    view = camera.window.windows.open_window("time_budget")
    assert isinstance(view, TimeBudgetTab)
    view.window().resize(1080, 600)
    camera.settle(until=lambda: view.computing.state is LiveState.CURRENT)
    view.bar.by.set_ticked({"annotator"})
    camera.settle(1.0, until=lambda: view.line.text() == "4 segments in 2 groups.")
    camera.take("first-time-budget", view.window(), seconds=1.0)
    view.window().close()


if __name__ == "__main__":
    sys.exit(main())
