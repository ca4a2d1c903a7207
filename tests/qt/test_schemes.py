"""Several schemes in one study: forms, lanes, keys, guidelines, the window of schemes."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import add_segment
from annotate.study import scheme_versions as commands
from annotate.study.people import add_participant
from app.gui.settings.schemes_window import Group, SchemesWindow
from app.gui.window.main_window import MainWindow
from project.entities.study_records import ParticipantRole, Segment
from project.queries.segment_rows import all_segments, value_history, values_of
from project.schemes.scheme_file import load_scheme, shipped_names
from project.session.session import Session
from project.timebase import SECOND_US
from tests.builders.filmed_study import make_filmed_study
from tests.builders.main_windows import wait_for_turns
from tests.builders.mouse_and_keys import press
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused
from widgets.inspector.field_editors import ParticipantEditor, ScaleEditor, SliderEditor
from widgets.labels import contrast, label_ink, label_looks
from widgets.theme import load
from widgets.timeline.lanes import LaneKind, lane_key_of


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return make_filmed_study(tmp_path)


@pytest.fixture
def coded(study: Path, open_reused: OpenReused) -> MainWindow:
    """A window on the sample study with all shipped schemes in use, and two participants."""
    with Session.open(study, "Ada") as session:
        for key in ("cues", "sotopia-eval", "socialnli", "plain"):
            commands.use_shipped_scheme(session, key)
        ((recording,),) = session.study.rows("SELECT id FROM recording")
        for name, role in (("P01", ParticipantRole.USER), ("Ro", ParticipantRole.ROBOT)):
            add_participant(session, name, role, recording)
    return open_reused(study)


def lab_scheme(
    version: int, labels: str = "ab", choices: str = "xy", fields: tuple[str, ...] = ("many", "words")
) -> str:
    """A scheme of a lab's own, with a label whose key the window uses itself."""
    lines = ['key = "lab"', 'name = "Lab"', f"version = {version}", "[[tracks]]", 'key = "t"', 'name = "T"']
    for label in labels:
        lines += ["[[tracks.labels]]", f'key = "{label}"', f'name = "{label}"']
        lines += ['shortcut = "I"'] if label == "b" else []
    if "many" in fields:
        lines += ["[[fields]]", 'key = "many"', 'kind = "choices"', 'name = "Many"']
        for choice in choices:
            lines += ["[[fields.choices]]", f'key = "{choice}"', f'name = "{choice}"']
    if "words" in fields:
        lines += ["[[fields]]", 'key = "words"', 'kind = "text"', 'name = "Words"']
    return "\n".join(lines)


def made(window: MainWindow, label: str, scheme: str, track: str) -> Segment:
    window.active.select_track(f"{scheme}/{track}")
    assert window.editing.create(SECOND_US, 3 * SECOND_US, label)
    return next(s for s in all_segments(window.studio.session.study) if s.id == window.studio.selected[0])


def of_scheme(window: MainWindow, scheme: str) -> list[Segment]:
    return [segment for segment in all_segments(window.studio.session.study) if segment.scheme == scheme]


def value(window: MainWindow, segment: Segment, field: str) -> object:
    return values_of(window.studio.session.study, segment.id)[field]


def test_the_form_follows_the_scheme_of_the_selected_segment(qtbot: QtBot, coded: MainWindow) -> None:
    inspector = coded.inspector
    rating = made(coded, "rating", "sotopia-eval", "ratings")
    goal: ScaleEditor = inspector.form.editors["goal"]
    who: ParticipantEditor = inspector.form.editors["participant"]
    assert {who.combo.itemText(place) for place in range(1, who.combo.count())} == {"P01, user", "Ro, robot"}
    goal.buttons[7].click()
    who.combo.setCurrentIndex(2)
    who.combo.activated.emit(2)
    assert value(coded, rating, "goal") == 7
    goal.buttons[7].click()
    assert set(values_of(coded.studio.session.study, rating.id)) == {"participant"}
    belief = made(coded, "belief", "socialnli", "inferences")
    slider: SliderEditor = inspector.form.editors["plausibility"]
    assert slider.value() is None
    slider.box.setValue(70)
    slider.slider.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(slider.slider, Qt.Key.Key_Right)
    assert value(coded, belief, "plausibility") == 71
    coded.studio.undo()
    assert value(coded, belief, "plausibility") == 70
    assert slider.slider.value() == 70
    slider.clear.click()
    assert "plausibility" not in values_of(coded.studio.session.study, belief.id)
    coded.studio.select([rating.id])
    assert "goal" in inspector.form.editors
    assert set(inspector.labels.buttons) == {"rating"}


def test_keys_and_guidelines_are_those_of_the_active_track(qtbot: QtBot, coded: MainWindow, study: Path) -> None:
    coded.studio.set_marks(SECOND_US, 2 * SECOND_US)
    press(coded, "X")
    assert coded.active.key == "cues/action"
    press(coded, "3")
    (cue,) = of_scheme(coded, "cues")
    assert (cue.track, cue.label) == ("action", "handling")
    press(coded, "1")
    assert of_scheme(coded, "cues")[0].label == "gesture"
    press(coded, "Esc")
    coded.active.select_track("shrec/segments")
    coded.studio.set_marks(SECOND_US, 2 * SECOND_US)
    with qtbot.waitSignal(coded.studio.message) as told:
        press(coded, "3")
    assert told.args[0].startswith("3 is a key of the track ")
    assert not of_scheme(coded, "shrec")
    press(coded, "C")
    assert [segment.label for segment in of_scheme(coded, "shrec")] == ["competence"]
    assert [action.shortcut().toString() for action in coded.menus.label_actions] == ["E", "C", "N"]
    press(coded, "Esc", "F3")
    words = coded.guidelines.panel.words
    assert coded.guidelines.visible
    assert "considerate person" in words.toPlainText()
    made(coded, "smile", "cues", "expression")
    assert "forced" in words.toPlainText()
    assert "considerate person" not in words.toPlainText()
    coded.close_study()
    assert coded.open_study(study)
    wait_for_turns()
    assert coded.guidelines.visible, "they stay open beside the form"
    assert coded.active.key == "cues/expression"
    coded.menus.actions["guidelines"].trigger()
    assert not coded.guidelines.visible
    coded.active.select_track("sotopia-eval/ratings")
    coded.editing.create_from_marks("rating")
    (rating,) = of_scheme(coded, "sotopia-eval")
    assert (rating.start_us, rating.end_us) == (0, coded.studio.recording.duration_us), "without marks, of all of it"


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_each_annotator_and_track_has_a_lane_which_is_grey_once_its_scheme_is_dropped(coded: MainWindow) -> None:
    cue = made(coded, "smile", "cues", "expression")
    timeline, key = coded.timeline, lane_key_of(cue)
    lanes = [lane for lane in timeline.model.lanes if lane.kind is LaneKind.SEGMENTS and lane.editable]
    assert ("Ada", "Expression") in [(lane.title, lane.subtitle) for lane in lanes]
    lane = timeline.model.lane(key)
    assert lane.active
    assert (lane.look("smile").name, lane.look("grin").name) == ("Smile", "grin")
    coded.active.select_track("cues/tone")
    assert {lane.subtitle for lane in timeline.model.lanes if lane.editable} >= {"Expression", "Tone"}
    timeline.segment_requests.create.emit(key, 4 * SECOND_US, 5 * SECOND_US)
    assert coded.active.key == "cues/expression"
    press(coded, "Return")
    assert len(timeline.model.track(key)) == 1, "no label is chosen before somebody chooses it"
    press(coded, "Down", "Return")
    assert len(timeline.model.track(key)) == 2
    assert coded.studio.edit(lambda session: commands.drop_scheme(session, "cues"))
    lane = timeline.model.lane(key)
    assert (lane.faded, lane.editable, lane.look("smile").name) == (True, False, "Smile")
    assert coded.active.key == "shrec/segments"
    assert not coded.inspector.labels.isEnabled()
    coded.studio.undo()
    assert timeline.model.lane(key).editable
    assert coded.inspector.labels.isEnabled()
    coded.studio.undo()
    coded.studio.undo()
    coded.active.select_track("cues/tone")
    assert "Expression" not in {lane.subtitle for lane in timeline.model.lanes}


def test_what_an_older_version_left_is_shown_and_deleted(open_reused: OpenReused, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        commands.use_scheme(session, lab_scheme(1), "lab.toml")
        ((recording,),) = session.study.rows("SELECT id FROM recording")
        values = {"many": ["x", "y"], "words": "Old words."}
        old, _ = add_segment(session, recording, SECOND_US, 2 * SECOND_US, "b", values, scheme="lab")
        commands.use_scheme(session, lab_scheme(2, "a", "x", ("many",)), "lab.toml")
    window = open_reused(study)
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


def schemes_window(window: MainWindow) -> SchemesWindow:
    window.menus.actions["schemes"].trigger()
    return window.windows.open_window("schemes")


def test_the_window_of_schemes_uses_makes_default_and_drops(qtbot: QtBot, window: MainWindow) -> None:
    view = schemes_window(window)
    session = window.studio.session
    entry = view.current()
    assert (entry.group, entry.key, entry.default) == (Group.USED, "shrec", True)
    assert not view.drop.isEnabled()
    view.select_entry(f"{Group.SHIPPED.name} cues")
    assert "Rolls" not in view.words.toPlainText()
    assert "Listener response" in view.words.toPlainText()
    view.use.click()
    assert (view.current().group, view.current().key) == (Group.USED, "cues")
    view.default.click()
    assert session.scheme.key == "cues"
    view.drop.click()
    assert not session.schemes.is_in_use("cues")
    assert (view.current().group, view.current().key) == (Group.KEPT, "cues")
    for _ in range(3):
        window.studio.undo()
    assert [scheme.key for scheme in session.schemes] == ["shrec"]
    window.close_study()
    qtbot.waitUntil(lambda: not view.isVisible())


def test_a_file_is_checked_used_changed_and_reloaded(window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    answers.give(scheme=file)
    view = schemes_window(window)
    file.write_text(lab_scheme(1).replace('name = "Lab"', 'nam = "Lab"'))
    view.check.click()
    assert "lab.toml" in view.status.text()
    assert "name" in view.status.text()
    file.write_text(lab_scheme(1))
    view.check.click()
    assert view.status.text() == ""
    assert "The window uses I itself" in view.facts.text()
    view.use.click()
    view.window().close()
    segment = made(window, "a", "lab", "t")
    window.timeline.setFocus()
    press(window, "I")
    assert window.studio.mark_in is not None, "a key that the window uses stays the window's"
    assert [segment.label for segment in of_scheme(window, "lab")] == ["a"]
    view = schemes_window(window)
    file.write_text(lab_scheme(1, "b"))
    view.read_again.click()
    assert "Set `version` to 2" in view.status.text()
    file.write_text(lab_scheme(2, "b"))
    view.read_again.click()
    session = window.studio.session
    assert session.schemes.get("lab").version == 2
    assert (view.current().versions, view.current().orphans) == ((1, 2), 1)
    assert window.timeline.model.lane(lane_key_of(segment)).look("a").sign == "question"
    view.facts.linkActivated.emit("orphans")
    assert "label a" in view.words.toPlainText()
    assert str(file) not in str(session.study.rows("SELECT * FROM property"))


@pytest.mark.parametrize("shade", ["light", "dark"])
def test_labels_can_be_read_and_told_apart_without_colour(shade: str) -> None:
    colours = load(shade)
    for track in (track for name in shipped_names() for track in load_scheme(name).tracks):
        looks = label_looks(track)
        assert len({(look.pattern, look.sign) for look in looks}) == len(looks)
        for look in looks:
            assert contrast(label_ink(look, colours), colours.lane) >= 4.5 - 0.05, look
