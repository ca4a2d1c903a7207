"""The inspector of segments: it shows what the study has, and sends what is done to it."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QVBoxLayout, QWidget

from app.gui.annotate.inspector import Inspector, marking_hint
from project.entities.study_records import Segment, Verdict
from project.schemes.scheme import Extent
from project.schemes.scheme_file import load_scheme
from tests.builders.keyboard_walk import controls, tab_walk
from tests.builders.mouse_and_keys import click, press
from tests.builders.shown_texts import shown_texts
from widgets.text_labels import KeyCaps

ONE = Segment("s1", "r1", "a1", Verdict.ERROR, 1_000_000, 3_500_000)
OTHER = Segment("s2", "r1", "a1", Verdict.COMPETENCE, 5_000_000, 6_000_000)


class Seen(list):
    """Everything an inspector sent, in order."""

    def __init__(self, inspector):
        super().__init__()
        for name in (
            "value_changed",
            "label_changed",
            "label_key_pressed",
            "times_changed",
            "delete_requested",
            "play_requested",
        ):
            getattr(inspector, name).connect(lambda *args, name=name: self.append((name, *args)))


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(340, 900)
    column = QVBoxLayout(window)
    column.addWidget(Inspector(load_scheme()))
    with qtbot.waitExposed(window):
        window.show()
    return window


@pytest.fixture
def inspector(window):
    return window.findChild(Inspector)


@pytest.fixture
def seen(inspector):
    return Seen(inspector)


def text_of(inspector, field):
    return inspector.form.editors[field].text


def named(inspector, name):
    return next(child for child in inspector.findChildren(QAbstractButton) if child.accessibleName() == name)


def test_it_shows_a_segment_and_sends_nothing(inspector, seen):
    assert inspector.segment_ids() == []
    assert any("timeline" in text for text in shown_texts(inspector))
    values = {"attributes": ["emotions", "norms"], "channel": "both", "rationale": "Too loud."}
    inspector.show_segment(ONE, values, "Ann")
    assert {key: inspector.form.editors[key].value() for key in values} == values
    assert inspector.header.start.text() == "0:00:01.000"
    assert inspector.header.end.text() == "0:00:03.500"
    assert inspector.labels.buttons[Verdict.ERROR].isChecked()
    assert {"Ann", "2.500 s"} <= set(shown_texts(inspector.header))
    inspector.show_segment(replace(ONE, start_us=0), {"rationale": "y"}, "Ann")
    inspector.show_segment(OTHER, {}, "Ann")
    inspector.show_several([ONE, OTHER])
    inspector.show_nothing()
    assert seen == []


def test_what_is_ticked_and_chosen_is_sent_at_once(inspector, seen):
    inspector.show_segment(ONE, {"attributes": ["norms"]}, "Ann")
    boxes, buttons = inspector.form.editors["attributes"].boxes, inspector.form.editors["channel"].buttons
    click(boxes["emotions"])
    boxes["emotions"].click()
    boxes["norms"].click()
    assert [event[2:] for event in seen] == [
        ("attributes", ["emotions", "norms"]),
        ("attributes", ["norms"]),
        ("attributes", None),
    ]
    seen.clear()
    for key in ("verbal", "both", "both"):
        buttons[key].click()
    assert [event[2:] for event in seen] == [("channel", "verbal"), ("channel", "both"), ("channel", None)]


def test_only_keys_of_labels_that_work_are_shown(qtbot):
    scheme, taken = load_scheme(), [QKeySequence("C")]
    inspector = Inspector(scheme, taken)
    qtbot.addWidget(inspector)
    inspector.show_segment(ONE, {}, "Ann")
    caps = [button.findChildren(KeyCaps) for button in inspector.labels.buttons.values()]
    assert [len(shown) for shown in caps] == [1, 0, 1]
    track = scheme.tracks[0]
    assert marking_hint(track, []).endswith("O at its end, then E, C or N.")
    assert marking_hint(track, taken).endswith("O at its end, then E, N or A."), "A asks for the label"
    keyless = replace(track, labels=tuple(replace(label, shortcut="") for label in track.labels))
    assert marking_hint(keyless, []).endswith("O at its end, then A.")
    assert marking_hint(replace(keyless, extent=Extent.POINT), []).endswith("mark one at the playhead: A.")


def test_keys_choose_the_label_attributes_and_the_channel(window, inspector, seen):
    inspector.show_segment(ONE, {}, "Ann")
    press(window, "C", "N", "E")
    assert seen == [("label_key_pressed", ["s1"], label) for label in (Verdict.COMPETENCE, Verdict.NONE, Verdict.ERROR)]
    assert inspector.labels.buttons[Verdict.ERROR].isChecked(), "what is shown follows the study"
    for number, choice in enumerate(load_scheme().field("attributes").choices, 1):
        inspector.show_segment(replace(ONE, id=choice.key), {}, "Ann")
        press(window, str(number))
        assert seen[-1] == ("value_changed", choice.key, "attributes", [choice.key])
    for key, channel in (("V", "verbal"), ("G", "nonverbal"), ("W", "both")):
        press(window, key)
        assert seen[-1][2:] == ("channel", channel)


def test_keys_do_nothing_without_a_segment_or_when_read_only(qtbot, window, inspector, seen):
    press(window, "C")
    inspector.show_segment(ONE, {}, "Ann", read_only=True, reason="Another window has this study open.")
    press(window, "C", "1")
    assert seen == []
    assert any("Another window" in text for text in shown_texts(inspector))
    assert text_of(inspector, "rationale").isReadOnly()
    assert inspector.header.start.isReadOnly()
    assert not any(label.isVisible() for label in inspector.form._needed.values())


LEAVING = {
    "another segment": lambda inspector: inspector.show_segment(OTHER, {"rationale": "its own"}, "Ann"),
    "another field": lambda inspector: text_of(inspector, "correction").setFocus(),
    "hidden": lambda inspector: inspector.hide(),
    "closed": lambda inspector: inspector.window().close(),
}


@pytest.mark.parametrize("leave", LEAVING.values(), ids=LEAVING.keys())
def test_no_typed_text_is_lost_and_it_goes_to_its_own_segment(qtbot, inspector, seen, leave):
    inspector.show_segment(ONE, {}, "Ann")
    text = text_of(inspector, "rationale")
    text.setFocus()
    qtbot.keyClicks(text, "typed")
    leave(inspector)
    assert seen == [("value_changed", "s1", "rationale", "typed")]
    inspector.flush()
    assert len(seen) == 1


def test_a_typed_time_goes_to_its_own_segment_unless_it_ends_before_it_starts(qtbot, inspector, seen):
    inspector.show_segment(ONE, {}, "Ann")
    start, end = inspector.header.start, inspector.header.end
    end.selectAll()
    qtbot.keyClicks(end, "0:00:01.000")
    with qtbot.waitSignal(inspector.rejected) as sent:
        qtbot.keyClick(end, Qt.Key.Key_Return)
    assert "start before it ends" in sent.args[0]
    assert end.text() == "0:00:03.500"
    assert seen == []
    start.selectAll()
    qtbot.keyClicks(start, "2")
    inspector.show_segment(OTHER, {}, "Ann")
    assert seen == [("times_changed", "s1", 2_000_000, 3_500_000)]


def test_changes_from_elsewhere_leave_the_cursor_alone(qtbot, inspector, seen):
    inspector.show_segment(ONE, {"rationale": "one two three"}, "Ann")
    text = text_of(inspector, "rationale")
    cursor = text.textCursor()
    cursor.setPosition(4)
    text.setTextCursor(cursor)
    inspector.show_segment(replace(ONE, end_us=4_000_000), {"rationale": "one two three"}, "Ann")
    assert text.textCursor().position() == 4
    inspector.show_segment(ONE, {"rationale": "one two 😀 three four"}, "Ann")
    assert text.toPlainText() == "one two 😀 three four"
    assert text.textCursor().position() == 4
    inspector.show_segment(ONE, {"rationale": "one two 😀😀 four"}, "Ann")
    assert text.toPlainText() == "one two 😀😀 four"
    inspector.show_segment(ONE, {}, "Ann")
    assert text.toPlainText() == ""
    assert seen == []


def test_changes_from_elsewhere_do_not_take_typed_text(qtbot, inspector, seen):
    inspector.show_segment(ONE, {"rationale": "old"}, "Ann")
    qtbot.keyClicks(text_of(inspector, "rationale"), " and new")
    inspector.show_segment(replace(ONE, end_us=4_000_000), {"rationale": "old"}, "Ann")
    inspector.flush()
    assert seen == [("value_changed", "s1", "rationale", "old and new")]


def test_undo_in_a_text_is_the_studys_and_comes_after_what_was_typed(qtbot, window, inspector, seen):
    undone = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), window)
    undone.activated.connect(lambda: seen.append("undo"))
    inspector.show_segment(ONE, {}, "Ann")
    text = text_of(inspector, "rationale")
    text.setFocus()
    qtbot.keyClicks(text, "typed")
    qtbot.keyClick(text, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert seen == [("value_changed", "s1", "rationale", "typed"), "undo"]


def test_only_an_error_has_a_correction_and_it_is_kept(inspector):
    inspector.show_segment(ONE, {"correction": "Wait."}, "Ann")
    assert text_of(inspector, "correction").isVisible()
    inspector.show_segment(replace(ONE, label=Verdict.COMPETENCE), {"correction": "Wait."}, "Ann")
    assert not text_of(inspector, "correction").isVisible()
    inspector.show_segment(ONE, {"correction": "Wait."}, "Ann")
    assert text_of(inspector, "correction").toPlainText() == "Wait."


def test_what_is_still_needed_is_said_to_a_screen_reader_too(inspector):
    inspector.show_segment(ONE, {}, "Ann")
    needed, text = inspector.form._needed, text_of(inspector, "rationale")
    missing = load_scheme().missing_fields(Verdict.ERROR, {})
    assert {key for key, label in needed.items() if label.isVisible()} == set(missing)
    assert missing
    assert text.accessibleDescription().startswith("Needed. ")
    inspector.form.editors["attributes"].boxes["emotions"].click()
    assert not needed["attributes"].isVisible()
    inspector.show_segment(ONE, {"rationale": "one\ntwo\nthree"}, "Ann")
    assert text.accessibleDescription() == inspector.form.editors["rationale"].field.definition
    assert text.verticalScrollBar().maximum() == 0, "three lines need no scroll bar"


def test_what_is_asked_for_goes_to_one_segment_or_to_several(window, inspector, seen):
    inspector.show_segment(ONE, {}, "Ann")
    click(named(inspector, "Play this segment"))
    click(named(inspector, "Delete this segment"))
    inspector.show_several([ONE, OTHER])
    assert "2 segments selected" in shown_texts(inspector)
    assert not inspector.form.isVisible()
    press(window, "N", "1")
    click(named(inspector, "Delete the selected segments"))
    assert seen == [
        ("play_requested", "s1"),
        ("delete_requested", ["s1"]),
        ("label_key_pressed", ["s1", "s2"], Verdict.NONE),
        ("delete_requested", ["s1", "s2"]),
    ]


def test_every_control_is_reached_with_tab_in_the_order_it_is_read(inspector):
    inspector.show_segment(ONE, {}, "Ann")
    walked = tab_walk(named(inspector, "Play this segment"))
    assert set(controls(inspector)) <= set(walked)
    order = [
        *(inspector.header.start, inspector.header.end),
        *inspector.labels.buttons.values(),
        *inspector.form.editors["attributes"].boxes.values(),
        *inspector.form.editors["channel"].buttons.values(),
        text_of(inspector, "rationale"),
        text_of(inspector, "correction"),
    ]
    assert [widget for widget in walked if widget in order] == order
    assert any(isinstance(widget, QLineEdit) for widget in walked)
