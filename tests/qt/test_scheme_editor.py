"""A code book is made and changed in the window, with mouse and keys, and segments are coded with it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPlainTextEdit
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from annotate.segments.segment_edits import add_segment
from annotate.study.scheme_changes import apply_plan, plan_draft
from annotate.study.scheme_draft import SchemeDraft
from app.gui.settings.scheme_editor import SchemeEditor
from app.gui.settings.schemes_window import CodeBookSource, Group, SchemesWindow
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, values_of
from project.schemes.scheme import Extent, FieldKind, Label, Sampling, SamplingKind, TierConstraint
from project.schemes.scheme_file import load_scheme_file
from project.timebase import SECOND_US
from tests.builders.filmed_study import make_filmed_study
from tests.builders.mouse_and_keys import click, press, type_text
from tests.builders.scripted_dialogs import Answers
from widgets.form.input_fields import ChoiceBox

Drive = Callable[[SchemeEditor], None]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return make_filmed_study(tmp_path)


@pytest.fixture
def drive(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Drive]]:
    """What a person does in each editor that opens, in turn."""
    steps: list[Drive] = []

    def ask(_questions: Dialogs, make: Callable[[], SchemeEditor]) -> object:
        editor = make()
        editor.show()
        # What was to be active before is so first.
        QApplication.processEvents()
        editor.activateWindow()
        assert QTest.qWaitForWindowActive(editor)
        steps.pop(0)(editor)
        plan = editor.plan
        delete(editor)
        return None if plan is None else SimpleNamespace(plan=plan)

    monkeypatch.setattr(Dialogs, "ask", ask)
    yield steps
    assert not steps, "an editor did not open"


def schemes_window(window: MainWindow) -> SchemesWindow:
    window.menus.actions["schemes"].trigger()
    view = window.windows.open_window("schemes")
    assert isinstance(view, SchemesWindow)
    return view


def choose(menu: QMenu, text: str) -> None:
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == text).trigger()


def select(editor: SchemeEditor, section: str, place: int) -> None:
    table = editor._table(section).table
    area = table.visualRect(table.model().index(place, 0))
    click(table, QPointF(area.center()))


def replace_text(field: QLineEdit | QPlainTextEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    type_text(field.window(), text)


def add_label(editor: SchemeEditor, name: str, shortcut: str) -> None:
    click(editor.labels.add)
    assert editor.label_form.name.hasFocus()
    type_text(editor, name)
    editor.label_form.shortcut.setFocus()
    type_text(editor, shortcut)


def write_code_book(editor: SchemeEditor) -> None:
    replace_text(editor.name, "Doctor and patient")
    assert editor.key.text() == "doctor_and_patient"
    for name, key in (("Nod", "n"), ("Smile", "s"), ("Frown", "n")):
        add_label(editor, name, key)
    select(editor, "labels", 1)
    assert "The window uses S itself" in editor.label_form.notes["shortcut"].text()
    assert [row.is_wrong for row in editor.labels.table.records()] == [False, True, True]
    editor.label_form.shortcut.setFocus()
    press(editor, "Backspace")
    type_text(editor, "e")
    assert "“Frown”, shortcut: “N” is the key of “Nod” already" in editor.buttons.note.text()
    click(editor.buttons.go_on)
    assert editor.isVisible()
    assert editor.label_form.shortcut.hasFocus(), "Save goes to what is wrong"
    press(editor, "Backspace")
    type_text(editor, "w")
    click(editor.tracks.add)
    type_text(editor, "Speech")
    for name, key in (("Question", "1"), ("Answer", "2"), ("Other", "3")):
        add_label(editor, name, key)
    click(editor.fields.add)
    type_text(editor, "Certainty")
    form = editor.field_form
    form.kind.setFocus()
    press(editor, "Down", "Down", "Down")
    form.kind.activated.emit(form.kind.currentIndex())
    replace_text(form.maximum, "7")
    form.required.set_ticked(["question"])
    editor.preview.redraw()
    assert editor.preview.panel is not None
    assert [*editor.preview.panel.form.editors] == ["certainty"]
    click(editor.buttons.go_on)


def test_a_code_book_is_made_used_and_changed_with_what_happens_said_first(
    window: MainWindow, answers: Answers, drive: list[Drive], tmp_path: Path
) -> None:
    view = schemes_window(window)
    drive.append(write_code_book)
    choose(view.new.menu(), "Empty")
    session = window.studio.session
    scheme = session.scheme
    assert scheme.key == "doctor_and_patient", "new segments are made under it"
    assert [[label.key for label in track.labels] for track in scheme.tracks] == [
        *(["nod", "smile", "frown"], ["question", "answer", "other"])
    ]
    assert (scheme.field("certainty").maximum, scheme.field("certainty").tracks) == (7, ("speech",))
    assert [(rule.label, rule.needs) for rule in scheme.rules] == [("question", ("certainty",))]
    view.window().close()
    QApplication.processEvents()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    for start, key in ((0, "N"), (2, "E"), (4, "W")):
        window.studio.select(())
        window.studio.set_marks(start * SECOND_US, (start + 1) * SECOND_US)
        window.timeline.setFocus()
        press(window, key)
    assert [segment.label for segment in all_segments(session.study)][-3:] == ["nod", "smile", "frown"]

    def change(editor: SchemeEditor) -> None:
        select(editor, "labels", 0)
        replace_text(editor.label_form.name, "Head nod")
        assert editor.label_form.key.text() == "nod", "the key of a label that is used stays"
        select(editor, "labels", 1)
        click(editor.labels.remove)
        assert "retire it or merge it" in editor.buttons.note.text()
        editor.more.menu().aboutToShow.emit()
        merge = editor.more.menu().actions()[0].menu()
        choose(merge, "Frown")
        click(editor.buttons.go_on)

    drive += [change]
    view = schemes_window(window)
    view.select_entry(f"{Group.USED.name} doctor_and_patient")
    click(view.change)
    assert session.schemes.get(scheme.key).version == 1, "nobody agreed"
    assert "1 segment with “Behaviour: Smile” gets “Behaviour: Frown”, as others have it." in answers.asked[-1].question
    assert "“Behaviour: Nod” is called “Behaviour: Head nod” now: 1 segment." in answers.asked[-1].question
    answers.give(agree=True, save=tmp_path)
    drive += [change]
    click(view.change)
    assert session.schemes.get(scheme.key).version == 2
    assert [segment.label for segment in all_segments(session.study)][-3:] == ["nod", "frown", "frown"]
    click(view.save_file)
    assert load_scheme_file(tmp_path / "doctor_and_patient.toml") == session.schemes.get(scheme.key)
    window.studio.undo()
    assert [segment.label for segment in all_segments(session.study)][-3:] == ["nod", "smile", "frown"]
    assert session.schemes.get(scheme.key) == scheme


def test_a_saved_field_gets_another_kind_and_a_worked_example_is_written(
    window: MainWindow, answers: Answers, drive: list[Drive]
) -> None:
    session = window.studio.session
    draft, field = SchemeDraft.empty("Greetings", "Greeting", ()).add_field("Warmth", FieldKind.SCALE, "greeting")
    draft, _ = draft.add_label("greeting", Label("", "Warm"))
    apply_plan(session, plan_draft(session, draft), default=True)
    recording = all_recordings(session.study)[0].id
    made, _ = add_segment(session, recording, 0, SECOND_US, "warm", {field: 3})

    def change(editor: SchemeEditor) -> None:
        select(editor, "fields", 0)
        choose_key(editor.field_form.kind, FieldKind.TEXT)
        replace_text(editor.field_form.key, "how_warm")
        press(editor, "Tab")
        click(editor.examples.add)
        assert editor.example_form.name.hasFocus()
        type_text(editor, "A wave")
        assert "“A wave”, situation" in editor.buttons.note.text()
        replace_text(editor.example_form.situation, "She waves from afar.")
        assert editor.example_form.fields is not None
        (filled,) = editor.example_form.fields.editors.values()
        filled.setFocus()
        type_text(editor, "very")
        click(editor.buttons.go_on)

    answers.give(agree=True)
    drive.append(change)
    view = schemes_window(window)
    view.select_entry(f"{Group.USED.name} greetings")
    click(view.change)
    assert "1 value of “Warmth” is converted to text." in answers.asked[-1].question
    (example,) = session.scheme.examples
    assert (example.title, example.label, example.values) == ("A wave", "warm", {"how_warm": "very"})
    assert values_of(session.study, made) == {"how_warm": "3"}
    window.studio.undo()
    assert values_of(session.study, made) == {"warmth": 3}


def test_cancel_and_escape_drop_what_was_changed(window: MainWindow, drive: list[Drive], qtbot: QtBot) -> None:
    def drop(editor: SchemeEditor) -> None:
        add_label(editor, "Nod", "n")
        select(editor, "tracks", 0)
        press(editor, "Escape")
        qtbot.waitUntil(lambda: not editor.isVisible())

    view = schemes_window(window)
    drive.append(drop)
    choose(view.new.menu(), f"From “{view.current().name}”")
    assert [scheme.key for scheme in window.studio.session.schemes] == ["shrec"]


def test_a_code_book_begins_with_a_table_of_labels(
    window: MainWindow, answers: Answers, drive: list[Drive], tmp_path: Path
) -> None:
    view = schemes_window(window)
    table = tmp_path / "codes.csv"
    answers.give(file=table)
    table.write_text("who\nAda\n")
    choose(view.new.menu(), CodeBookSource.FILE)
    assert "no column is called “label”" in view.status.text()
    table.write_text("label,definition,key\nNod,Down and up.,n\nShake,From side to side.,e\n")
    drive.append(lambda editor: click(editor.buttons.go_on))
    choose(view.new.menu(), CodeBookSource.FILE)
    (track,) = window.studio.session.scheme.tracks
    assert [(label.key, label.definition) for label in track.labels] == [
        *(("nod", "Down and up."), ("shake", "From side to side."))
    ]


def test_tracks_of_points_and_of_samples_are_made(window: MainWindow, drive: list[Drive]) -> None:
    def make(editor: SchemeEditor) -> None:
        add_label(editor, "Nod", "n")
        select(editor, "tracks", 0)
        choose_key(editor.track_form.extent, Extent.POINT)
        editor.preview.redraw()
        assert [lane.points for lane in editor.preview.lanes.model.lanes] == [True], "they are drawn as points"
        click(editor.tracks.add)
        add_label(editor, "Gaze", "1")
        select(editor, "tracks", 1)
        choose_key(editor.track_form.sampling, SamplingKind.PARTIAL)
        replace_text(editor.track_form.every, "2.5")
        click(editor.buttons.go_on)

    view = schemes_window(window)
    drive.append(make)
    choose(view.new.menu(), "Empty")
    points, samples = window.studio.session.scheme.tracks
    assert (points.extent, points.sampling) == (Extent.POINT, None)
    assert (samples.extent, samples.sampling) == (Extent.SPAN, Sampling(2.5, SamplingKind.PARTIAL))


def test_without_a_track_there_is_no_place_for_labels_and_fields(window: MainWindow, drive: list[Drive]) -> None:
    def look(editor: SchemeEditor) -> None:
        select(editor, "tracks", 0)
        click(editor.tracks.remove)
        tables = (editor.tracks, editor.labels, editor.fields)
        assert [table.add.isEnabled() for table in tables] == [True, False, False]
        editor.reject()

    view = schemes_window(window)
    drive.append(look)
    choose(view.new.menu(), "Empty")


def test_a_track_lies_inside_segments_of_another(window: MainWindow, drive: list[Drive]) -> None:
    def make(editor: SchemeEditor) -> None:
        form = editor.track_form
        add_label(editor, "Gesture", "1")
        click(editor.tracks.add)
        add_label(editor, "Stroke", "1")
        select(editor, "tracks", 1)
        assert not form.constraint.isVisible()
        keys = [form.parent_track.itemData(place) for place in range(form.parent_track.count())]
        choose_key(form.parent_track, keys[-1])
        assert form.constraint.isVisible()
        choose_key(form.constraint, TierConstraint.TIME_SUBDIVISION)
        select(editor, "tracks", 0)
        assert [form.parent_track.itemData(place) for place in range(form.parent_track.count())] == ["", "utterance"]
        click(editor.buttons.go_on)

    view = schemes_window(window)
    drive.append(make)
    choose(view.new.menu(), "Empty")
    gesture, stroke = window.studio.session.scheme.tracks
    assert (stroke.parent, stroke.constraint) == (gesture.key, TierConstraint.TIME_SUBDIVISION)


def choose_key(box: ChoiceBox, key: str) -> None:
    box.choose(key)
    box.activated.emit(box.currentIndex())
