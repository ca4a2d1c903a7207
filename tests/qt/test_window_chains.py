"""The mode Chains in the real window: a chain is drawn with the mouse, and another with keys alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.chains.chains_page import ChainPageTab
from app.gui.window.main_window import MainWindow
from project.entities.causal_chains import NodeKind
from tests.builders.chains_by_hand import (
    EDGES,
    SECOND,
    STORY,
    draw_with_keys,
    draw_with_mouse,
    edges_of,
    graphs,
    in_graph,
    on_lane,
    page_of,
    story_of,
    study_of_two,
)
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.mouse_and_keys import click, drag, press, type_text

EXPECTED = [(each_told.kind.value, (each_told.who,), each_told.text) for each_told in STORY]


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, open_window: Callable[..., MainWindow]) -> MainWindow:
    made = open_window(study_of_two(tmp_path / "lab.greenroom"), "Ada")
    made.choose_recording("r")
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def begin(window: MainWindow) -> None:
    """Open the mode and begin a chain with the mouse."""
    click(window.workspace.modes._buttons["chains"])
    (new,) = [child for child in page_of(window).findChildren(QPushButton) if child.text() == "New chain"]
    click(new)


def test_a_chain_is_drawn_with_the_mouse(window: MainWindow) -> None:
    begin(window)
    graph = draw_with_mouse(window)
    assert story_of(graph) == EXPECTED
    assert edges_of(graph) == {*EDGES}
    assert len(graph.subchains) == 3
    for node, told in zip(graph.nodes, STORY, strict=True):
        assert node.start_us == pytest.approx(told.start * SECOND, abs=SECOND // 4)
        assert node.end_us == pytest.approx(told.end * SECOND, abs=SECOND // 4)
    assert page_of(window).current_tab() is ChainPageTab.NODE
    assert [problem for problem in window.chains.chosen.problems if not problem.warning] == []


def test_another_is_drawn_with_keys_alone_and_each_step_is_undone_and_redone(window: MainWindow) -> None:
    press(window, "Ctrl+6")
    press(window, "Ctrl+Shift+N")
    graph = draw_with_keys(window)
    assert story_of(graph) == EXPECTED
    assert edges_of(graph) == {*EDGES}
    assert len(graph.subchains) == 3
    assert [(node.start_us, node.end_us) for node in graph.nodes] == [
        (told.start * SECOND, told.end * SECOND) for told in STORY
    ]
    undone = 0
    while graphs(window):
        press(window, "Ctrl+Z")
        undone += 1
        assert undone < 100
    assert page_of(window).graph.model.picture is None
    for _ in range(undone):
        press(window, "Ctrl+Shift+Z")
    assert graphs(window) == [graph]
    assert page_of(window).graph.model.picture is not None
    assert len(window.timeline.model.track(window.timeline.bands[-1].lane.key)) == len(STORY)


def test_graph_timeline_form_and_player_are_one_selection(window: MainWindow) -> None:
    begin(window)
    graph = draw_with_mouse(window)
    page = page_of(window)
    second, last = graph.nodes[1], graph.nodes[5]
    click(window.timeline, on_lane(window, 10))
    assert page.graph.selected() == (second.id,) == window.studio.selected_nodes
    assert page.form.words.toPlainText() == second.text
    assert window.player.position_us == second.start_us
    click(page.graph.board, in_graph(window, last.id))
    assert window.timeline.selection() == [last.id]
    assert page.form.words.toPlainText() == last.text
    assert window.player.position_us == last.start_us
    reasons = page.form.reasons.list
    assert [reasons.item(row).text().split("  ")[1] for row in range(reasons.count())] == [
        STORY[2].text, STORY[4].text,
    ]  # fmt: skip
    reasons.setCurrentRow(1)
    QTest.keyClick(reasons, Qt.Key.Key_Return)
    assert window.timeline.selection() == [graph.nodes[4].id] == [*page.graph.selected()]
    page.graph.board.setFocus()
    press(window, "Esc")
    assert window.timeline.selection() == []
    assert page.graph.selected() == ()


def test_a_span_is_dragged_and_nudged_on_the_timeline(window: MainWindow) -> None:
    begin(window)
    before = draw_with_mouse(window).nodes[5]
    drag(window.timeline, on_lane(window, 28), on_lane(window, 38))
    moved = graphs(window)[0].nodes[5]
    assert moved.start_us == pytest.approx(before.start_us + 10 * SECOND, abs=SECOND // 4)
    assert moved.end_us - moved.start_us == before.end_us - before.start_us
    window.timeline.setFocus()
    press(window, ".")
    press(window, ".")
    nudged = graphs(window)[0].nodes[5]
    assert nudged.start_us == moved.start_us + 80_000
    press(window, "Ctrl+Z")
    assert graphs(window)[0].nodes[5] == moved, "a key that is held down is one step"


def test_typing_is_one_step_and_what_is_typed_is_never_lost(window: MainWindow) -> None:
    begin(window)
    drag(window.timeline, on_lane(window, 5), on_lane(window, 8))
    page = page_of(window)
    type_text(window, "Half a sen")
    drag(window.timeline, on_lane(window, 20), on_lane(window, 24))
    assert graphs(window)[0].nodes[0].text == "Half a sen"
    click(window.timeline, on_lane(window, 6))
    assert page.form.words.toPlainText() == "Half a sen"
    press(window, "Return")
    type_text(window, "Another")
    press(window, "Return")
    assert graphs(window)[0].nodes[0].text == "Another"
    press(window, "Ctrl+Z")
    assert graphs(window)[0].nodes[0].text == "Half a sen"
    assert page.form.words.toPlainText() == "Half a sen"


def test_nodes_are_made_of_what_is_selected(window: MainWindow) -> None:
    press(window, "Ctrl+Shift+A")
    assert "No segment, utterance or cue is selected" in window.messages.message()
    window.timeline.choose(["u"])
    press(window, "Ctrl+Shift+A")
    (graph,) = graphs(window)
    (node,) = graph.nodes
    assert node.people == ("b",)
    assert "Leave me alone" in node.text
    assert (node.start_us, node.end_us, node.source) == (40 * SECOND, 43 * SECOND, "utterance/u")
    assert window.studio.selected_nodes == (node.id,)
    assert window.timeline.selection() == [node.id]


def test_kind_people_span_and_edges_are_changed_by_keys(window: MainWindow) -> None:
    press(window, "Ctrl+6")
    draw_with_keys(window)
    page = page_of(window)
    press(window, "Alt+3")
    press(window, "1")
    node = graphs(window)[0].nodes[5]
    assert (node.kind, node.people) == (NodeKind.INTENT, ("a", "b"))
    press(window, "Home")
    press(window, "Shift+Right")
    press(window, "[")
    assert graphs(window)[0].nodes[0].start_us == SECOND
    assert any(problem.node_id == node.id for problem in window.chains.chosen.problems), (
        "its reasons start after it now"
    )
    press(window, "Ctrl+Z")
    reasons = page.form.reasons.list
    reasons.setFocus()
    reasons.setCurrentRow(0)
    press(window, "Del")
    assert len(graphs(window)[0].edges) == len(EDGES) - 1, "Del in the list takes the reason out, not the node"
    assert len(graphs(window)[0].nodes) == len(STORY)
    press(window, "G")
    press(window, "Del")
    assert len(graphs(window)[0].nodes) == len(STORY) - 1
    assert window.studio.selected_nodes, "the nearest node is selected next"


def test_a_circle_is_refused_and_said(window: MainWindow) -> None:
    begin(window)
    graph = draw_with_mouse(window)
    window.chains.drawing.add_edge(graph.nodes[5].id, graph.nodes[0].id)
    assert "a reason for itself" in window.messages.message()
    assert len(graphs(window)[0].edges) == len(EDGES)


def test_the_window_says_what_is_wrong_and_leads_there(window: MainWindow) -> None:
    begin(window)
    graph = draw_with_mouse(window)
    page = page_of(window)
    drag(window.timeline, on_lane(window, 40), on_lane(window, 44))
    press(window, "Esc")
    click(page._buttons[ChainPageTab.CHECKS])
    assert page._buttons[ChainPageTab.CHECKS].text() == "Checks 2"
    found = [page.checks.item(row).text() for row in range(page.checks.count())]
    assert any("neither a reason nor a result" in text for text in found)
    click(page.graph.board, in_graph(window, graph.nodes[0].id))
    QTest.mouseClick(
        page.checks.viewport(), Qt.MouseButton.LeftButton, pos=page.checks.visualItemRect(page.checks.item(0)).center()
    )
    assert page.current_tab() is ChainPageTab.NODE
    assert window.studio.selected_nodes == (graphs(window)[0].nodes[6].id,)


def test_every_control_has_a_name_and_a_tooltip(window: MainWindow) -> None:
    begin(window)
    draw_with_mouse(window)
    page = page_of(window)
    for part in ChainPageTab:
        page.show_tab(part)
        assert nameless(page) == []
        assert unexplained(page) == []


def test_a_double_click_and_return_type_the_words(window: MainWindow) -> None:
    begin(window)
    draw_with_mouse(window)
    page = page_of(window)
    window.set_mode("annotate")
    window.set_mode("chains")
    QTest.mouseDClick(window.timeline.viewport(), Qt.MouseButton.LeftButton, pos=on_lane(window, 27).toPoint())
    assert QApplication.focusWidget() is page.form.words
    press(window, "Return")
    assert QApplication.focusWidget() is window.timeline, "one goes on where one came from"
    press(window, "G")
    assert QApplication.focusWidget() is page.graph.board
    press(window, "Return")
    assert QApplication.focusWidget() is page.form.words
    press(window, "Esc")
    assert QApplication.focusWidget() is page.graph.board
    press(window, "G")
    assert QApplication.focusWidget() is window.timeline


def test_an_edge_is_drawn_with_arrows_in_the_graph(window: MainWindow) -> None:
    press(window, "Ctrl+6")
    for second, kind, words in ((0, "E", "A phone rings"), (10, "M", "She is startled")):
        press(window, "Home")
        for _ in range(second):
            press(window, "Shift+Right")
        press(window, "N")
        press(window, kind)
        type_text(window, words)
        press(window, "Return")
        press(window, "1")
    press(window, "G")
    press(window, "Home")
    press(window, "E")
    press(window, "Right")
    press(window, "Return")
    (graph,) = graphs(window)
    assert edges_of(graph) == {(0, 1)}
    assert [node.text for node in graph.nodes] == ["A phone rings", "She is startled"]


def test_deleting_a_chain_keeps_what_was_being_typed_in_its_history(window: MainWindow) -> None:
    begin(window)
    drag(window.timeline, on_lane(window, 5), on_lane(window, 8))
    type_text(window, "Half a sen")
    click(page_of(window).bar.buttons["chain_delete"])
    assert "Deleted Chain 1" in window.messages.message()
    press(window, "Ctrl+Z")
    assert graphs(window)[0].nodes[0].text == "Half a sen"


def test_esc_leaves_the_choice_of_a_kind_and_the_list_of_reasons(window: MainWindow) -> None:
    begin(window)
    drag(window.timeline, on_lane(window, 5), on_lane(window, 8))
    press(window, "Return")
    for other in ("Esc", "U"):
        press(window, "N")
        press(window, other)
        press(window, "M")
        assert len(graphs(window)[0].nodes) == 1, "M mutes, as in other modes"
    press(window, "R")
    page = page_of(window)
    assert QApplication.focusWidget() is page.picker.field
    press(window, "Esc")
    assert page.picker.isHidden()
    assert QApplication.focusWidget() is window.timeline
    assert window.studio.selected_nodes, "Esc closed the list and nothing else"
