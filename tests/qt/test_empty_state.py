"""What pages and tables without content say, and what they offer."""

from PySide6.QtWidgets import QLabel, QPushButton, QTableWidget

from tests.builders.mouse_and_keys import click
from widgets import theme
from widgets.empty_state import EmptyHint, EmptyState, EmptyStateAction
from widgets.text_labels import plain_tip


def test_it_says_what_to_do_and_offers_it(qtbot):
    state = EmptyState(
        "film",
        "Welcome",
        "Open a study.",
        [EmptyStateAction("new", "New study…", "Ctrl+N", True), EmptyStateAction("open", "Open…")],
    )
    qtbot.addWidget(state)
    state.show()
    first, second = state.findChildren(QPushButton)
    assert first.toolTip() == "New study… (Ctrl+N)"
    with qtbot.waitSignal(state.button_clicked) as sent:
        click(second)
    assert sent.args == ["open"]


def test_its_words_can_change_and_follow_the_theme(qtbot, qapp):
    state = EmptyState("film", "Welcome", "Open a study.")
    qtbot.addWidget(state)
    theme.apply(qapp, "light")
    state.set_text("Done", "Nothing is left to do.")
    assert state.accessibleDescription() == "Nothing is left to do."
    hint = state.findChildren(QLabel)[-1]
    assert theme.palette().muted.name() in hint.styleSheet()


def test_a_long_path_gives_way_to_a_narrow_window(qtbot):
    path = f"/lab/{'a deep folder/' * 40}R&D study.greenroom"
    state = EmptyState("film", "Welcome", "Open a study.")
    qtbot.addWidget(state)
    state.set_links([EmptyStateAction("recent", path)])
    (link,) = state.findChildren(QPushButton)
    assert state.minimumSizeHint().width() < 200
    state.resize(600, 400)
    state.show()
    assert link.geometry().right() <= 600
    assert "…" in link.text()
    assert link.text().endswith("R&&D study.greenroom")
    assert link.accessibleName() == path
    assert link.toolTip() == plain_tip(path)
    state.resize(20_000, 400)
    qtbot.waitUntil(lambda: link.text() == path.replace("&", "&&"))
    with qtbot.waitSignal(state.button_clicked):
        link.click()


def test_the_hint_of_a_table_is_in_its_middle_while_there_are_no_rows(qtbot):
    table = QTableWidget(0, 1)
    qtbot.addWidget(table)
    hint = EmptyHint(table, "No clip was exported yet. Export one: Ctrl+E.")
    table.show()
    assert hint.isVisible()
    assert table.accessibleDescription() == hint.text()
    table.resize(900, 500)
    assert abs(hint.geometry().center().x() - table.viewport().rect().center().x()) <= 1
    assert table.viewport().rect().contains(hint.geometry())
    table.insertRow(0)
    assert not hint.isVisible()
    table.setRowCount(0)
    assert hint.isVisible()
    hint.setText("")
    assert not hint.isVisible()
