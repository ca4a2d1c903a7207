"""Whom something is assigned to, in a study with more participants than there are digits."""

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.gui.chains.node_form import PeopleRow
from app.gui.faces.face_bars import PeopleBar
from project.entities.study_records import Participant, ParticipantRole

PEOPLE = [Participant(f"id{number}", f"P{number:02d}", ParticipantRole.USER) for number in range(1, 31)]


def texts(bar: PeopleBar | PeopleRow) -> list[str]:
    return [child.text() for child in bar.findChildren(QPushButton) if not child.isHidden()]


def test_thirty_participants_are_nine_buttons_and_a_menu(qtbot: QtBot) -> None:
    bar = PeopleBar()
    qtbot.addWidget(bar)
    bar.set_people(PEOPLE)
    bar.show()
    assert [text for text in texts(bar) if text[:1].isdigit()] == [f"{number} P{number:02d}" for number in range(1, 10)]
    chosen: list[object] = []
    bar.assign_requested.connect(chosen.append)
    entry = next(action for action in bar.more.menu().actions() if action.text() == "P30")
    entry.trigger()
    assert chosen == ["id30"]
    bar.show_choice("id30", False, enabled=True, named=True)
    assert (bar.more.text(), bar.more.isChecked()) == ("P30", True)
    bar.set_people(PEOPLE[:3])
    assert bar.more.isHidden()


def test_a_node_can_be_of_several_of_them(qtbot: QtBot) -> None:
    row = PeopleRow()
    qtbot.addWidget(row)
    row.set_people(PEOPLE)
    row.show()
    row.show_people({"id1", "id12", "id30"}, editable=True)
    assert row.more.text() == "P12, P30"
    assert row.buttons["id1"].isChecked()
    with qtbot.waitSignal(row.toggled) as told:
        next(action for action in row.more.menu().actions() if action.text() == "P12").trigger()
    assert told.args == ["id12", False]
