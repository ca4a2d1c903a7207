"""Several schemes in one study: forms, lanes, keys, guidelines, the window of schemes."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import add_segment
from annotate.study import scheme_versions as commands
from annotate.study.people import add_participant
from app.gui.settings.schemes_window import Group, SchemesWindow
from app.gui.window.main_window import MainWindow
from project.entities.study_records import ParticipantRole, Segment
from project.queries.segment_rows import all_segments, value_history, values_of
from project.schemes.scheme_file import load_scheme
from project.session.session import Session
from project.timebase import SECOND_US
from tests.builders.keyboard_walk import nameless, unexplained
from tests.qt.test_window import Answers, Open, answers, open_window, press, ready, sample, study
from tests.unit.annotate.study.test_schemes import text
from widgets.inspector.field_editors import EDITORS, ParticipantEditor, ScaleEditor, SliderEditor
from widgets.labels import contrast, label_ink, label_looks
from widgets.theme import load
from widgets.timeline.lanes import LaneKind, lane_key_of

__all__ = ["answers", "open_window", "sample", "study"]


@pytest.fixture
def schemes(study: Path) -> Path:
    """The sample study with all shipped schemes in use, and two participants."""
    with Session.open(study, "Ada") as session:
        for key in ("cues", "sotopia-eval", "socialnli", "plain"):
            commands.use_shipped_scheme(session, key)
        (recording,) = (row[0] for row in session.study.rows("SELECT id FROM recording"))
        for name, role in (("P01", ParticipantRole.USER), ("Ro", ParticipantRole.ROBOT)):
            add_participant(session, name, role, recording)
    return study


def opened(open_window: Open, path: Path) -> MainWindow:
    window = open_window()
    window.studio.change_settings(lambda kept: replace(kept, annotator="Ada"))
    assert window.open_study(path)
    return window


def made(window: MainWindow, label: str, scheme: str, track: str) -> Segment:
    window.active.select_track(f"{scheme}/{track}")
    assert window.editing.create(SECOND_US, 3 * SECOND_US, label)
    return next(s for s in all_segments(window.studio.session.study) if s.id == window.studio.selected[0])


def value(window: MainWindow, segment: Segment, field: str) -> object:
    return values_of(window.studio.session.study, segment.id)[field].value


def test_the_form_follows_the_scheme_of_the_selected_segment(qtbot: QtBot, open_window: Open, schemes: Path) -> None:
    window = opened(open_window, schemes)
    inspector = window.inspector
    rating = made(window, "rating", "sotopia-eval", "ratings")
    goal, who = inspector.form.editors["goal"], inspector.form.editors["participant"]
    assert isinstance(goal, ScaleEditor)
    assert isinstance(who, ParticipantEditor)
    assert {who.combo.itemText(place) for place in range(1, who.combo.count())} == {"P01, user", "Ro, robot"}
    goal.buttons[7].click()
    who.combo.setCurrentIndex(2)
    who.combo.activated.emit(2)
    assert value(window, rating, "goal") == 7
    goal.buttons[7].click()
    assert set(values_of(window.studio.session.study, rating.id)) == {"participant"}
    belief = made(window, "belief", "socialnli", "inferences")
    slider = inspector.form.editors["plausibility"]
    assert isinstance(slider, SliderEditor)
    assert slider.value() is None
    slider.box.setValue(70)
    assert value(window, belief, "plausibility") == 70
    assert slider.slider.value() == 70
    slider.clear.click()
    assert "plausibility" not in values_of(window.studio.session.study, belief.id)
    window.studio.select([rating.id])
    assert "goal" in inspector.form.editors
    assert set(inspector.labels.buttons) == {"rating"}
    assert not nameless(inspector)
    assert not unexplained(inspector)


def test_a_slider_is_moved_with_keys_and_sends_each_value(qtbot: QtBot, open_window: Open, schemes: Path) -> None:
    window = opened(open_window, schemes)
    belief = made(window, "belief", "socialnli", "inferences")
    slider = window.inspector.form.editors["plausibility"]
    assert isinstance(slider, SliderEditor)
    qtbot.keyClick(slider.slider, Qt.Key.Key_Space)
    assert value(window, belief, "plausibility") == 50
    qtbot.keyClick(slider.slider, Qt.Key.Key_Right)
    assert value(window, belief, "plausibility") == 51
    window.studio.undo()
    assert value(window, belief, "plausibility") == 50


def test_the_keys_of_the_labels_are_those_of_the_active_track(qtbot: QtBot, open_window: Open, schemes: Path) -> None:
    window = opened(open_window, schemes)
    ready(qtbot, window)
    window.studio.set_marks(SECOND_US, 2 * SECOND_US)
    press(window, Qt.Key.Key_X)
    assert window.active.key == "cues/action"
    press(window, Qt.Key.Key_3)
    (cue,) = (s for s in all_segments(window.studio.session.study) if s.scheme == "cues")
    assert (cue.track, cue.label) == ("action", "handling")
    press(window, Qt.Key.Key_1)
    (cue,) = (s for s in all_segments(window.studio.session.study) if s.scheme == "cues")
    assert cue.label == "gesture"
    press(window, Qt.Key.Key_Escape)
    window.active.select_track("shrec/segments")
    window.studio.set_marks(SECOND_US, 2 * SECOND_US)
    press(window, Qt.Key.Key_C)
    assert [s.label for s in all_segments(window.studio.session.study) if s.scheme == "shrec"].count("competence") >= 1
    keys = [action.shortcut().toString() for action in window.menus.label_actions]
    assert keys == ["E", "C", "N"]


def test_a_rating_without_marks_is_of_the_whole_recording(qtbot: QtBot, open_window: Open, schemes: Path) -> None:
    window = opened(open_window, schemes)
    window.active.select_track("sotopia-eval/ratings")
    window.editing.create_from_marks("rating")
    (rating,) = (s for s in all_segments(window.studio.session.study) if s.scheme == "sotopia-eval")
    assert (rating.start_us, rating.end_us) == (0, window.studio.recording.duration_us)


def test_each_annotator_and_track_has_a_lane(open_window: Open, schemes: Path) -> None:
    window = opened(open_window, schemes)
    cue = made(window, "smile", "cues", "expression")
    lanes = [lane for lane in window.timeline.model.lanes if lane.kind is LaneKind.SEGMENTS]
    own = [(lane.title, lane.subtitle) for lane in lanes if lane.editable]
    assert ("Ada", "Expression") in own
    lane = window.timeline.model.lane(lane_key_of(cue))
    assert lane.active
    assert lane.look("smile").name == "Smile"
    assert lane.look("grin").name == "grin"
    window.active.select_track("cues/tone")
    assert {lane.subtitle for lane in window.timeline.model.lanes if lane.editable} >= {"Expression", "Tone"}
    window.timeline.segment_create_requested.emit(lane.key, 4 * SECOND_US, 5 * SECOND_US)
    assert window.active.key == "cues/expression"
    assert len(window.timeline.model.track(lane.key)) == 2
    window.studio.undo()
    window.studio.undo()
    window.active.select_track("cues/tone")
    assert "Expression" not in {lane.subtitle for lane in window.timeline.model.lanes}


def test_a_scheme_that_is_dropped_greys_its_lane_and_locks_its_form(open_window: Open, schemes: Path) -> None:
    window = opened(open_window, schemes)
    cue = made(window, "smile", "cues", "expression")
    assert window.studio.edit(lambda session: commands.drop_scheme(session, "cues"))
    lane = window.timeline.model.lane(lane_key_of(cue))
    assert lane.faded
    assert not lane.editable
    assert lane.look("smile").name == "Smile"
    assert window.active.key == "shrec/segments"
    assert not window.inspector.labels.isEnabled()
    window.studio.undo()
    lane = window.timeline.model.lane(lane_key_of(cue))
    assert lane.editable
    assert window.inspector.labels.isEnabled()


def test_what_an_older_version_left_is_shown_and_deleted(open_window: Open, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        commands.use_scheme(session, text(1), "lab.toml")
        (recording,) = (row[0] for row in session.study.rows("SELECT id FROM recording"))
        values = {"many": ["x", "y"], "words": "Old words."}
        old, _ = add_segment(session, recording, SECOND_US, 2 * SECOND_US, "b", values, scheme="lab")
        commands.use_scheme(session, text(2, labels=["a"], choices=["x"], fields=["many"]), "lab.toml")
    window = opened(open_window, study)
    window.studio.select([old])
    inspector = window.inspector
    assert inspector.form.editors["many"].value() == ["x"]
    shown = {(kept.name, kept.version, kept.text) for kept in inspector.kept.values}
    assert shown == {("Many", 1, "x, y"), ("words", 1, "Old words.")}
    assert not inspector.kept.isHidden()
    inspector.kept.delete_requested.emit("words", 1)
    assert [kept.field for kept in inspector.kept.values] == ["many"]
    window.studio.undo()
    assert len(value_history(window.studio.session.study, old)) == 2
    assert len(inspector.kept.values) == 2


def test_the_guidelines_stay_open_beside_the_form(qtbot: QtBot, open_window: Open, schemes: Path) -> None:
    window = opened(open_window, schemes)
    ready(qtbot, window)
    press(window, Qt.Key.Key_F3)
    assert window.guidelines.visible
    words = window.guidelines.panel.words
    assert "considerate person" in words.toPlainText()
    made(window, "smile", "cues", "expression")
    assert "forced" in words.toPlainText()
    assert "considerate person" not in words.toPlainText()
    assert not nameless(window.guidelines.panel)
    window.close_study()
    assert window.open_study(schemes)
    assert window.guidelines.visible
    assert window.active.key == "cues/expression"
    window.menus.actions["guidelines"].trigger()
    assert not window.guidelines.visible


def schemes_window(window: MainWindow) -> SchemesWindow:
    window.menus.actions["schemes"].trigger()
    found = window.windows.open_window("schemes")
    assert isinstance(found, SchemesWindow)
    return found


def test_the_window_of_schemes_uses_makes_default_and_drops(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = opened(open_window, study)
    view = schemes_window(window)
    entry = view.current()
    assert (entry.group, entry.key, entry.default) == (Group.USED, "shrec", True)
    assert not view.drop.isEnabled()
    view.select_entry(f"{Group.SHIPPED.name} cues")
    assert "Rolls" not in view.words.toPlainText()
    assert "Listener response" in view.words.toPlainText()
    view.use.click()
    entry = view.current()
    assert (entry.group, entry.key) == (Group.USED, "cues")
    view.default.click()
    session = window.studio.session
    assert session.scheme.key == "cues"
    view.drop.click()
    assert not session.schemes.is_in_use("cues")
    entry = view.current()
    assert (entry.group, entry.key) == (Group.KEPT, "cues")
    for _ in range(3):
        window.studio.undo()
    assert [scheme.key for scheme in session.schemes] == ["shrec"]
    assert not nameless(view)
    assert not unexplained(view)


def test_a_file_is_checked_used_changed_and_reloaded(
    qtbot: QtBot, open_window: Open, answers: Answers, study: Path, tmp_path: Path
) -> None:
    file = tmp_path / "lab.toml"
    answers.scheme = lambda: file
    window = opened(open_window, study)
    view = schemes_window(window)
    file.write_text(text(1).replace('name = "Lab"', 'nam = "Lab"'))
    view.check.click()
    assert "lab.toml" in view.problem.text()
    assert "name" in view.problem.text()
    file.write_text(text(1))
    view.check.click()
    assert view.problem.text() == ""
    view.use.click()
    session = window.studio.session
    segment = made(window, "b", "lab", "t")
    file.write_text(text(1, labels=["a"]))
    view.reload.click()
    assert "Raise `version` to 2" in view.problem.text()
    file.write_text(text(2, labels=["a"]))
    view.reload.click()
    assert session.schemes.get("lab").version == 2
    entry = view.current()
    assert (entry.versions, entry.orphans) == ((1, 2), 1)
    lane = window.timeline.model.lane(lane_key_of(segment))
    assert lane.look("b").sign == "question"
    view.facts.linkActivated.emit("orphans")
    assert "label b" in view.words.toPlainText()
    assert str(file) not in str(session.study.rows("SELECT * FROM property"))


def test_a_key_that_the_window_uses_stays_the_windows(
    qtbot: QtBot, open_window: Open, answers: Answers, study: Path, tmp_path: Path
) -> None:
    file = tmp_path / "lab.toml"
    shortcut = 'name = "b"\nshortcut = "I"\n'
    file.write_text(text(1, choices=["x"]).replace('name = "b"\n', shortcut, 1))
    answers.scheme = lambda: file
    window = opened(open_window, study)
    ready(qtbot, window)
    view = schemes_window(window)
    view.check.click()
    assert "The window uses I itself" in view.facts.text()
    view.use.click()
    view.close()
    each_segment = made(window, "a", "lab", "t")
    window.timeline.setFocus()
    press(window, Qt.Key.Key_I)
    assert window.studio.mark_in is not None
    assert segment(window, each_segment) == "a"


def segment(window: MainWindow, each_segment: Segment) -> str:
    return next(s.label for s in all_segments(window.studio.session.study) if s.id == each_segment.id)


def test_the_window_of_schemes_goes_with_the_study(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = opened(open_window, study)
    view = schemes_window(window)
    window.close_study()
    qtbot.waitUntil(lambda: not view.isVisible())
    QTest.qWait(0)


@pytest.mark.parametrize("name", ["shrec", "cues", "sotopia-eval", "socialnli", "plain"])
@pytest.mark.parametrize("shade", ["light", "dark"])
def test_labels_can_be_read_and_told_apart_without_colour(name: str, shade: str) -> None:
    colours = load(shade)
    for track in load_scheme(name).tracks:
        looks = label_looks(track)
        assert len({(look.pattern, look.sign) for look in looks}) == len(looks)
        for look in looks:
            assert contrast(label_ink(look, colours), colours.lane) >= 4.5 - 0.05, look


@pytest.mark.parametrize(("maximum", "kind"), [(10, ScaleEditor), (11, SliderEditor)])
def test_a_scale_of_many_values_is_set_with_a_slider(qtbot: QtBot, maximum: int, kind: type) -> None:
    field = replace(load_scheme("sotopia-eval").field("goal"), maximum=maximum)
    editor = EDITORS[field.kind](field)
    qtbot.addWidget(editor)
    assert type(editor) is kind
    sent: list[object] = []
    editor.changed.connect(sent.append)
    for value in (None, 0, maximum, None):
        editor.set_value(value)
        assert editor.value() == value
    assert sent == []


def test_steps_of_a_slider_may_be_parts_of_one(qtbot: QtBot) -> None:
    field = replace(load_scheme("socialnli").field("plausibility"), minimum=-1, maximum=1, step=0.25)
    slider = SliderEditor(field)
    qtbot.addWidget(slider)
    sent: list[object] = []
    slider.changed.connect(sent.append)
    slider.box.setValue(0.75)
    qtbot.keyClick(slider.slider, Qt.Key.Key_Left)
    assert sent == [0.75, 0.5]
    slider.box.setValue(-1.25)
    assert sent[-1] is None
    assert slider.value() is None
